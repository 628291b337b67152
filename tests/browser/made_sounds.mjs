// Sounds for the tests of the page, as WAV files of 16 bits: a whistle that rises and falls, and a hum.

const kRate = 16000;

function sample(kind, t, n) {
  if (kind === "whistle") return 0.4 * Math.sin(2 * Math.PI * (1800 + 40 * n) * t + 60 * Math.sin(2 * Math.PI * (1.5 + 0.1 * n) * t));
  return [1, 2, 3, 5].reduce((sum, k) => sum + (0.3 / k) * Math.sin(2 * Math.PI * (50 + n) * k * t), 0);  // hum
}

// The same kind and number give the same sound.
export function made_sound(kind, n, seconds = 2) {
  const samples = Math.round(kRate * seconds), file = Buffer.alloc(44 + 2 * samples);
  file.write("RIFF", 0);
  file.writeUInt32LE(36 + 2 * samples, 4);
  file.write("WAVEfmt ", 8);
  [[16, 4], [1, 2], [1, 2], [kRate, 4], [2 * kRate, 4], [2, 2], [16, 2]].reduce((at, [value, size]) => file.writeUIntLE(value, at, size), 16);
  file.write("data", 36);
  file.writeUInt32LE(2 * samples, 40);
  for (let i = 0; i < samples; ++i) file.writeInt16LE(Math.round(32767 * sample(kind, i / kRate, n)), 44 + 2 * i);
  return file;
}
