// Elements without HTML text: names of classes and files are data and only ever become text nodes.

import { sentence } from "./words.js";

const kSvg = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// h("button", {class: "quiet", onclick: f}, "Text", child, [more])
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(kSvg, tag), attributes, children);

export const $ = (id) => document.getElementById(id);

// Replaces what is in an element.
export const show = (element, ...children) =>
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));

let next_id = 0;
export const unique_id = (prefix) => `${prefix}-${++next_id}`;

// Two messages: one read politely, which goes after a while, and one (errors) read at once, which stays.
const kReadingTime = 5000, kTimePerCharacter = 60;  // milliseconds
let leaving = 0;

function message(id, text) {
  $(id).hidden = text === "";
  $(`${id}-text`).textContent = text;
}

export function say(text) {
  message("error", "");
  message("status", text);
  clearTimeout(leaving);
  leaving = setTimeout(() => ($("status").hidden = true), kReadingTime + kTimePerCharacter * text.length);
}

export function complain(error) {
  if (error.name === "AbortError") return;
  message("status", "");
  message("error", sentence(error.message));
}

export function silence() {
  message("status", "");
  message("error", "");
}

// Runs work and shows its error.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    complain(error);
    return undefined;
  }
}

// Replaces a list; if the focus was in it, it goes to the element of the same key, or to the fallback.
export function show_keeping_focus(element, children, fallback) {
  const key = element.contains(document.activeElement) ? document.activeElement.dataset.key ?? "" : null;
  show(element, children);
  if (key === null) return;
  const again = [...element.querySelectorAll("[data-key]")].find((e) => e.dataset.key === key);
  (again ?? fallback).focus();
}

// Runs work that a button starts; the button is busy meanwhile, and an error is shown.
export async function busy(button, work) {
  if (button.getAttribute("aria-disabled") === "true") return undefined;
  button.setAttribute("aria-disabled", "true");
  button.setAttribute("aria-busy", "true");
  try {
    return await work();
  } catch (error) {
    complain(error);
    return undefined;
  } finally {
    button.removeAttribute("aria-disabled");
    button.removeAttribute("aria-busy");
  }
}
