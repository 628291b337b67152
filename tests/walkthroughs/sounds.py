"""Synthesizes stand-ins for recordings of a pump: a motor's hum with harmonics, and faults on top of it.

Speed, loudness, the room's noise, the distance of the microphone and the length vary from recording to recording.
"""
import wave

import numpy as np

RATE = 16000


def filtered(rng, n, low, high):
    """White noise between two frequencies, of standard deviation 1."""
    spectrum = np.fft.rfft(rng.normal(size=n))
    hertz = np.fft.rfftfreq(n, 1 / RATE)
    spectrum[(hertz < low) | (hertz > high)] = 0
    noise = np.fft.irfft(spectrum, n)
    return noise / noise.std()


def hum(rng, t, turns):
    """A motor at `turns` revolutions per second."""
    phase = 2 * np.pi * turns * (t + 0.002 * np.sin(2 * np.pi * rng.uniform(0.2, 0.5) * t))
    sound = np.zeros_like(t)
    for k in range(1, 14):
        sound += rng.uniform(0.7, 1.3) / k * np.sin(k * phase + rng.uniform(0, 6.28))
    blades = 7 * turns
    sound += 0.4 * np.sin(2 * np.pi * blades * t) + 0.15 * np.sin(4 * np.pi * blades * t)
    return 0.1 * sound + 0.02 * filtered(rng, t.size, 60, 1500)


def knocks(rng, t, turns):
    """A damaged bearing: a short ring at every passage of a ball."""
    sound, rate = np.zeros_like(t), turns * rng.uniform(3.4, 3.7)
    ring = np.arange(int(0.012 * RATE)) / RATE
    tone = rng.uniform(2600, 3400)
    at = rng.uniform(0, 1 / rate)
    while at < t[-1] - 0.02:
        start = int(at * RATE)
        strength = rng.uniform(0.15, 0.3) * (1 + 0.4 * np.sin(2 * np.pi * turns * at))
        sound[start:start + ring.size] += strength * np.exp(-ring * 400) * np.sin(2 * np.pi * tone * ring)
        at += rng.normal(1, 0.01) / rate
    return sound


def leak(rng, t, turns):
    """Air that escapes: a steady hiss."""
    breath = 1 + 0.1 * np.sin(2 * np.pi * rng.uniform(0.3, 1) * t)
    return rng.uniform(0.05, 0.1) * breath * filtered(rng, t.size, rng.uniform(2500, 3500), 7500)


def rattle(rng, t, turns):
    """A loose cover: bursts of noise, once per revolution."""
    gate = np.maximum(np.sin(2 * np.pi * turns * t + rng.uniform(0, 6.28)), 0) ** 8
    return rng.uniform(0.15, 0.3) * gate * filtered(rng, t.size, 400, 2200)


def squeal(rng, t, turns):
    """A slipping belt: a shrill tone that wavers and comes and goes."""
    tone = rng.uniform(1900, 2300)
    phase = 2 * np.pi * tone * t + rng.uniform(10, 25) * np.sin(2 * np.pi * rng.uniform(4, 7) * t)
    envelope = 0.55 + 0.45 * np.sin(2 * np.pi * rng.uniform(0.6, 1.2) * t + rng.uniform(0, 6.28))
    return rng.uniform(0.1, 0.2) * envelope * (np.sin(phase) + 0.5 * np.sin(2 * phase) + 0.25 * np.sin(3 * phase))


FAULTS = {"healthy": None, "bearing": knocks, "air-leak": leak, "loose-cover": rattle, "belt": squeal}


def recording(kind, rng):
    t = np.arange(int(rng.uniform(4, 6) * RATE)) / RATE
    turns = rng.uniform(23.5, 25)
    sound = hum(rng, t, turns)
    if FAULTS[kind]:
        sound = sound + FAULTS[kind](rng, t, turns)
    sound += rng.uniform(0.002, 0.008) * filtered(rng, t.size, 50, 7900)
    delay = int(rng.uniform(0.004, 0.02) * RATE)  # the echo of a wall
    sound[delay:] += rng.uniform(0.1, 0.3) * sound[:-delay]
    return sound * rng.uniform(0.5, 1.3)


def write_wav(path, sound):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())


def write(folder, kind, count, seed, name="{:02}.wav"):
    """Synthesizes `count` recordings of a kind into a folder."""
    for i in range(count):
        rng = np.random.default_rng([seed, i, sum(kind.encode())])
        write_wav(folder / name.format(i + 1), recording(kind, rng))
