// The microphone as a WAV file of 16 bits, one channel.

export const kCanRecord = () => Boolean(navigator.mediaDevices?.getUserMedia && window.AudioWorkletNode);

function wav(blocks, rate) {
  const length = blocks.reduce((sum, block) => sum + block.length, 0);
  const view = new DataView(new ArrayBuffer(44 + 2 * length));
  const text = (at, word) => [...word].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);  // PCM
  view.setUint16(22, 1, true);  // one channel
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * length, true);
  let at = 44;
  for (const block of blocks)
    for (const sample of block) {
      view.setInt16(at, Math.round(32767 * Math.max(-1, Math.min(1, sample))), true);
      at += 2;
    }
  return new Blob([view.buffer], { type: "audio/wav" });
}

// Starts to record; level(0..1, seconds) is called often. stop() of the result gives {blob, seconds}.
export async function record(level) {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false },
  });
  const context = new AudioContext();
  const end = async () => {
    for (const track of stream.getTracks()) track.stop();
    await context.close();
  };
  const blocks = [];
  let samples = 0, node = null;
  try {
    await context.audioWorklet.addModule("/assets/sound_worklet.js");
    node = new AudioWorkletNode(context, "collect", { numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) => {
      blocks.push(data);
      samples += data.length;
      level(Math.min(1, data.reduce((most, x) => Math.max(most, Math.abs(x)), 0)), samples / context.sampleRate);
    };
    context.createMediaStreamSource(stream).connect(node);
    await context.resume();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    async stop() {
      const rate = context.sampleRate;
      node.port.onmessage = null;  // blocks that are on their way would report a level after the end
      await end();
      return { blob: wav(blocks, rate), seconds: samples / rate };
    },
  };
}
