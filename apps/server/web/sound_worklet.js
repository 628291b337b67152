// Runs in the audio thread: sends the samples of the first channel in blocks of about a tenth of a second.

const kBlock = 4096;

class Collect extends AudioWorkletProcessor {
  #block = new Float32Array(kBlock);
  #used = 0;

  process([channels]) {
    const samples = channels?.[0];
    if (samples === undefined) return true;
    for (const sample of samples) {
      this.#block[this.#used++] = sample;
      if (this.#used < kBlock) continue;
      this.port.postMessage(this.#block);
      this.#block = new Float32Array(kBlock);
      this.#used = 0;
    }
    return true;
  }
}

registerProcessor("collect", Collect);
