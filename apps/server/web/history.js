// The history of the brain, with undo where the brain can.
import { brains } from "./brains.js";
import { forget_classes, rename_class } from "./class_list.js";
import { ask_dialog } from "./dialogs.js";
import { $, attempt, h, show_keeping_focus } from "./dom.js";
import { counted, listed, quoted, when } from "./words.js";

const kMost = 50;
const kArrow = " -> ";

// The two names of a rename; names may contain the arrow themselves.
function renamed(entry, names) {
  for (let at = entry.detail.indexOf(kArrow); at >= 0; at = entry.detail.indexOf(kArrow, at + 1)) {
    const from = entry.detail.slice(0, at), to = entry.detail.slice(at + kArrow.length);
    if (names.includes(to) && !names.includes(from)) return { from, to };
  }
  return null;
}

function named(detail, word) {
  const at = detail.indexOf(kArrow);
  return at < 0 || detail.indexOf(kArrow, at + 1) >= 0 ? detail : `${quoted(detail.slice(0, at))} ${word} ${quoted(detail.slice(at + kArrow.length))}`;
}

function words(entry) {
  switch (entry.action) {
    case "new": return ["Created", ""];
    case "learn": return ["Learned", [entry.new_classes?.length > 0 && listed(entry.new_classes), entry.known_classes?.length > 0 && `again ${listed(entry.known_classes)}`]
      .filter(Boolean).join("; ") || entry.detail];
    case "sleep": return ["Slept", entry.detail];
    case "rename": return ["Renamed", named(entry.detail, "to")];
    case "merge": return ["Merged", named(entry.detail, "into")];
    case "forget": return ["Forgot", entry.detail];
    default: return [entry.action, entry.detail];
  }
}

// {title, text, work} of an undo, or null.
function undo_of(entry) {
  const names = brains.class_names();
  if (entry.action === "rename") {
    const pair = renamed(entry, names);
    if (pair === null) return null;
    return { title: "Undo the renaming?", text: `${quoted(pair.to)} gets its old name ${quoted(pair.from)} back.`, work: () => rename_class(pair.to, pair.from) };
  }
  const taught = [...new Set(entry.new_classes ?? [])];
  if (entry.action !== "learn" || taught.length === 0 || entry.known_classes?.length > 0 || !taught.every((name) => names.includes(name)) || taught.length >= names.length)
    return null;
  return {
    title: `Forget ${listed(taught)}?`, danger: true,
    text: "Undo forgets the classes of this session, with everything taught of them since. Forgetting cannot be undone.",
    work: () => forget_classes(taught),
  };
}

export function draw_history(history) {
  const entries = [...history].reverse();
  show_keeping_focus($("history"), entries.slice(0, kMost).map((entry) => {
    const [action, detail] = words(entry), undo = brains.info?.read_only ? null : undo_of(entry);
    const button = undo && h("button", { type: "button", class: "quiet", "data-key": String(entry.number), "aria-label": `Undo entry ${entry.number}: ${action} ${detail}`, onclick: () => attempt(async () => {
      if ((await ask_dialog({ title: undo.title, text: undo.text, yes: "Undo", danger: undo.danger })) !== null) await undo.work();
    }) }, "Undo");
    return h("li", { class: "entry" }, h("span", { class: "entry-words" }, h("b", {}, action), detail && ` ${detail}`, entry.examples > 0 && h("span", { class: "muted" }, ` \u00b7 ${counted(entry.examples, "example")}`)),
      h("time", { class: "muted", datetime: entry.time }, when(entry.time)), button);
  }), $("history-title"));
  $("history-more").textContent = entries.length > kMost ? `${entries.length - kMost} older entries are not shown.` : "";
}
