// Where examples and questions come from: files, a camera, a microphone, a text, rows. One of them is shown at a time.
import { busy, complain, h, show, unique_id } from "./dom.js";
import { files_of_drop, files_of_input } from "./drop.js";
import { accepted, items_of_files, rows_of, sound_item, texts_of } from "./items.js";
import { kCanRecord, record } from "./sound_input.js";
import { duration } from "./words.js";

const kDropWords = { image: "photographs", sound: "sounds", text: "text files", rows: ".npy files" };

function list_words(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

// take(items) receives what the user gave.
export function file_source({ take, panel, with_folders }) {
  let kinds = [];
  const files = h("input", { type: "file", multiple: true, hidden: true, "aria-hidden": "true", tabindex: "-1" });
  const folder = h("input", { type: "file", webkitdirectory: true, multiple: true, hidden: true, "aria-hidden": "true", tabindex: "-1" });
  const words = h("p", { class: "drop-words" }), note = h("p", { class: "muted" });
  const zone = h("div", { class: "drop" }, h("span", { class: "drop-icon", "aria-hidden": "true" }), words,
    h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => files.click() }, "Choose files"),
      with_folders && h("button", { type: "button", onclick: () => folder.click() }, "Choose a folder")),
    with_folders && note, files, with_folders && folder);

  async function add(found) {
    if (found.length === 0) return;
    try {
      const { items, refused } = await items_of_files(found, kinds, (done, total) => {
        words.textContent = total > 8 && done < total ? `Reading ${done} of ${total}\u2026` : idle_words();
      });
      if (items.length > 0) await take(items);
      if (refused.length > 0)
        complain(new Error(`not ${list_words(kinds.map((k) => kDropWords[k]))}: ${refused.slice(0, 3).join(", ")}` +
          (refused.length > 3 ? ` and ${refused.length - 3} more` : "")));
    } catch (error) {
      complain(error);
    }
  }
  const idle_words = () => with_folders ? `Drop ${kinds.length > 1 ? "files" : kDropWords[kinds[0]]} or folders here` : `Drop ${list_words(kinds.map((k) => kDropWords[k]))} here`;

  for (const input of [files, folder])
    input.addEventListener("change", () => {
      const found = files_of_input(input);
      input.value = "";
      add(found);
    });
  // A drop counts anywhere on the tab.
  panel.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    zone.classList.add("over");
  });
  panel.addEventListener("dragleave", (event) => {
    if (!panel.contains(event.relatedTarget)) zone.classList.remove("over");
  });
  panel.addEventListener("drop", async (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    zone.classList.remove("over");
    add(await files_of_drop(event.dataTransfer).catch((error) => (complain(error), [])));
  });
  document.addEventListener("paste", (event) => {
    if (panel.hidden || document.querySelector("dialog[open]") || event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add([...event.clipboardData.files].map((file) => ({ file, label: null })));
  });
  return {
    key: "files", title: "Files", fits: (some) => some.length > 0, element: zone, leave() {},
    update(some) {
      kinds = some;
      files.accept = accepted(kinds);
      words.textContent = idle_words();
      note.textContent = `${kinds.length > 1 ? `Files are ${list_words(kinds.map((k) => kDropWords[k]))}. ` : ""}` +
        `${kinds.includes("text") ? "A text file has one text per line. " : ""}A folder is a class of its name; a folder of folders is several classes.`;
    },
  };
}

export function text_source({ take, verb, several }) {
  const id = unique_id("text"), lines = h("input", { type: "checkbox", checked: true });
  const area = h("textarea", { id, rows: "5", spellcheck: "true" });
  const button = h("button", { type: "button", class: verb === "Ask" ? "primary" : "", onclick: () => busy(button, add) }, verb);
  async function add() {
    const items = texts_of(area.value, several && lines.checked);
    if (items.length === 0) throw new Error("write or paste a text first");
    await take(items);
    if (several) area.value = "";
    area.focus();
  }
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) busy(button, add);
  });
  const element = h("div", { class: "write" }, h("label", { for: id }, several ? "Texts" : "Text"), area,
    h("div", { class: "buttons" }, button,
      several && h("label", { class: "check" }, lines, " Each line is one example")));
  return { key: "text", title: "Text", fits: (kinds) => kinds.includes("text"), element, update() {}, leave() {} };
}

