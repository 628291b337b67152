// The tab that teaches classes.
import { post } from "./api.js";
import { brains } from "./brains.js";
import { camera_source } from "./camera_source.js";
import { ask_dialog } from "./dialogs.js";
import { $, attempt, busy, h, say, show, show_keeping_focus, silence } from "./dom.js";
import { discard, kinds_of_input, requests_of } from "./items.js";
import { file_source, microphone_source, row_source, source_chooser, text_source } from "./sources.js";
import { Tiles } from "./tiles.js";
import { counted, duration, grouped, listed, phase_words, quoted, time_left } from "./words.js";

const kTiles = 120;

// Sends the examples, as few requests as possible one after the other. Returns what was learned, all requests together.
// before(i, n) is called before a request, after(request, result) after it.
export async function learn(items, label_of, { query = {}, before = () => {}, after = () => {}, signal = null } = {}) {
  const requests = requests_of(items, label_of);
  const sum = { examples: 0, new_classes: [], known_classes: [], suspects: [], unreadable: [], seconds: 0, sleep_due: "", state: 0 };
  for (const [i, one] of requests.entries()) {
    before(i, requests.length);
    const result = await post(brains.url("learn", { ...query, ...one.query }), one.body, { headers: one.headers, signal });
    sum.examples += result.examples;
    for (const name of result.new_classes) if (!sum.new_classes.includes(name)) sum.new_classes.push(name);
    for (const name of result.known_classes)
      if (!sum.known_classes.includes(name) && !sum.new_classes.includes(name)) sum.known_classes.push(name);
    sum.suspects.push(...result.suspects.map((s) => ({ ...s, item: one.owners[s.row] })));
    sum.unreadable.push(...(result.unreadable ?? []));
    sum.seconds += (result.learn_seconds ?? 0) + (result.write_seconds ?? 0);
    sum.state = result.state;
    sum.sleep_due = result.sleep_due ?? "";
    after(one, result);
  }
  return sum;
}

export function learned_words(sum) {
  const parts = [];
  if (sum.new_classes.length > 0) parts.push(`new ${sum.new_classes.length === 1 ? "class" : "classes"}: ${listed(sum.new_classes)}`);
  if (sum.known_classes.length > 0) parts.push(`taught again: ${listed(sum.known_classes)}`);
  let words = `Learned ${counted(sum.examples, "example")} in ${duration(sum.seconds)}; ${parts.join("; ")}.`;
  if (sum.unreadable.length > 0)
    words += ` ${counted(sum.unreadable.length, "input")} could not be read: ${sum.unreadable.slice(0, 3).map((u) => `${u.input}: ${u.reason}`).join("; ")}.`;
  if (sum.sleep_due) words += " Sleep is due.";
  return words;
}

