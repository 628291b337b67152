#!/usr/bin/python3
"""Log mel spectrograms computed with numpy in double precision beside ours.

usage: compare_mel.py PROGRAM [WAV...]    (PROGRAM: fearnet_media_numbers; Debian: python3-numpy)

The formulas are those of Whisper's feature extractor: frames with half a transform mirrored at both ends, a periodic
Hann window, 80 triangles on Slaney's mel scale, each of area 1. Without WAV files it makes its own sounds. Exits 1 when
a value differs by more than 1e-3, 77 without numpy.
"""
import os
import subprocess
import sys
import tempfile
import wave

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy; apt-get install python3-numpy")
    sys.exit(77)

RATE, SECONDS, FFT, HOP, MELS, MOST_DIFFERENCE = 16000, 5, 400, 160, 80, 1e-3


def hertz(mel):
    """Slaney's Auditory Toolbox: 3 mel per 200 Hz up to 1000 Hz, then 27 mel per factor 6.4."""
    return np.where(mel < 15, 200 / 3 * mel, 1000 * np.exp(np.log(6.4) / 27 * (mel - 15)))


def mel(frequency):
    return 3 / 200 * frequency if frequency < 1000 else 15 + 27 * np.log(frequency / 1000) / np.log(6.4)


def filters():
    corners = hertz(np.linspace(0, mel(RATE / 2), MELS + 2))
    bins = np.linspace(0, RATE / 2, FFT // 2 + 1)
    rows = [np.interp(bins, corners[m:m + 3], [0, 1, 0]) * 2 / (corners[m + 2] - corners[m]) for m in range(MELS)]
    return np.array(rows)


def reference(samples):
    x = np.zeros(RATE * SECONDS)
    x[:len(samples)] = samples
    x = np.pad(x, FFT // 2, mode="reflect")
    frames = np.stack([x[t * HOP:t * HOP + FFT] for t in range(RATE * SECONDS // HOP)])
    window = np.hanning(FFT + 1)[:-1]
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
    values = np.log10(np.maximum(filters() @ power.T, 1e-10))
    return (np.maximum(values, values.max() - 8) + 4) / 4


def own_sounds():
    rng = np.random.default_rng(0)
    t = np.arange(RATE * SECONDS) / RATE
    yield "noise", rng.standard_normal(len(t)) * 0.1
    yield "sweep", 0.5 * np.sin(2 * np.pi * (100 + 700 * t) * t)
    yield "short", 0.5 * np.sin(2 * np.pi * 440 * t[:8000])
    yield "silence", np.zeros(len(t))
    yield "faint", 1e-5 * rng.standard_normal(len(t))
    yield "click", (np.arange(len(t)) == 1000) * 1.0


def files(paths):
    for path in paths:
        with wave.open(path) as sound:
            assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (RATE, 1, 2), path
            yield path, np.frombuffer(sound.readframes(RATE * SECONDS), "<i2") / 32768


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    worst, count, bad = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        given, out = os.path.join(folder, "in"), os.path.join(folder, "out")
        for name, samples in files(sys.argv[2:]) if len(sys.argv) > 2 else own_sounds():
            samples = samples.astype(np.float32)
            samples.tofile(given)
            subprocess.run([sys.argv[1], "mel", given, out], check=True)
            ours = np.fromfile(out, np.float32).reshape(MELS, -1)
            difference = np.abs(ours - reference(samples)).max()
            worst, count = max(worst, difference), count + 1
            if not difference <= MOST_DIFFERENCE:
                bad.append(f"{name}: {difference:.3g}")
    print(f"{count} sounds: largest difference from numpy {np.__version__} {worst:.3g}")
    if bad:
        sys.exit("\n".join(bad))


main()
