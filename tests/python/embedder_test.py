"""Embedder, and brains that learn from files, with an embedding model of a few bytes."""

import os
import pathlib
import pickle
import struct
import unittest
import zlib

import numpy as np
from data import FolderTest

import fearnet

COLORS = {"red": (230, 20, 20), "green": (20, 230, 20), "blue": (20, 20, 230)}


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([0x80 | value & 0x7F])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A field of a protocol buffers message: a number, or text and messages as bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def tiny_onnx():
    """The mean color of the four quarters of 16 x 16 pixels. Field numbers are those of onnx.proto."""

    def value(name, shape):
        sizes = b"".join(field(1, field(1, size)) for size in shape)
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, sizes)))

    def numbers(name, *values):
        return field(5, field(1, name) + b"".join(field(8, v) for v in values) + field(20, 7))

    pool = field(1, b"image") + field(2, b"pooled") + field(4, b"AveragePool")
    pool += numbers(b"kernel_shape", 8, 8) + numbers(b"strides", 8, 8)
    flatten = field(1, b"pooled") + field(2, b"features") + field(4, b"Flatten")
    graph = field(1, pool) + field(1, flatten) + field(2, b"tiny")
    graph += field(11, value(b"image", (1, 3, 16, 16))) + field(12, value(b"features", (1, 12)))
    return field(1, 7) + field(7, graph) + field(8, field(1, b"") + field(2, 13))


DESCRIPTION = """{"kind": "image", "input": {"name": "image", "width": 16, "height": 16, "short_side": 16,
"mean": [0, 0, 0], "deviation": [255, 255, 255]}, "output": {"name": "features", "pooling": "none", "width": 12}}"""


def png(color, side=16):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(color) * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class EmbedderTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.onnx", tiny_onnx())
        self.write("tiny.json", DESCRIPTION.encode())
        self.model = "onnx:" + self.file("tiny.onnx")
        try:
            self.embedder = fearnet.Embedder(self.model).fit()
        except fearnet.Error as error:
            if "ONNX Runtime" not in str(error) and "libonnxruntime" not in str(error):
                raise
            self.skipTest(str(error))

    def write(self, name, contents):
        path = pathlib.Path(self.file(name))
        path.write_bytes(contents)
        return path

    def photos(self, per_class=6):
        """Paths and labels. The shades of a class differ a little."""
        paths, labels = [], []
        for name, color in COLORS.items():
            for i in range(per_class):
                paths.append(self.write(f"{name}{i}.png", png([min(255, c + 3 * i) for c in color])))
                labels.append(name)
        return paths, labels

    def test_a_row_is_what_the_network_says_of_the_pixels(self):
        path = self.write("a.png", png((0, 51, 255)))
        self.assertEqual((self.embedder.kind, self.embedder.width), ("image", 12))
        for item in (path, str(path)):
            rows = self.embedder.transform([item])
            self.assertEqual((rows.shape, rows.dtype), ((1, 12), np.float32))
            np.testing.assert_allclose(rows[0], np.repeat([0, 0.2, 1], 4), atol=1e-6)

    def test_embed_leaves_out_what_cannot_be_read_and_transform_raises(self):
        good, text, empty = self.write("a.png", png((1, 2, 3))), self.write("b.png", b"text"), self.write("c.png", b"")
        items = [text, good, self.file("gone.png"), empty, good, self.folder]
        made = self.embedder.embed(items)
        self.assertEqual(made.rows.shape, (2, 12))
        np.testing.assert_array_equal(made.of_item, [1, 4])
        self.assertEqual([name for name, _ in made.skipped], [str(text), self.file("gone.png"), str(empty), self.folder])
        self.assertEqual([reason for _, reason in made.skipped][2:], ["an empty file", "a folder"])
        with self.assertRaisesRegex(fearnet.Error, "4 of 6 items cannot be read; .*b.png"):
            self.embedder.transform(items)

    def test_a_pipe_is_skipped_and_not_waited_for(self):
        os.mkfifo(self.file("pipe.png"))
        self.assertEqual(self.embedder.embed([self.file("pipe.png")]).skipped[0][1], "not a regular file")

    def test_a_single_path_is_a_mistake_that_is_named(self):
        for item in ("a.png", pathlib.Path("a.png")):
            with self.assertRaisesRegex(fearnet.Error, "give a list"):
                self.embedder.embed(item)
        self.assertEqual(self.embedder.embed([]).rows.shape[0], 0)

    def test_progress_counts_and_cancels(self):
        paths, _ = self.photos()
        seen = []
        self.embedder.embed(paths, progress=lambda phase, done, total, loss: seen.append((phase, done, total)))
        self.assertEqual(seen[-1], ("embed", len(paths), len(paths)))
        with self.assertRaises(fearnet.Cancelled):
            self.embedder.embed(paths, progress=lambda *_: False)

    def test_a_pickle_holds_only_the_name(self):
        path = self.write("a.png", png((9, 8, 7)))
        stored = pickle.dumps(self.embedder)
        self.assertLess(len(stored), 1000)
        again = pickle.loads(stored)
        self.assertEqual(again.model, self.model)
        np.testing.assert_array_equal(again.transform([path]), self.embedder.transform([path]))

    def test_a_model_that_is_missing_or_damaged_is_an_error(self):
        with self.assertRaisesRegex(fearnet.Error, "no model is called 'clip'"):
            fearnet.Embedder("clip").fit()
        with self.assertRaisesRegex(fearnet.Error, "no such model"):
            fearnet.Embedder("onnx:" + self.file("gone.onnx")).fit()
        self.write("tiny.onnx", b"not a model")
        with self.assertRaisesRegex(fearnet.Error, "not an ONNX model"):
            fearnet.Embedder(self.model).fit()

    def test_a_classifier_behind_an_embedder_learns_from_paths(self):
        paths, labels = self.photos()
        rows = self.embedder.transform(paths)
        classifier = fearnet.FearNetClassifier().fit(rows, labels)
        probe = [self.write(f"probe_{name}.png", png([c - 5 for c in color])) for name, color in COLORS.items()]
        self.assertEqual(list(classifier.predict(self.embedder.transform(probe))), list(COLORS))

    def test_a_brain_records_the_model_and_refuses_rows_of_another(self):
        paths, labels = self.photos()
        front_end = self.embedder.front_end
        self.assertEqual((front_end["name"], front_end["width"]), (self.model, 12))
        with fearnet.Brain.create(self.file("a.brain")) as brain:
            brain.learn(self.embedder.transform(paths), labels, front_end=front_end)
            probe = self.write("probe.png", png((225, 25, 25)))
            self.assertEqual(brain.labels(self.embedder.transform([probe])), ["red"])
            other = dict(front_end, fingerprint="0" * 64)
            with self.assertRaises(fearnet.Error):
                brain.learn(self.embedder.transform(paths), labels, front_end=other)
            self.assertEqual(brain.class_names(), ["blue", "green", "red"])


if __name__ == "__main__":
    unittest.main()
