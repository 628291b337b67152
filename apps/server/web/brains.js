// The chosen brain: what the server says of it, kept up to date by its events.
import { brain_url, get } from "./api.js";
import { follow } from "./events.js";

const kMostAccuracies = 500;

// Another brain of the same name was made at another time.
const accuracies_key = (name, info) => `fearnet-accuracy ${name} ${info.history[0]?.time ?? ""}`;

class Brains extends EventTarget {
  list = [];
  loaded = false;  // whether there is a list
  can_create = false;
  name = null;     // of the chosen brain
  info = null;     // GET info of it
  online = true;
  #unfollow = () => {};
  #loading = null;

  on(event, handle) {
    this.addEventListener(event, (e) => handle(e.detail));
  }
  #tell(event, detail) {
    this.dispatchEvent(new CustomEvent(event, { detail }));
  }

  async load_list() {
    const answer = await get("/v1/brains");
    this.list = answer.brains;
    this.loaded = true;
    this.can_create = answer.can_create;
    this.#tell("list");
  }

  async choose(name) {
    this.#unfollow();
    this.name = name;
    this.info = null;
    this.#tell("chosen");
    if (name === null) return;
    this.#unfollow = follow(name, (event, data) => this.#happened(name, event, data), (online) => {
      this.online = online;
      this.#tell("online");
    });
    await this.refresh();
  }

  // Reads the info again unless it is that of this state or a later one; tells "info".
  async refresh(state = Infinity) {
    const name = this.name;
    if (name === null) return;
    while (this.#loading !== null) await this.#loading.catch(() => {});
    if (name !== this.name || (this.info !== null && this.info.state >= state)) return;
    this.#loading = get(brain_url(name, "info"));
    try {
      const info = await this.#loading;
      if (name !== this.name) return;
      this.info = info;
      this.#remember(name, info);
    } finally {
      this.#loading = null;
    }
    this.#tell("info");
  }

  #happened(name, event, data) {
    if (name !== this.name) return;
    if (event === "state" && (this.info !== null || data.action !== "")) this.refresh(data.state < this.info?.state ? Infinity : data.state).catch(() => {});
    if (event === "progress" || event === "done") this.#tell(event, data);
  }

  #remember(name, info) {
    const known = info.classes.map((c) => c.expected_accuracy).filter((a) => typeof a === "number");
    if (known.length === 0) return;
    const accuracy = known.reduce((sum, a) => sum + a, 0) / known.length;
    const before = this.accuracies().filter((a) => a.state < info.state);
    try {
      localStorage.setItem(accuracies_key(name, info), JSON.stringify([...before, { state: info.state, classes: info.classes.length, accuracy }].slice(-kMostAccuracies)));
    } catch {
      // this browser stores nothing: the chart stays empty
    }
  }
  // [{state, classes, accuracy}], oldest first: the expected accuracy after each change that this browser has seen. The brain
  // itself does not record it.
  accuracies() {
    try {
      return JSON.parse(localStorage.getItem(accuracies_key(this.name, this.info))) ?? [];
    } catch {
      return [];
    }
  }

  class_names() {
    return this.info === null ? [] : this.info.classes.map((c) => c.label);
  }
  // The share of taught examples that are at least as strange as a row that is called unknown.
  threshold() {
    return Number(this.info?.options?.["open.unknown"] ?? 0.01);
  }
  url(what, query) {
    return brain_url(this.name, what, query);
  }
}

export const brains = new Brains();
