#!/usr/bin/python3
"""The rows of `fearnet embed` beside rows that outside software makes of the same files.

Started by compare_embeddings.sh, which documents it and finds the outside software:

    compare_embeddings.py PROGRAM NODE_PACKAGES KIND FILES DATA [FETCHED...]

FETCHED: libtensorflowlite_c.so and the original model (image), the original encoder and the settings of its feature
extractor (sound). Exits 1 when the smallest cosine is too small, 77 when a model of fearnet is missing.
"""
import glob
import hashlib
import html
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import wave
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

import compare_tflite

HERE = os.path.dirname(os.path.abspath(__file__))
SMALLEST = 0.999
SMALLEST_INT8 = 0.99  # one side rounds to 8 bits where the other does not, or rounds otherwise
SMALLEST_ROUNDED = 0.98  # TensorFlow Lite also gets pixels rounded to 8 bits, and we do not round
RATE = 16000


def description(kind):
    """The default model of the kind, from models/."""
    folder = os.path.join(HERE, "..", "models")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            model = json.load(file)
        if model["kind"] == kind and model["default"]:
            return model


def stored_model(program, name):
    """The folder of a model that fearnet has fetched."""
    models = json.loads(subprocess.run([program, "models", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    present = {model["name"]: model["folder"] for model in models if model["present"]}
    for needed in (name, "onnxruntime"):
        if needed not in present:
            print(f"skipped: no model {needed}; run 'fearnet models fetch {needed}' once")
            sys.exit(77)
    return present[name]


def checked(path, model):
    """The path of the original model, which must be the one that fearnet's is made from."""
    with open(path, "rb") as file:
        if hashlib.sha256(file.read()).hexdigest() != model["files"][0]["sha256"]:
            sys.exit(f"{path}: not the file that the model {model['name']} is made from")
    return path


def from_node(packages, settings, folder):
    """The numbers of compare_embeddings.mjs."""
    given, out = os.path.join(folder, "settings.json"), os.path.join(folder, "rows")
    with open(given, "w", encoding="utf-8") as file:
        json.dump(settings, file)
    subprocess.run(["node", os.path.join(HERE, "compare_embeddings.mjs"), packages, given, out], check=True)
    return np.fromfile(out, "<f4").astype(np.float64)


def embedded(program, path, model, folder, runtime=None):
    """The rows of `fearnet embed`, with another ONNX Runtime than its own if one is given."""
    out = os.path.join(folder, "ours.npz")
    environment = {**os.environ, "FEARNET_ONNXRUNTIME": runtime} if runtime else None
    subprocess.run([program, "embed", path, "--features", model, "--out", out, "--quiet"], check=True, env=environment)
    return np.load(out)["x"].astype(np.float64)


def runtime_of(packages):
    """The library that onnxruntime-node runs models with."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
    pattern = os.path.join(packages, "node_modules/onnxruntime-node/bin/napi-v*/linux", machine, "libonnxruntime.so*")
    return sorted(glob.glob(pattern))[0]


@dataclass
class Given:
    """Where everything is. path: what `fearnet embed` reads."""
    program: str
    path: str
    packages: str
    models: str
    fetched: list


@dataclass
class Judgment:
    """The rows of a judge, for features first, first + 1, ... of ours; or of other rows than those of the inputs."""
    name: str
    rows: np.ndarray
    smallest: float
    first: int = 0
    ours: np.ndarray | None = None


def by_both_runtimes(name, rows, model, given, folder):
    """For models with weights of 8 bits, whose products the versions of ONNX Runtime round differently."""
    yield Judgment(name + ", ONNX Runtime in node", rows, SMALLEST_INT8)
    same = embedded(given.program, given.path, model["name"], folder, runtime_of(given.packages))
    yield Judgment(name + ", the same ONNX Runtime for both", rows, SMALLEST, ours=same)


def unit(row):
    return row / max(np.linalg.norm(row), 1e-12)


# ---- Photographs ----

def scene(width, height, seed):
    """A drawn picture: a sky, many shapes, blurred, some noise."""
    rng = np.random.default_rng(seed)
    sky = np.linspace(rng.uniform(100, 255, 3), rng.uniform(0, 155, 3), height)
    picture = Image.fromarray(sky.astype(np.uint8)[:, None]).resize((width, height))
    drawing = ImageDraw.Draw(picture)
    for _ in range(40):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        reach = rng.uniform(0.02, 0.3) * min(width, height)
        color = tuple(int(c) for c in rng.integers(0, 256, 3))
        if rng.random() < 0.5:
            drawing.ellipse((x - reach, y - reach, x + reach, y + reach), color)
        else:
            drawing.polygon([(x + reach * rng.normal(), y + reach * rng.normal()) for _ in range(5)], color)
    values = np.asarray(picture.filter(ImageFilter.GaussianBlur(min(width, height) / 300)), np.float64)
    return Image.fromarray(np.clip(values + rng.normal(0, 4, values.shape), 0, 255).astype(np.uint8))


def own_image_files(folder):
    """Scenes of several sizes and formats; some are turned by EXIF."""
    sizes = ((640, 480), (1200, 900), (300, 1000), (343, 343), (3000, 1500))
    for i in range(12):
        picture, extension = scene(*sizes[i % len(sizes)], i), ("jpg", "png", "webp")[i % 3]
        exif = Image.Exif()
        exif[0x0112] = 1 + i % 8
        picture.save(os.path.join(folder, f"{i:02}.{extension}"), quality=92, exif=exif.tobytes())


def write_whole_pixels(images, input_, folder):
    """Pictures of which a model of this input sees just these pixels, rounded to 8 bits: nothing is left to scale."""
    short, sides = input_["short_side"], (input_["height"], input_["width"])
    top, left = (round((short - side) / 2) for side in sides)
    for i, image in enumerate(images):
        pixels = np.zeros((short, short, 3), np.uint8)
        pixels[top:top + sides[0], left:left + sides[1]] = np.rint(image * 128 + 127)
        Image.fromarray(pixels).save(os.path.join(folder, f"{i:04}.png"))


def judge_images(files, model, given, folder):
    library, original = given.fetched
    input_ = model["input"]
    sides = [input_["height"], input_["width"]]
    images = [compare_tflite.pixels_of(file, input_["short_side"], sides) for file in files]
    pixels = os.path.join(folder, "pixels")
    np.stack(images).transpose(0, 3, 1, 2).astype("<f4").tofile(pixels)
    rows = from_node(given.packages, {"kind": "image", "model": os.path.join(given.models, "model.onnx"),
                                      "input": pixels, "shape": [1, 3, *sides]}, folder)
    yield Judgment("ONNX Runtime in node, converted model", rows.reshape(len(files), -1), SMALLEST)

    with open(checked(original, model), "rb") as file:
        data = file.read()
    parts = [compare_tflite.Judge(library, compare_tflite.with_output(data, name))
             for name in ("features", model["conversion"]["map"])]
    rows = np.stack([np.concatenate([unit(part.features(image)) for part in parts]) for image in images])
    whole = os.path.join(folder, "whole")
    os.mkdir(whole)
    write_whole_pixels(images, input_, whole)
    yield Judgment("TensorFlow Lite, original model", rows, SMALLEST_ROUNDED)
    yield Judgment("TensorFlow Lite, pixels rounded for both", rows, SMALLEST_INT8,
                   ours=embedded(given.program, whole, model["name"], folder))


# ---- Sounds ----

def own_sound_files(folder):
    rng = np.random.default_rng(0)
    lengths = (0.05, 0.3, 1, 2.5, 4.99, 5, 5.01, 5.3, 5.6, 7.77, 10, 12.2)
    for i, seconds in enumerate(lengths):
        t = np.arange(int(seconds * RATE)) / RATE
        tones = sum(np.sin(2 * np.pi * f * t * (1 + 0.1 * t)) for f in rng.uniform(80, 3000, 3))
        samples = 0.2 * tones * (1 + np.sin(2 * np.pi * 3 * t)) / 2 + 0.02 * rng.standard_normal(len(t))
        with wave.open(os.path.join(folder, f"{i:02}.wav"), "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(RATE)
            sound.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def samples_of(path):
    with wave.open(path) as sound:
        if (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) != (RATE, 1, 2):
            sys.exit(f"{path}: not a WAV file of one channel, {RATE} samples per second and 16 bits")
        return np.frombuffer(sound.readframes(sound.getnframes()), "<i2") / np.float32(32768)


def judge_sounds(files, model, given, folder):
    """As docs/front_ends.md says: windows of 5 s, the last one not if it is shorter than 0.5 s and not the only one;
    the mean and the deviation over all positions of 20 ms that do not lie in the padding."""
    encoder, extractor = given.fetched
    window, position = model["input"]["seconds"] * RATE, RATE // 50
    windows = []  # the number of the sound, its samples
    for i, file in enumerate(files):
        samples = samples_of(file)
        for at in range(0, len(samples), window):
            part = samples[at:at + window]
            if at == 0 or len(part) >= window / 10:
                windows.append((i, part))
    with open(extractor, encoding="utf-8") as file:
        settings = json.load(file)
    settings.update({"chunk_length": model["input"]["seconds"], "n_samples": window,
                     "nb_max_frames": window // settings["hop_length"]})
    sounds = os.path.join(folder, "samples")
    np.concatenate([part for _, part in windows]).astype("<f4").tofile(sounds)
    conversion = model["conversion"]
    values = from_node(given.packages, {
        "kind": "sound", "model": checked(encoder, model), "input": sounds, "extractor": settings,
        "positions": {"table": conversion["initializer"], "rows": conversion["rows"]},
        "lengths": [len(part) for _, part in windows]}, folder)
    values = values.reshape(len(windows), conversion["rows"], -1)
    rows = []
    for i in range(len(files)):
        heard = np.concatenate([value[:-(-len(part) // position)]
                                for value, (of, part) in zip(values, windows) if of == i])
        rows.append(np.concatenate([heard.mean(0), heard.std(0)]))
    yield from by_both_runtimes("Hugging Face", np.stack(rows), model, given, folder)


# ---- Texts ----

def own_texts():
    rng = random.Random(0)
    who = ("the night train", "my neighbour's cat", "an old printer", "Dr. O'Neill", "our unaffordable roof", "Linz")
    does = ("is waiting for", "never liked", "has already re-ordered", "could not find", "will repair", "sings about")
    what = ("the missing invoice (No. 4711)", "fresh bread", "a 12.5 kg parcel", "two oak trees", "e-mail passwords")
    when = ("since Monday", "in the rain", "on 3 May 2024", "without any reason", "at half past six")
    texts = [f"{rng.choice(who)} {rng.choice(does)} {rng.choice(what)} {rng.choice(when)}." for _ in range(38)]
    return texts + ["Caf\u00e9 na\u00efve \u00c5NGSTR\u00d6M", "\u03a3\u039f\u03a6\u0399\u0391",
                    "\u0411\u0410\u041a\u0423", "\u4e2d\u6587 and \ud55c\uad6d\uc5b4", "\U0001f426 1,234.5 km/h!?",
                    "a", "one more time " * 200]


def texts_of(data):
    """Texts without tabs and line ends."""
    if not data:
        found = own_texts()
    else:
        with open(data, encoding="utf-8") as file:
            text = file.read()
        if data.endswith(".html"):
            found = [html.unescape(paragraph) for paragraph in re.findall(r"<p>(.*?)</p>", text, re.S)]
        else:
            found = text.split("\n")
    return list(dict.fromkeys(" ".join(text.split()) for text in found if text.strip()))


def mix(z):
    """The mixing step of SplitMix64."""
    mask = (1 << 64) - 1
    z = (z + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def ngrams(text, size=1024):
    """As docs/formats/model_description.md says."""
    counts = np.zeros(size)
    points = " " + " ".join(text.lower().split()) + " "
    for start in range(len(points)):
        value = 0
        for point in points[start:start + 3]:
            value = mix(value ^ ord(point))
            counts[value % size] += 1 if value >> 63 else -1
    return np.sign(counts) * np.sqrt(np.abs(counts))


def judge_texts(texts, model, given, folder):
    rows = from_node(given.packages, {
        "kind": "text", "model": checked(os.path.join(given.models, "model.onnx"), model),
        "tokenizer": os.path.join(given.models, "tokenizer.json"), "tokens": model["input"]["tokens"],
        "texts": texts}, folder).reshape(len(texts), -1)
    yield from by_both_runtimes("Hugging Face", rows, model, given, folder)
    grams = np.stack([ngrams(text) for text in texts])
    yield Judgment("n-grams in Python", grams, SMALLEST, first=rows.shape[1])


# ---- Comparison ----

def evenly(items, count):
    return [items[i * len(items) // count] for i in range(count)] if len(items) > count else items


def files_below(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)


def prepared(kind, data, count, folder):
    """The inputs of the judge; what `fearnet embed` gets, the same files, or the same texts as lines; and names."""
    if kind == "text":
        texts = evenly(texts_of(data), count)
        path = os.path.join(folder, "texts.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(text + "\n" for text in texts))
        return texts, path, texts
    path, own = os.path.join(folder, "inputs"), os.path.join(folder, "own")
    os.mkdir(path)
    os.mkdir(own)
    if not data:
        {"image": own_image_files, "sound": own_sound_files}[kind](own)
    files = evenly(files_below(data or own), count)
    inputs = [os.path.join(path, f"{i:04}" + os.path.splitext(file)[1]) for i, file in enumerate(files)]
    for file, copy in zip(files, inputs):
        shutil.copyfile(file, copy)
    return inputs, path, files


def cosines(ours, theirs):
    if ours.shape != theirs.shape:
        sys.exit(f"our rows are {ours.shape}, those of the judge {theirs.shape}")
    return np.array([unit(a) @ unit(b) for a, b in zip(ours, theirs)])


def compared(judgment, ours, inputs):
    """Prints the cosines of a judgment of our rows. Whether all are large enough."""
    theirs = judgment.rows
    ours = (ours if judgment.ours is None else judgment.ours)[:, judgment.first:judgment.first + theirs.shape[1]]
    found, others = cosines(ours, theirs), cosines(ours, np.roll(theirs, 1, 0))
    print(f"  {judgment.name}: cosine at least {found.min():.6f}, mean {found.mean():.6f}; "
          f"of different inputs {others.mean():.2f}", flush=True)
    wrong = np.flatnonzero(~(found >= judgment.smallest))
    for i in wrong[:10]:
        print(f"    {found[i]:.6f}, less than {judgment.smallest}: {ascii(inputs[i])[:100]}")
    return len(wrong) == 0


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    program, packages, kind, count, data, *fetched = sys.argv[1:]
    model = description(kind)
    models = stored_model(program, model["name"])
    judge = {"image": judge_images, "sound": judge_sounds, "text": judge_texts}[kind]
    with tempfile.TemporaryDirectory() as folder:
        inputs, path, shown = prepared(kind, data, int(count), folder)
        ours = embedded(program, path, model["name"], folder)
        print(f"{kind}: {len(inputs)} inputs, {ours.shape[1]} features by {model['name']}", flush=True)
        given = Given(program, path, packages, models, fetched)
        right = [compared(judgment, ours, shown) for judgment in judge(inputs, model, given, folder)]
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()
