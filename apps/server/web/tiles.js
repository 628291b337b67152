// Small pictures of examples, each with a button that removes it.
import { h } from "./dom.js";
import { quoted, short_percent } from "./words.js";

function content(one) {
  if (one.kind === "image") return one.url === null ? h("span", { class: "glyph" }, one.name) : h("img", { src: one.url, alt: one.name });
  if (one.kind === "sound") return h("span", { class: "glyph sound" }, h("audio", { src: one.url, controls: true, preload: "metadata", "aria-label": one.name }), h("span", {}, one.name));
  if (one.kind === "text") return h("span", { class: "glyph text" }, one.text.length > 140 ? `${one.text.slice(0, 139)}\u2026` : one.text);
  return h("span", { class: "glyph text" }, one.row ? `${one.row.slice(0, 6).map((x) => Number(x.toPrecision(4))).join(", ")}${one.row.length > 6 ? ", \u2026" : ""}` : `${one.name}: ${one.count} rows`);
}

// A picture of an item, without a button.
export const picture = (one) => h("span", { class: `picture ${one.kind}` }, content(one));

// What the brain says of an example.
function note_of(one) {
  if (one.suspect) return `odd: looks like ${quoted(one.suspect.looks_like)}`;
  if (!one.answer) return "";
  if (one.answer.unknown) return "unknown";
  const best = one.answer.classes[0];
  return best === undefined ? quoted(one.answer.label) : `${best.label} ${short_percent(best.probability)}`;
}

export class Tiles {
  #list;
  #tiles = new Map();  // item -> {element, note}
  #removed;

  // removed(item) is called when the user removes an item; it must discard the item.
  constructor(label, removed) {
    this.#list = h("ul", { class: "tiles", "aria-label": label });
    this.#removed = removed;
  }
  get element() {
    return this.#list;
  }

  #make(one) {
    const note = h("span", { class: "note" });
    const remove = h("button", { type: "button", class: "remove", "aria-label": `Remove ${one.name}`, onclick: () => this.#remove(one) }, "\u00d7");
    return { element: h("li", { class: `tile ${one.kind}`, title: one.name }, content(one), note, remove), note };
  }
  #remove(one) {
    const buttons = [...this.#list.querySelectorAll(".remove")];
    const at = buttons.indexOf(this.#tiles.get(one).element.querySelector(".remove"));
    const next = buttons[at + 1] ?? buttons[at - 1];
    this.#removed(one);
    next?.focus();
  }

  // Shows these items, at most `most` of them.
  update(items, most = 200) {
    const shown = items.slice(0, most);
    for (const [one, tile] of this.#tiles)
      if (!shown.includes(one)) {
        tile.element.remove();
        this.#tiles.delete(one);
      }
    shown.forEach((one, i) => {
      if (!this.#tiles.has(one)) this.#tiles.set(one, this.#make(one));
      const { element, note } = this.#tiles.get(one);
      note.textContent = note_of(one);
      element.classList.toggle("odd", Boolean(one.suspect));
      if (this.#list.children[i] !== element) this.#list.insertBefore(element, this.#list.children[i] ?? null);
    });
  }
}
