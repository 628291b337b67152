// The tab that asks the brain.
import { post } from "./api.js";
import { AnswerView, answer_line } from "./answer_view.js";
import { brains } from "./brains.js";
import { camera_view } from "./camera_source.js";
import { $, busy, complain, h, say, show, show_keeping_focus, silence } from "./dom.js";
import { discard, hold, image_item, kinds_of_input, requests_of } from "./items.js";
import { file_source, microphone_source, row_source, source_chooser, text_source } from "./sources.js";
import { picture } from "./tiles.js";
import { unknown_items } from "./unknown_items.js";
import { counted, duration, quoted } from "./words.js";

const kTop = 5;
const kEarlier = 60;             // answers that stay on the page
const kKeepUnknownEvery = 1000;  // milliseconds between unknown frames that are kept
const kAnnounceEvery = 2500;     // milliseconds between live answers that are read aloud
const kRateTime = 3000;          // milliseconds over which answers are counted
const kRetry = 1000;

export function ask_tab(panel) {
  const view = new AnswerView();
  let earlier = [];  // [{item, answer, settings, key, line}], newest first
  let shown = null;  // one of them, or null: nothing or the camera
  let live = null;   // stops the loop over camera frames
  let asked_so_far = 0;

  const confidence = () => ($("sets-on").checked ? Number($("confidence").value) / 100 : null);
  const query = () => {
    const c = confidence();
    return { ...(c === null ? { top: kTop } : { confidence: `${Math.round(100 * c)}%` }),
      explain: brains.info?.learner === "fearnet" ? 1 : null };
  };
  const settings = () => ({ threshold: brains.threshold(), confidence: confidence() });
  const key = () => JSON.stringify([query(), brains.info?.state]);  // an answer of another key is out of date

  function show_answer(item, answer, asked_with) {
    $("answer-empty").hidden = true;
    $("answer-card").hidden = false;
    view.update(answer, asked_with);
    show($("answer-picture"), item === null ? [] : picture(item));
  }
  function show_entry(entry) {
    shown = entry;
    show_answer(entry.item, entry.answer, entry.settings);
  }

  // Asks an earlier question again: with other settings, or after the brain has changed.
  async function ask_again(entry) {
    const asked = { settings: settings(), key: key() };
    const [request] = requests_of([entry.item]);
    const result = await post(brains.url("predict", { ...query(), ...request.query }), request.body, { headers: request.headers });
    const answer = result.answers.find((a) => !(entry.item.count > 1) || a.row === entry.answer.row);
    if (answer === undefined) return;
    Object.assign(entry, asked, { answer, line: line_of(entry.item, answer) });
    draw_earlier();
    show_entry(entry);
  }
  const line_of = (item, answer) => {
    const one = item.count > 1 ? `row ${answer.row + 1}` : item.name;
    return answer.unknown ? `${one}; nearest class: ${quoted(answer.label)}` : one;
  };

  function draw_earlier() {
    $("earlier").hidden = earlier.length < 2;
    show_keeping_focus($("earlier-list"), earlier.map((entry) => {
      const button = h("button", { type: "button", class: entry.answer.unknown ? "row-button unknown" : "row-button", "data-key": String(entry.number),
        onclick: () => (entry.key === key() ? show_entry(entry) : busy(button, () => ask_again(entry))) }, picture(entry.item),
        h("span", { class: "row-words" }, h("b", {}, entry.answer.unknown ? "Unknown" : entry.answer.label), h("span", {}, entry.line)));
      return h("li", {}, button);
    }), $("tab-ask"));
  }

  async function ask(items) {
    silence();
    const unreadable = [], answers = [], asked = { settings: settings(), key: key() };
    for (const request of requests_of(items)) {
      const result = await post(brains.url("predict", { ...query(), ...request.query }), request.body, { headers: request.headers });
      unreadable.push(...(result.unreadable ?? []));
      for (const answer of result.answers) answers.push({ item: request.owners[answer.row], answer });
    }
    for (const { item, answer } of answers) {
      earlier.unshift({ item, answer, ...asked, number: ++asked_so_far, line: line_of(item, answer) });
      hold(item);
      if (answer.unknown && !(item.count > 1)) unknown_items.add(item);
    }
    for (const old of earlier.splice(kEarlier)) discard(old.item);
    draw_earlier();
    if (answers.length > 0) show_entry(earlier[0]);
    const bad = unreadable.map((u) => `${u.input ?? "the input"}: ${u.reason}`).slice(0, 3).join("; ");
    const unknown = answers.filter(({ answer }) => answer.unknown).length;
    if (answers.length === 0 && bad !== "") throw new Error(bad);
    $("live-answer").textContent = answers.length === 1 ? `Answer: ${answer_line(answers[0].answer)}.`
      : `${counted(answers.length, "answer")}, ${unknown} unknown.`;
    if (bad !== "") say(`Not readable: ${bad}.`);
  }

  // One request at a time; the next frame is compressed meanwhile.
  async function ask_live(camera, stopped) {
    let kept = 0, said = 0, said_line = "", times = [], next = null;
    while (!stopped.aborted) {
      try {
        const frame = await (next ?? camera.frame());
        next = camera.frame();
        next.catch(() => {});  // reported when it is awaited
        const start = performance.now();
        const result = await post(brains.url("predict", query()), frame, { headers: { "Content-Type": "image/jpeg" }, signal: stopped });
        if (stopped.aborted) return;
        const now = performance.now(), answer = result.answers[0];
        if (answer === undefined) throw new Error(result.unreadable?.[0]?.reason ?? "no answer");
        times = [...times, now].filter((time, i, all) => now - time < kRateTime || i >= all.length - 2);
        shown = null;
        show_answer(null, answer, settings());
        const rate = times.length < 2 ? 0 : (1000 * (times.length - 1)) / (now - times[0]);
        $("rate").textContent = `${rate.toFixed(rate < 9.95 ? 1 : 0)} answers a second, ${duration((now - start) / 1000)} each`;
        if (answer.unknown && now - kept > kKeepUnknownEvery) {
          kept = now;
          const item = image_item(frame, `camera ${new Date().toISOString().slice(11, 19).replaceAll(":", "-")}.jpg`);
          item.answer = answer;
          unknown_items.add(item);
        }
        const line = answer.unknown ? "unknown" : answer.label;
        if (line !== said_line && now - said > kAnnounceEvery) {
          said = now;
          said_line = line;
          $("live-answer").textContent = line;
        }
      } catch (error) {
        if (stopped.aborted) return;
        complain(error);
        next = null;
        await new Promise((resolve) => setTimeout(resolve, kRetry));
      }
    }
  }

  const camera = camera_view({
    started: () => {
      silence();
      live = new AbortController();
      $("rate").hidden = false;
      ask_live(camera.camera, live.signal);
    },
    stopped: () => {
      live?.abort();
      live = null;
      $("rate").hidden = true;
      $("rate").textContent = $("live-answer").textContent = "";
    },
  });
  const camera_tab = { key: "camera", title: "Camera", fits: (kinds) => kinds.includes("image"), element: camera.element, update() {}, leave: camera.stop };
  const chooser = source_chooser($("ask-sources"), [
    file_source({ take: ask, panel, with_folders: false }), camera_tab, microphone_source({ take: ask }),
    text_source({ take: ask, verb: "Ask", several: false }), row_source({ take: ask, verb: "Ask" }),
  ], "What to ask with");
  $("answer-view").append(view.element);

  const reflect = () => {
    $("confidence-row").hidden = !$("sets-on").checked;
    $("confidence-value").textContent = `${$("confidence").value} %`;
  };
  $("sets-on").addEventListener("change", reflect);
  $("confidence").addEventListener("input", reflect);
  for (const input of [$("sets-on"), $("confidence")])
    input.addEventListener("change", () => {  // the answer shown is asked again
      if (live === null && shown !== null) busy(input, () => ask_again(shown));
    });
  reflect();

  return {
    update() {
      const info = brains.info;
      $("ask-work").hidden = info === null;
      if (info === null) return;
      $("ask-untaught").hidden = info.classes.length > 0;
      chooser.update(kinds_of_input(info.input));
    },
    reset() {
      camera.stop();
      for (const { item } of earlier) discard(item);
      earlier = [];
      shown = null;
      draw_earlier();
      view.clear();
      $("answer-card").hidden = true;
      $("answer-empty").hidden = false;
    },
    leave: chooser.leave,
  };
}