export function teach_tab(panel) {
  let items = [], working = null;
  const checked = new Map();  // item -> answers of its rows
  const tiles = new Tiles("Examples to teach", (one) => {
    items = items.filter((other) => other !== one);
    discard(one);
    draw();
  });
  const take = (more) => {
    silence();
    items.push(...more);
    draw();
  };
  const chooser = source_chooser($("teach-sources"), [
    file_source({ take, panel, with_folders: true }), camera_source({ take }), microphone_source({ take }),
    text_source({ take, verb: "Add", several: true }), row_source({ take, verb: "Add" }),
  ], "Where the examples come from");

  const name = $("class-name"), list = $("class-names"), check = $("check"), teach = $("teach-now"), cancel = $("teach-cancel");
  const label_of = (one) => one.label ?? name.value.trim();
  $("tray-tiles").append(tiles.element);

  function draw() {
    tiles.update(items, kTiles);
    const unnamed = items.filter((one) => one.label === null), named = grouped(items.filter((one) => one.label !== null), (one) => one.label);
    const rows = items.reduce((sum, one) => sum + (one.count ?? 1), 0);
    $("tray-empty").hidden = items.length > 0;
    $("tray-full").hidden = items.length === 0;
    $("tray-count").textContent = items.length === 0 ? "" : counted(rows, "example") + (items.length > kTiles ? `, the first ${kTiles} are shown` : "");
    $("name-field").hidden = unnamed.length === 0;
    show_keeping_focus($("tray-labels"), [...named].map(([label, some]) =>
      h("li", {}, h("button", { type: "button", class: "chip", "data-key": label, "aria-label": `Rename ${label}, ${counted(some.length, "example")}`,
        onclick: () => attempt(() => rename(label, some)) }, h("b", {}, label), ` ${some.length}`, h("span", { "aria-hidden": "true" }, "\u270e")))), name);
    $("tray-labels").hidden = named.size === 0;
    const odd = items.filter((one) => one.suspect);
    $("drop-odd").hidden = odd.length === 0;
    $("drop-odd").textContent = `Remove the ${counted(odd.length, "odd example")}`;
    check.hidden = brains.class_names().length < 2;  // nothing to compare with
    teach.textContent = items.length === 0 ? "Teach" : `Teach ${counted(rows, "example")}`;
    draw_check();
  }

  // Folders are not always called like the class in them.
  async function rename(label, some) {
    const answer = await ask_dialog({ title: `Name of the class of ${counted(some.length, "example")}`, yes: "Rename",
      fields: [{ name: "label", label: "Name", value: label, most: 256, list: "class-names" }] });
    if (answer === null) return;
    for (const one of some) one.label = answer.label;
    draw();
  }

  // What the check found of the examples that are still there.
  function draw_check() {
    const found = items.filter((one) => checked.has(one));
    const lines = [];
    for (const [label, some] of grouped(found, label_of)) {
      const answers = some.flatMap((one) => checked.get(one)), odd = some.filter((one) => one.suspect).length;
      const known = brains.class_names().includes(label), unknown = answers.filter((a) => a.unknown).length;
      const others = grouped(answers.filter((a) => !a.unknown), (a) => a.label);
      if (answers.length === 0) continue;
      const likely = [...others].sort((a, b) => b[1].length - a[1].length).slice(0, 3)
        .map(([other, list]) => `${list.length} ${list.length === 1 ? "looks" : "look"} like ${quoted(other)}`);
      if (unknown > 0) likely.push(`${unknown} ${unknown === 1 ? "is" : "are"} unknown`);
      lines.push(`${quoted(label)} is ${known ? "a known class" : "a new class"}. Of ${counted(answers.length, "example")}, ${likely.join(", ")}.` + (odd > 0 ? ` ${odd} look${odd === 1 ? "s" : ""} odd: probably of another class.` : ""));
    }
    show($("check-result"), lines.map((line) => h("p", {}, line)));
  }

  function require_names() {
    if (items.length === 0) throw new Error("add examples first");
    if (items.every((one) => one.label !== null) || name.value.trim() !== "") return;
    name.focus();
    throw new Error("name the class of these examples first");
  }

  function progress(words, value = null) {
    $("teach-progress").hidden = words === null;
    $("teach-progress-text").textContent = words ?? "";
    if (value === null) $("teach-bar").removeAttribute("value");
    else $("teach-bar").value = value;
  }
  const step = (words) => (i, n) => progress(n > 1 ? `${words} (request ${i + 1} of ${n})` : words);

  brains.on("progress", (p) => {
    if (working === null || p.work !== "learn") return;
    progress(`${phase_words(p.phase)}: ${p.done} of ${p.total}${time_left(p.seconds_left)}`, p.total > 0 ? p.done / p.total : null);
  });

  async function working_on(button, words, work) {
    await busy(button, async () => {
      require_names();
      silence();
      working = new AbortController();
      cancel.hidden = false;
      progress(words);
      try {
        await work(working.signal);
      } catch (error) {
        if (error.name !== "AbortError") throw error;
        say("Cancelled.");
      } finally {
        working = null;
        cancel.hidden = true;
        progress(null);
      }
    });
  }

  check.addEventListener("click", () => working_on(check, "Asking the brain", async (signal) => {
    checked.clear();
    for (const one of items) one.answer = one.suspect = null;
    const unreadable = [];
    await learn(items, label_of, { query: { dry_run: 1 }, signal, before: step("Asking the brain"), after: (request, result) => {
      for (const one of request.items) checked.set(one, []);
      for (const answer of result.answers) {
        const one = request.owners[answer.row];
        one.answer ??= answer;
        checked.get(one)?.push(answer);
      }
      for (const suspect of result.suspects) request.owners[suspect.row].suspect = suspect;
      unreadable.push(...(result.unreadable ?? []));
    } });
    draw();
    const odd = items.filter((one) => one.suspect).length;
    say(`Checked ${counted(items.length, "example")}: ${odd === 0 ? "none looks odd" : `${odd} look${odd === 1 ? "s" : ""} odd`}.` +
      (unreadable.length > 0 ? ` Not readable: ${unreadable.map((u) => u.input).slice(0, 5).join(", ")}.` : ""));
  }));

  teach.addEventListener("click", () => working_on(teach, "Sending the examples", async (signal) => {
    let learned = 0;
    const sum = await learn(items, label_of, { signal, before: step("Sending the examples"), after: (request, result) => {
      learned += result.examples;
      items = items.filter((one) => !request.items.includes(one));  // those of a later request stay if it fails
      request.items.forEach(discard);
      draw();
    } }).catch((error) => {
      if (learned === 0) throw error;
      const what = error.name === "AbortError" ? "Cancelled" : error.message;
      throw new Error(`${what}; ${counted(learned, "example was", "examples were")} learned before, the others are still here.`);
    });
    name.value = "";
    checked.clear();
    draw();
    await brains.refresh(sum.state);
    say(learned_words(sum) + (brains.class_names().length === 1 ? " Teach a second class, so that it has something to choose from." : ""));
  }));

  cancel.addEventListener("click", () => working?.abort());
  $("drop-odd").addEventListener("click", () => {
    items.filter((one) => one.suspect).forEach(discard);
    items = items.filter((one) => !one.suspect);
    draw();
    check.focus();
  });
  $("drop-all").addEventListener("click", () => {
    items.forEach(discard);
    items = [];
    draw();
  });
  name.addEventListener("change", draw_check);
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") teach.click();
  });

  return {
    update() {
      const info = brains.info;
      $("teach-read-only").hidden = !info?.read_only;
      $("teach-work").hidden = info === null || info.read_only;
      if (info === null) return;
      chooser.update(kinds_of_input(info.input));
      check.hidden = info.classes.length < 2;
      show(list, brains.class_names().map((label) => h("option", { value: label })));
    },
    reset() {
      items.forEach(discard);
      items = [];
      checked.clear();
      draw();
    },
    leave: chooser.leave,
  };
}
