// The tab about the brain: what it knows, how well, and what to do next.
import { download, get, post } from "./api.js";
import { brains } from "./brains.js";
import { accuracy_chart, class_map, memory_bar } from "./charts.js";
import { class_list, confirm_merge } from "./class_list.js";
import { $, attempt, busy, complain, h, say, show } from "./dom.js";
import { draw_history } from "./history.js";
import { bytes, counted, duration, percent, phase_words, quoted, sentence, time_left } from "./words.js";

const kAdvice = 6;
const kInputWords = { image: "Learns from photographs", sound: "Learns from sounds", text: "Learns from texts",
  rows: "Learns from rows of numbers", unknown: "The first examples decide whether it learns from photographs, sounds, texts or rows of numbers" };

export function brain_tab(panel) {
  const classes = class_list();
  let drawn = null;  // the name and state that are shown
  let points = [];   // of the map

  const tile = (words, value) => h("div", {}, h("dt", {}, words), h("dd", {}, value));

  function draw_summary(info) {
    const accuracy = brains.accuracies().at(-1);
    const recent = info.classes.filter((c) => c.recent).length;
    show($("summary"), tile("Classes", info.classes.length.toLocaleString("en")),
      tile("Examples taught", info.classes.reduce((sum, c) => sum + c.examples, 0).toLocaleString("en")),
      accuracy && info.classes.length > 1 && tile("Expected accuracy", percent(accuracy.accuracy)),
      tile("Consolidated", `${info.classes.length - recent} of ${info.classes.length}`), tile("Memory", bytes(info.memory_total)));
    $("brain-facts").textContent = `${kInputWords[info.input] ?? info.input}${info.front_end ? ` (model ${info.front_end.name})` : ""}. ` +
      `Learner ${info.learner}. The file has ${bytes(info.file_bytes)}.`;
    const recent_words = `${counted(recent, "class is", "classes are")} recent: sleep moves them to the long-term memory and deletes their examples.`;
    $("sleep-words").textContent = recent === 0 ? "Nothing to do: no class is recent."
      : info.sleep_due ? `Due. ${sentence(info.sleep_due)}. ${recent_words}` : `Not due yet. ${recent_words}`;
    $("sleep").hidden = info.read_only;
    $("sleep").classList.toggle("primary", Boolean(info.sleep_due));
    $("sleep-card").classList.toggle("due", Boolean(info.sleep_due));
    $("memory-card").hidden = info.memory_total === 0;
    show($("memory"), memory_bar(info.memory_bytes));
    $("export-onnx").disabled = info.classes.length === 0;
  }

  function draw_advice(info, review) {
    const lines = [];
    for (const pair of review?.maybe_one ?? []) {
      const button = h("button", { type: "button", class: "quiet", onclick: () => attempt(() => confirm_merge(pair.first, pair.second)) }, "Merge");
      lines.push(h("li", {}, h("span", {}, `${quoted(pair.first)} and ${quoted(pair.second)} might be one class: ${percent(pair.confused)} of their rows get the other name.`), !info.read_only && button));
    }
    for (const c of info.classes)
      if (c.predicted?.changed || c.taught_again?.changed)
        lines.push(h("li", {}, `Examples of ${quoted(c.label)} look less familiar than before: teach it again.`));
    const helped = (review?.classes ?? []).filter((c) => c.more_would_help).sort((a, b) => b.with_twice - b.expected_accuracy - (a.with_twice - a.expected_accuracy));
    for (const c of helped)
      lines.push(h("li", {}, `More examples of ${quoted(c.label)} would help: ${percent(c.expected_accuracy)} now, ${percent(c.with_twice)} with twice as many.`));
    $("advice-card").hidden = lines.length === 0;
    show($("advice"), lines.slice(0, kAdvice));
  }

  function draw_map() {
    $("map-card").hidden = points.length < 3;
    if (points.length >= 3) show($("map"), class_map(points, $("map").clientWidth || 480));
  }
  function draw_accuracy() {
    const seen = brains.accuracies();
    $("accuracy-card").hidden = seen.length < 2;
    if (seen.length >= 2) show($("accuracy"), accuracy_chart(seen, $("accuracy").clientWidth || 480));
  }

  async function draw() {
    const info = brains.info, name = brains.name;
    $("brain-work").hidden = info === null;
    if (info === null || panel.hidden || drawn === `${info.state} ${name}`) return;
    drawn = `${info.state} ${name}`;
    points = [];
    draw_summary(info);
    draw_accuracy();
    classes.draw(null);
    try {
      const [review, history, map] = await Promise.all([
        info.classes.length > 0 ? get(brains.url("review")) : null, get(brains.url("history")), get(brains.url("map"))]);
      if (name !== brains.name) return;
      draw_advice(info, review);
      classes.draw(review);
      draw_history(history.history);
      points = map.points;
      draw_map();
    } catch (error) {
      drawn = null;
      complain(error);
    }
  }

  let width = 0;  // of the charts, which are drawn again when it changes
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width || contentRect.width === 0) return;
    width = contentRect.width;
    draw_map();
    draw_accuracy();
  }).observe($("memory"));

  const progress = (words, value = null) => {
    $("sleep-progress").hidden = words === null;
    $("sleep-progress-text").textContent = words ?? "";
    if (value === null) $("sleep-bar").removeAttribute("value");
    else $("sleep-bar").value = value;
  };
  brains.on("progress", (p) => {
    if (p.work === "sleep") progress(`${phase_words(p.phase)}: ${p.done} of ${p.total}${time_left(p.seconds_left)}`, p.total > 0 ? p.done / p.total : null);
  });
  brains.on("done", (d) => {
    if (d.work === "sleep") progress(null);
  });
  let sleeping = null;  // cancels the sleep that this page has begun
  $("sleep").addEventListener("click", () => busy($("sleep"), async () => {
    progress("Consolidating");
    sleeping = new AbortController();
    $("sleep-cancel").hidden = false;
    try {
      const result = await post(brains.url("sleep"), null, { signal: sleeping.signal });
      await brains.refresh(result.state);
      say(result.slept ? `Slept for ${duration(result.seconds)}: the recent classes are in the long-term memory, and their examples are deleted.` : "There was nothing to consolidate.");
    } catch (error) {
      if (error.name !== "AbortError") throw error;
      say("Cancelled.");
    } finally {
      sleeping = null;
      $("sleep-cancel").hidden = true;
      progress(null);
    }
  }));
  $("sleep-cancel").addEventListener("click", () => sleeping?.abort());
  $("snapshot").addEventListener("click", () => busy($("snapshot"), () => download(brains.url("snapshot"), `${brains.name}.brain`)));
  $("export-onnx").addEventListener("click", () => busy($("export-onnx"), () => download(brains.url("export.onnx"), `${brains.name}.onnx`)));

  return {
    update: draw,
    reset() {
      drawn = null;
      classes.reset();
      progress(null);
      for (const id of ["advice-card", "map-card", "accuracy-card"]) $(id).hidden = true;
      show($("classes"));
      show($("history"));
    },
    leave() {},
  };
}
