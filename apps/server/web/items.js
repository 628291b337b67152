// Examples and questions: photographs, sounds, texts and rows, and the requests that carry them.
import { prepared } from "./pictures.js";

const kMostBytes = 30_000_000;  // of one request; the server takes 32 MB unless --max-body says otherwise
const kMostAtOnce = 4;          // photographs that are made smaller at the same time

const kEndings = {
  image: /\.(jpe?g|png|webp|jfif)$/i,
  sound: /\.(wav|flac|mp3|ogg|oga|opus)$/i,
  text: /\.(txt|tsv)$/i,
  rows: /\.npy$/i,
};

export function kind_of_file(file) {
  for (const [kind, ending] of Object.entries(kEndings)) if (ending.test(file.name)) return kind;
  if (file.type.startsWith("image/")) return "image";
  if (file.type.startsWith("audio/")) return "sound";
  return file.type === "text/plain" ? "text" : null;
}

// What a brain takes, by the "input" of its info.
export const kinds_of_input = (input) => (input === "unknown" || input === undefined ? Object.keys(kEndings) : [input]);

// The file dialog's filter.
export const accepted = (kinds) =>
  kinds.map((k) => ({ image: "image/jpeg,image/png,image/webp,.jpg,.jpeg,.png,.webp", sound: "audio/*,.wav,.flac,.mp3,.ogg",
    text: ".txt,.tsv,text/plain", rows: ".npy" })[k]).join(",");

let next_id = 0;
const item = (kind, name, more) => ({ id: ++next_id, kind, name, label: null, answer: null, suspect: null, ...more });

export const text_item = (text, label = null) => item("text", text.length > 40 ? `${text.slice(0, 39)}\u2026` : text, { text, label });
export const row_item = (row) => item("rows", `${row.length} numbers`, { row, count: 1 });
export const sound_item = (blob, name, label = null) => item("sound", name, { blob, url: URL.createObjectURL(blob), label });
export const image_item = (blob, name, label = null, thumbnail = blob) =>
  item("image", name, { blob, url: thumbnail === null ? null : URL.createObjectURL(thumbnail), label });

// An item may be in two lists, such as the answers and the unknowns. Its picture goes when the last of them discards it.
export function hold(one) {
  one.holders = (one.holders ?? 0) + 1;
}

export function discard(one) {
  one.holders = (one.holders ?? 1) - 1;
  if (one.holders <= 0 && one.url) URL.revokeObjectURL(one.url);
}

// One text per line; "label<TAB>text" names the class of a text.
export function texts_of(text, one_per_line = true) {
  if (!one_per_line) return text.trim() === "" ? [] : [text_item(text.trim())];
  return text.split(/\r?\n/).filter((line) => line.trim() !== "").map((line) => {
    const tab = line.indexOf("\t");
    return tab > 0 && line.slice(tab + 1).trim() !== "" ? text_item(line.slice(tab + 1).trim(), line.slice(0, tab).trim())
                                                        : text_item(line.trim());
  });
}

// One row per line, numbers separated by commas, semicolons, tabs or spaces.
export function rows_of(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return lines.map((line, i) => {
    const row = line.trim().split(/[\s,;]+/).filter((field) => field !== "").map(Number);
    const bad = row.findIndex((number) => !Number.isFinite(number));
    if (bad >= 0) throw new Error(`line ${i + 1}: field ${bad + 1} is not a number`);
    return row_item(row);
  });
}

// The shape in the header of a .npy file.
async function matrix_item(file, label) {
  const head = new TextDecoder("latin1").decode(await file.slice(0, 1024).arrayBuffer());
  const shape = /'shape': \((\d+),(?: ?(\d+))?/.exec(head);
  if (!head.startsWith("\x93NUMPY") || shape === null) throw new Error(`${file.name} is not a .npy file`);
  return item("rows", file.name, { blob: file, count: Number(shape[1]), label });
}

async function items_of_file({ file, label }) {
  const kind = kind_of_file(file);
  if (kind === "text") return texts_of(await file.text()).map((one) => ({ ...one, label: one.label ?? label }));
  if (kind === "rows") return [await matrix_item(file, label)];
  if (kind === "sound") return [sound_item(file, file.name, label)];
  const { blob, thumbnail } = await prepared(file);
  return [image_item(blob, file.name, label, thumbnail)];
}

// {items, refused}: files that are not of the kinds are refused by name. Photographs are made smaller, a few at a time.
export async function items_of_files(files, kinds, progress = () => {}) {
  const taken = files.filter(({ file }) => kinds.includes(kind_of_file(file)));
  const refused = files.filter(({ file }) => !kinds.includes(kind_of_file(file))).map(({ file }) => file.name);
  const results = new Array(taken.length);
  let next = 0, done = 0;
  await Promise.all(Array.from({ length: kMostAtOnce }, async () => {
    while (next < taken.length) {
      const at = next++;
      results[at] = await items_of_file(taken[at]);
      progress(++done, taken.length);
    }
  }));
  return { items: results.flat(), refused };
}

// The weight of an item in a request: its bytes and those around it.
const weight = (one) => 400 + (one.blob ? one.blob.size : one.text ? 3 * one.text.length : 16 * one.row.length);

function multipart(items, labels) {
  const form = new FormData();
  items.forEach((one, i) => {
    form.append("file", one.blob, one.name);
    if (labels) form.append("label", labels[i]);
  });
  return { body: form };
}

function json(items, labels) {
  const content = items[0].kind === "text" ? { texts: items.map((o) => o.text) } : { rows: items.map((o) => o.row) };
  return { body: JSON.stringify(labels ? { ...content, labels } : content), headers: { "Content-Type": "application/json" } };
}

// The requests that carry items of one kind, in an order that keeps classes together. Each has {items, body, headers, query}
// and owners: the item of every row of its answer. label_of(item) is the class, or label_of is null for questions.
export function requests_of(items, label_of = null) {
  const kinds = new Set(items.map((one) => one.kind));
  if (kinds.size > 1) throw new Error(`these are ${[...kinds].join(" and ")}; a brain takes one kind of input`);
  const order = label_of === null ? items : [...items].sort((a, b) => (label_of(a) < label_of(b) ? -1 : label_of(a) > label_of(b) ? 1 : 0));
  const packed = [];
  for (const one of order.filter((o) => !(o.kind === "rows" && o.blob))) {
    const last = packed.at(-1);
    if (last !== undefined && last.weight + weight(one) <= kMostBytes) {
      last.items.push(one);
      last.weight += weight(one);
    } else {
      packed.push({ items: [one], weight: weight(one) });
    }
  }
  const requests = packed.map(({ items: some }) => {
    const labels = label_of === null ? null : some.map(label_of);
    return { items: some, owners: some, query: {}, ...(some[0].blob ? multipart(some, labels) : json(some, labels)) };
  });
  for (const one of order.filter((o) => o.kind === "rows" && o.blob))
    requests.push({ items: [one], owners: Array(one.count).fill(one), query: label_of === null ? {} : { label: label_of(one) },
      body: one.blob, headers: { "Content-Type": "application/x-npy" } });
  return requests;
}
