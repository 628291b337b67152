// The camera as a source of examples: a burst of frames, or as long as a button is held.
import { Camera, several_cameras } from "./camera.js";
import { busy, complain, h } from "./dom.js";
import { image_item } from "./items.js";

const kBurst = 12, kBurstTime = 3000, kHeldPause = 200;  // frames, milliseconds

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The live picture with its start button; extra buttons are enabled while it runs.
export function camera_view({ started = () => {}, stopped = () => {}, extra = [] }) {
  const video = h("video", { playsinline: true, "aria-label": "Live picture of the camera" });
  video.muted = true;
  const camera = new Camera(video);
  const toggle = h("button", { type: "button", onclick: () => busy(toggle, camera.running ? stop : start) }, "Start the camera");
  const turn = h("button", { type: "button", hidden: true, onclick: () => busy(turn, () => camera.turn()) }, "Other camera");
  const stage = h("div", { class: "stage" }, video,
    h("p", { class: "stage-words" }, "The pictures are sent to this FearNet server and nowhere else."));
  const reflect = () => {
    toggle.classList.toggle("primary", !camera.running);
    stage.style.aspectRatio = camera.running ? `${video.videoWidth} / ${video.videoHeight}` : "";
    toggle.textContent = camera.running ? "Stop the camera" : "Start the camera";
    stage.classList.toggle("running", camera.running);
    for (const button of extra) button.disabled = !camera.running;
  };
  async function start() {
    await camera.start();
    reflect();
    turn.hidden = !(await several_cameras());
    started();
  }
  async function stop() {
    camera.stop();
    turn.hidden = true;
    reflect();
    stopped();
  }
  reflect();
  const element = h("div", { class: "camera" }, stage, h("div", { class: "buttons" }, extra, toggle, turn));
  return { camera, element, stage, stop };
}

export function camera_source({ take }) {
  let held = false, number = 0;
  const burst = h("button", { type: "button", class: "primary", onclick: () => busy(burst, take_burst) }, `Take ${kBurst} in 3 seconds`);
  const hold = h("button", { type: "button" }, "Hold to take");
  const view = camera_view({ extra: [burst, hold], stopped: () => (held = false) });

  async function take_one() {
    await take([image_item(await view.camera.frame(), `camera ${++number}.jpg`)]);
    view.stage.classList.remove("flash");
    void view.stage.offsetWidth;  // starts the animation again
    view.stage.classList.add("flash");
  }
  async function take_burst() {
    const start = performance.now();
    for (let i = 0; i < kBurst && view.camera.running; ++i) {
      await pause(start + (kBurstTime * i) / kBurst - performance.now());
      if (view.camera.running) await take_one();
    }
  }
  async function press() {
    if (held || !view.camera.running) return;
    held = true;
    hold.classList.add("recording");
    try {
      while (held && view.camera.running) {
        await take_one();
        await pause(kHeldPause);
      }
    } catch (error) {
      complain(error);
    }
    release();
  }
  const release = () => {
    held = false;
    hold.classList.remove("recording");
  };
  hold.addEventListener("pointerdown", press);
  for (const end of ["pointerup", "pointerleave", "pointercancel", "blur", "keyup"]) hold.addEventListener(end, release);
  hold.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    press();
  });
  hold.addEventListener("contextmenu", (event) => event.preventDefault());
  return { key: "camera", title: "Camera", fits: (kinds) => kinds.includes("image"), element: view.element, update() {}, leave: view.stop };
}