export function row_source({ take, verb }) {
  const id = unique_id("rows"), hint = `${id}-hint`;
  const area = h("textarea", { id, rows: "5", spellcheck: "false", class: "numbers", "aria-describedby": hint });
  const button = h("button", { type: "button", class: verb === "Ask" ? "primary" : "", onclick: () => busy(button, add) }, verb);
  async function add() {
    const items = rows_of(area.value);
    if (items.length === 0) throw new Error("write the numbers of a row first, separated by commas");
    await take(items);
    area.focus();
  }
  const element = h("div", { class: "write" }, h("label", { for: id }, "Rows of numbers"), area,
    h("p", { class: "muted", id: hint }, "One row per line, numbers separated by commas."), h("div", { class: "buttons" }, button));
  return { key: "rows", title: "Numbers", fits: (kinds) => kinds.includes("rows"), element, update() {}, leave() {} };
}

export function microphone_source({ take }) {
  let recording = null, number = 0;
  const level = h("meter", { hidden: true, min: "0", max: "1", value: "0", "aria-label": "Level of the microphone" });
  const time = h("span", { class: "muted" });
  const button = h("button", { type: "button", class: "primary", onclick: () => busy(button, recording === null ? begin : end) }, "Record");
  async function begin() {
    if (!kCanRecord()) throw new Error("browsers give the microphone only to pages from localhost or by https");
    try {
      recording = await record((peak, seconds) => {
        level.value = peak;
        time.textContent = duration(seconds);
      });
    } catch (error) {
      throw new Error(error.name === "NotAllowedError" ? "the microphone may not be used; allow it in the browser's settings of this page"
        : error.name === "NotFoundError" ? "there is no microphone" : `the microphone does not start: ${error.message}`);
    }
    level.hidden = false;
    button.textContent = "Stop";
    button.classList.add("recording");
  }
  async function end() {
    const { blob, seconds } = await recording.stop();
    recording = null;
    button.textContent = "Record";
    button.classList.remove("recording");
    level.value = 0;
    level.hidden = true;
    time.textContent = "";
    if (seconds < 0.2) throw new Error("the recording is too short");
    await take([sound_item(blob, `recording ${++number}.wav`)]);
  }
  const element = h("div", { class: "microphone" }, h("div", { class: "buttons" }, button, time), level,
    h("p", { class: "muted" }, "The sound is sent to this FearNet server and nowhere else."));
  return {
    key: "microphone", title: "Microphone", fits: (kinds) => kinds.includes("sound"), element, update() {},
    leave() {
      if (recording !== null) busy(button, end);
    },
  };
}

// Shows one of the sources; which ones there are depends on the kinds of input that the brain takes.
export function source_chooser(place, sources, legend) {
  const name = unique_id("source"), panel = h("div", { class: "source" });
  const radios = sources.map((source) => h("input", { type: "radio", name, value: source.key, onchange: () => choose(source) }));
  const labels = sources.map((source, i) => h("label", { class: "segment" }, radios[i], h("span", {}, source.title)));
  const group = h("fieldset", { class: "segments" }, h("legend", { class: "sr" }, legend), labels);
  let current = null, shown_for = "";

  function choose(source) {
    if (current === source) return;
    current?.leave();
    current = source;
    radios[sources.indexOf(source)].checked = true;
    show(panel, source.element);
  }
  show(place, group, panel);
  return {
    update(kinds) {
      const fitting = sources.filter((source) => source.fits(kinds));
      sources.forEach((source, i) => {
        labels[i].hidden = !fitting.includes(source);
        source.update(kinds);
      });
      group.hidden = fitting.length < 2;
      if (kinds.join() === shown_for || fitting.length === 0) return;
      shown_for = kinds.join();
      choose((kinds.length === 1 && fitting.find((source) => source.key === kinds[0])) || fitting[0]);  // texts and rows are written first
    },
    leave: () => current?.leave(),
  };
}
