// The classes of the brain, what the brain expects of each, and what can be done to one.
import { post } from "./api.js";
import { brains } from "./brains.js";
import { ask_dialog, choose_dialog } from "./dialogs.js";
import { $, attempt, h, say, show_keeping_focus } from "./dom.js";
import { counted, percent, quoted } from "./words.js";

const kFirst = 20, kLeastConfusion = 0.005, kMostConfusions = 3;

// Renames, merges, forgets: each changes the brain and says what was done.
export async function rename_class(from, to) {
  const { state } = await post(brains.url("rename"), { from, to });
  await brains.refresh(state);
  say(`Renamed ${quoted(from)} to ${quoted(to)}.`);
}

export async function forget_classes(labels) {
  let state = 0;
  for (const label of labels) ({ state } = await post(brains.url("forget"), { label }));
  await brains.refresh(state);
  say(`Forgot ${labels.map(quoted).join(", ")}.`);
}

async function merge_class(from, into) {
  const { state } = await post(brains.url("merge"), { from, into });
  await brains.refresh(state);
  say(`Merged ${quoted(from)} into ${quoted(into)}.`);
}

export async function confirm_merge(from, into = null) {
  const others = brains.class_names().filter((name) => name !== from);
  const answer = await ask_dialog({
    title: `Merge ${quoted(from)}`,
    text: "All examples of it will count as the other class. This cannot be undone.",
    fields: [{ name: "into", label: "Into", options: others.map((name) => [name, name]), value: into ?? others[0] }],
    yes: "Merge", danger: true,
  });
  if (answer !== null) await merge_class(from, answer.into);
}

async function edit(one) {
  const others = brains.class_names().length > 1;
  const action = await choose_dialog({
    title: one.label,
    text: counted(one.examples, "example"),
    actions: [
      { key: "rename", words: "Rename", hint: "Give it another name. Can be undone." },
      ...(others ? [{ key: "merge", words: "Merge", hint: "Make it part of another class. Cannot be undone." },
        { key: "forget", words: "Forget", hint: "Remove it from the brain. Cannot be undone.", danger: true }] : []),
    ],
  });
  if (action === "rename") {
    const answer = await ask_dialog({ title: `Rename ${quoted(one.label)}`, fields: [{ name: "to", label: "New name", value: one.label, most: 256 }], yes: "Rename" });
    if (answer !== null && answer.to !== one.label) await rename_class(one.label, answer.to);
  } else if (action === "merge") {
    await confirm_merge(one.label);
  } else if (action === "forget") {
    const answer = await ask_dialog({ title: `Forget ${quoted(one.label)}?`, yes: "Forget", danger: true,
      text: `What the brain learned from its ${counted(one.examples, "example")} is removed. This cannot be undone: only teaching it again brings it back.` });
    if (answer !== null) await forget_classes([one.label]);
  }
}

const kOrders = {
  name: (a, b) => a.label.localeCompare(b.label, "en", { numeric: true }),
  accuracy: (a, b) => (a.accuracy ?? 2) - (b.accuracy ?? 2),
  examples: (a, b) => a.examples - b.examples,
};

function accuracy_bar(one) {
  if (typeof one.accuracy !== "number") return h("span", { class: "muted" }, "not estimated");
  const fill = h("span", { class: "bar-fill" });
  fill.style.width = `${100 * one.accuracy}%`;
  const error = typeof one.error === "number" ? ` \u00b1 ${Math.round(100 * one.error)}` : "";
  return [h("span", { class: "bar-track", "aria-hidden": "true" }, fill), h("span", { class: "bar-value" }, `${Math.round(100 * one.accuracy)}${error} %`)];
}

function remarks(one) {
  const confused = one.confusions.filter((c) => c.share >= kLeastConfusion).slice(0, kMostConfusions);
  const lines = [];
  if (confused.length > 0) lines.push(`confused with ${confused.map((c) => `${quoted(c.with)} ${percent(c.share)}`).join(", ")}`);
  if (one.more_would_help) lines.push(`more examples would help: ${percent(one.with_twice)} with twice as many`);
  return lines.join("; ");
}

export function class_list() {
  const order = $("class-order"), filter = $("class-filter");
  let review = null, all_shown = false;

  function draw() {
    const info = brains.info;
    if (info === null) return;
    const reviewed = new Map((review?.classes ?? []).map((c) => [c.label, c]));
    const wanted = filter.value.trim().toLocaleLowerCase();
    const all = info.classes.map((c) => ({ ...c, confusions: [], ...reviewed.get(c.label), accuracy: reviewed.get(c.label)?.expected_accuracy ?? c.expected_accuracy,
      error: reviewed.get(c.label)?.standard_error }));
    const shown = all.filter((c) => c.label.toLocaleLowerCase().includes(wanted)).sort((a, b) => kOrders[order.value](a, b) || kOrders.name(a, b));
    $("class-tools").hidden = all.length < 6;
    $("class-none").hidden = all.length > 0;
    show_keeping_focus($("classes"), shown.slice(0, all_shown ? shown.length : kFirst).map((one) => {
      const button = h("button", { type: "button", class: "quiet", "data-key": one.label, "aria-label": `Edit ${one.label}`, onclick: () => attempt(() => edit(one)) }, "Edit");
      const note = remarks(one);
      return h("li", { class: "class" }, h("span", { class: "class-name" }, h("b", {}, one.label), one.recent && h("span", { class: "badge", title: "Its examples are kept until the brain sleeps" }, "recent")),
        h("span", { class: "class-examples" }, counted(one.examples, "example")), h("span", { class: "class-accuracy" }, accuracy_bar(one)),
        info.read_only ? null : button, note !== "" && h("span", { class: "class-note" }, note));
    }), $("classes-title"));
    $("class-more").hidden = all_shown || shown.length <= kFirst;
    $("class-more").textContent = `Show all ${shown.length.toLocaleString("en")}`;
  }
  $("class-more").addEventListener("click", () => {
    all_shown = true;
    draw();
    $("classes").children[kFirst].querySelector("button")?.focus();
  });
  order.addEventListener("change", draw);
  filter.addEventListener("input", draw);
  return {
    reset() {
      all_shown = false;
      filter.value = "";
    },
    draw(new_review) {
      review = new_review;
      draw();
    },
  };
}
