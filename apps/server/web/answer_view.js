// One answer of the brain: the class or "unknown", its probability, the nearest classes and why.
import { h, show } from "./dom.js";
import { percent, quoted, short_percent } from "./words.js";

const kBars = 5;

function familiarity_words(answer, threshold) {
  if (answer.familiarity === null || answer.familiarity === undefined)
    return "No familiarity yet: no class has two or more examples to compare with.";
  const share = percent(answer.familiarity);
  const words = `Familiarity ${share}: ${share} of the taught examples look as strange as this one, or stranger.`;
  return answer.unknown ? `${words} Below ${percent(threshold)} the answer is unknown.` : words;
}

// Only learner fearnet explains which of its memories answered.
function memory_words(explanation) {
  if (!explanation) return "";
  const named = { recent: "recent memory (hippocampus)", consolidated: "long-term memory (prefrontal cortex)" };
  const asked = explanation.memory === "recent" ? "recent" : "consolidated", other = asked === "recent" ? "consolidated" : "recent";
  const lines = [`The ${named[asked]} answered.`];
  if (explanation[`${other}_label`])
    lines.push(`The ${named[other]} would have answered ${quoted(explanation[`${other}_label`])} with ${percent(explanation[`${other}_probability`])}.`);
  if (typeof explanation.router === "number") lines.push(`Probability of a recent class: ${percent(explanation.router)}.`);
  return lines.join(" ");
}

export class AnswerView {
  #head = h("p", { class: "verdict" });
  #sub = h("p", { class: "verdict-sub" });
  #bars = h("ul", { class: "bars", "aria-label": "Most probable classes" });
  #why = h("div", { class: "why" });
  element = h("div", { class: "answer" }, this.#head, this.#sub, this.#bars, this.#why);

  // confidence: the promise of the set in `answer.classes`, such as 0.9, or null.
  update(answer, { threshold, confidence = null }) {
    const unknown = answer.unknown || (confidence !== null && answer.classes.length === 0);
    this.element.classList.toggle("unknown", unknown);
    const best = answer.classes.find((c) => c.label === answer.label);
    if (unknown) {
      this.#head.textContent = "Unknown";
      this.#sub.textContent = answer.unknown ? `Not like anything it was taught. Nearest class: ${quoted(answer.label)}.`
        : `No class fits with ${percent(confidence)} confidence. Nearest class: ${quoted(answer.label)}.`;
    } else if (confidence !== null && answer.classes.length > 1) {
      this.#head.textContent = answer.classes.slice(0, kBars).map((c) => c.label).join(", ") +
        (answer.classes.length > kBars ? ` and ${answer.classes.length - kBars} more` : "");
      this.#sub.textContent = `One of these ${answer.classes.length} classes, with ${percent(confidence)} confidence.`;
    } else {
      this.#head.textContent = answer.label;
      this.#sub.textContent = (best ? `${percent(best.probability)} probable` : "") +
        (confidence === null ? "" : `${best ? "; " : ""}the only class that fits with ${percent(confidence)} confidence`);
    }
    this.#draw_bars(answer.classes.slice(0, kBars));
    const lines = [familiarity_words(answer, threshold), memory_words(answer.explanation)].filter((line) => line !== "");
    while (this.#why.children.length < lines.length) this.#why.append(h("p", {}));
    while (this.#why.children.length > lines.length) this.#why.lastChild.remove();
    lines.forEach((line, i) => (this.#why.children[i].textContent = line));
  }

  #draw_bars(classes) {
    while (this.#bars.children.length > classes.length) this.#bars.lastChild.remove();
    while (this.#bars.children.length < classes.length)
      this.#bars.append(h("li", {}, h("span", { class: "bar-name" }), h("span", { class: "bar-track" }, h("span", { class: "bar-fill" })),
        h("span", { class: "bar-value" })));
    classes.forEach((c, i) => {
      const [name, track, value] = this.#bars.children[i].children;
      name.textContent = name.title = c.label;
      track.firstChild.style.width = `${100 * c.probability}%`;
      value.textContent = short_percent(c.probability);
    });
  }

  clear() {
    show(this.#bars);
    show(this.#why);
    this.#head.textContent = this.#sub.textContent = "";
  }
}

// In one line, for lists and screen readers.
export function answer_line(answer) {
  if (answer.unknown) return `unknown; nearest class: ${quoted(answer.label)}`;
  const best = answer.classes.find((c) => c.label === answer.label);
  return best ? `${answer.label}, ${percent(best.probability)}` : answer.label;
}
