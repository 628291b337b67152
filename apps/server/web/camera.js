// The camera: a live picture, and frames of it as JPEG files.
import { frame_of } from "./pictures.js";

const kNamedErrors = {
  NotAllowedError: "the camera may not be used; allow it in the browser's settings of this page",
  NotFoundError: "there is no camera",
  NotReadableError: "another program uses the camera",
};

export const kHasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

export class Camera {
  #stream = null;
  #facing = "environment";

  constructor(video) {
    this.video = video;
  }
  get running() {
    return this.#stream !== null;
  }

  async start() {
    if (!kHasCamera()) throw new Error("browsers give the camera only to pages from localhost or by https");
    try {
      this.#stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: this.#facing, width: { ideal: 1280 }, height: { ideal: 720 } },
      });
    } catch (error) {
      throw new Error(kNamedErrors[error.name] ?? `the camera does not start: ${error.message}`);
    }
    this.video.srcObject = this.#stream;
    await this.video.play();
  }

  stop() {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = null;
    this.video.srcObject = null;
  }

  async turn() {
    this.#facing = this.#facing === "environment" ? "user" : "environment";
    this.stop();
    await this.start();
  }

  frame() {
    return frame_of(this.video);
  }
}

// Whether there is another camera to turn to; browsers tell only once one is running.
export async function several_cameras() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter((device) => device.kind === "videoinput").length > 1;
}
