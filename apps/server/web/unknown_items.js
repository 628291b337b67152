// Inputs that the brain was asked and did not know. They are in the memory of this page only.
import { discard, hold } from "./items.js";

const kMost = 300;  // the oldest are dropped

class UnknownItems extends EventTarget {
  items = [];
  dropped = 0;

  add(one) {
    if (this.items.includes(one)) return;
    this.items.push(one);
    hold(one);
    while (this.items.length > kMost) {
      discard(this.items.shift());
      ++this.dropped;
    }
    this.#tell();
  }
  remove(some) {
    this.items.filter((one) => some.includes(one)).forEach(discard);
    this.items = this.items.filter((one) => !some.includes(one));
    this.#tell();
  }
  clear() {
    this.items.forEach(discard);
    this.items = [];
    this.dropped = 0;
    this.#tell();
  }
  #tell() {
    this.dispatchEvent(new Event("change"));
  }
}

export const unknown_items = new UnknownItems();
