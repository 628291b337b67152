// Questions in dialogs. Each is a promise: of what the user gave, or of null if the dialog was closed without an answer.
import { h, unique_id } from "./dom.js";

// fields: [{name, label, value, type, options, hint, list, pattern, most, required}]; an options list makes a <select>.
export function ask_dialog({ title, text = [], fields = [], yes, danger = false }) {
  const heading = unique_id("dialog");
  const inputs = {};
  const rows = fields.map((field) => {
    const id = unique_id("field"), hint = field.hint ? `${id}-hint` : null;
    const input = field.options
      ? h("select", { id, "aria-describedby": hint }, field.options.map(([value, words]) => h("option", { value }, words)))
      : h("input", { id, type: field.type ?? "text", required: field.required !== false, autocomplete: "off", maxlength: field.most, pattern: field.pattern, title: field.pattern ? field.hint : null,
          autocapitalize: "off", list: field.list, spellcheck: "false", "aria-describedby": hint });
    if (field.value !== undefined) input.value = field.value;
    inputs[field.name] = input;
    return h("div", { class: "field" }, h("label", { for: id }, field.label), input, hint && h("p", { class: "muted", id: hint }, field.hint));
  });
  return new Promise((resolve) => {
    let answer = null;
    const dialog = h("dialog", { "aria-labelledby": heading });
    const form = h("form", {
      onsubmit: (event) => {
        event.preventDefault();
        answer = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()]));
        dialog.close();
      },
    }, h("h2", { id: heading }, title), [text].flat().map((line) => h("p", {}, line)), rows,
      h("div", { class: "buttons end" }, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: danger ? "danger" : "primary" }, yes)));
    dialog.append(form);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    (rows.length > 0 ? Object.values(inputs)[0] : dialog.querySelector("button")).focus();
  });
}

// A choice between actions: [{key, words, hint, danger}].
export function choose_dialog({ title, text = [], actions }) {
  const heading = unique_id("dialog");
  return new Promise((resolve) => {
    let answer = null;
    const dialog = h("dialog", { "aria-labelledby": heading });
    const pick = (key) => {
      answer = key;
      dialog.close();
    };
    dialog.append(h("h2", { id: heading }, title), ...[text].flat().map((line) => h("p", {}, line)),
      h("div", { class: "choices" }, actions.map(({ key, words, hint, danger }) =>
        h("button", { type: "button", class: danger ? "choice danger-text" : "choice", onclick: () => pick(key) }, h("b", {}, words), h("span", {}, hint)))),
      h("div", { class: "buttons end" }, h("button", { type: "button", onclick: () => dialog.close() }, "Close")));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export async function token_dialog(refused) {
  const answer = await ask_dialog({
    title: "This server needs a token",
    text: refused ? "The server refused this token." : "It is in the file that was given to fearnet serve as --token-file.",
    fields: [{ name: "token", label: "Token", type: "password", hint: "Kept until this browser tab is closed." }],
    yes: "Continue",
  });
  return answer === null ? null : answer.token;
}

export function new_brain_dialog() {
  return ask_dialog({
    title: "New brain",
    fields: [
      { name: "name", label: "Name", hint: "Letters, digits, - and _; the file is called like it.", pattern: "[A-Za-z0-9_\\-][A-Za-z0-9_.\\-]*", most: 64 },
      { name: "features", label: "What it learns from", options: [["", "Whatever is taught first"], ["image", "Photographs"],
        ["sound", "Sounds"], ["text", "English texts"], ["text:ngrams", "Texts in any language"], ["raw", "Rows of numbers"]] },
      { name: "learner", label: "Learner", options: [["", "FearNet plus: fast, in closed form"],
        ["fearnet", "FearNet: neural networks, slower"]] },
    ],
    yes: "Create",
  });
}
