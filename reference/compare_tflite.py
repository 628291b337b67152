#!/usr/bin/python3
"""Compares a converted image model with the TensorFlow Lite file that it was made from.

    reference/compare_tflite.py PROGRAM MODEL.tflite LIBRARY SHORT_SIDE PHOTO...

PROGRAM is fearnet_model_features, LIBRARY is libtensorflowlite_c.so (npm package tfjs-tflite-node, in
cc_deps/linux_amd64). Both embed the same pixels; the output is the cosine of the two embeddings of each photo.
Fails when one is below 0.99. Needs numpy and Pillow.
"""
import ctypes
import struct
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

SMALLEST_COSINE = 0.99


def u32(data, place):
    return struct.unpack_from("<I", data, place)[0]


def field(data, table, number):
    """The place of a field of a FlatBuffers table; 0 when it is left out."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, fields)[0]
    entry = 4 + 2 * number
    offset = struct.unpack_from("<H", data, fields + entry)[0] if entry + 2 <= size else 0
    return table + offset if offset else 0


def follow(data, place):
    return place + u32(data, place)


def with_features_as_output(data):
    """The model whose output is the input of its fully connected layer, with the scale and zero point of that."""
    data = bytearray(data)
    root = follow(data, 0)
    codes = follow(data, field(data, root, 1))
    graph = follow(data, follow(data, field(data, root, 2)) + 4)
    operators = follow(data, field(data, graph, 3))
    for i in range(u32(data, operators)):
        operator = follow(data, operators + 4 + 4 * i)
        index = field(data, operator, 0)
        code = follow(data, codes + 4 + 4 * (u32(data, index) if index else 0))
        if data[field(data, code, 0)] == 9:  # FULLY_CONNECTED
            features = u32(data, follow(data, field(data, operator, 1)) + 4)
    outputs = follow(data, field(data, graph, 2))
    struct.pack_into("<I", data, outputs + 4, features)
    return bytes(data)


class QuantizationParameters(ctypes.Structure):
    _fields_ = [("scale", ctypes.c_float), ("zero_point", ctypes.c_int32)]


class Judge:
    def __init__(self, library, model):
        self.lib = lib = ctypes.CDLL(library)
        for name in ("ModelCreate", "InterpreterOptionsCreate", "InterpreterCreate", "InterpreterGetInputTensor",
                     "InterpreterGetOutputTensor", "TensorData"):
            getattr(lib, "TfLite" + name).restype = ctypes.c_void_p
        lib.TfLiteTensorByteSize.restype = ctypes.c_size_t
        lib.TfLiteTensorQuantizationParams.restype = QuantizationParameters
        self.model = model
        handle = ctypes.c_void_p(lib.TfLiteModelCreate(model, ctypes.c_size_t(len(model))))
        options = ctypes.c_void_p(lib.TfLiteInterpreterOptionsCreate())
        lib.TfLiteInterpreterOptionsSetNumThreads(options, 1)
        self.interpreter = ctypes.c_void_p(lib.TfLiteInterpreterCreate(handle, options))
        assert lib.TfLiteInterpreterAllocateTensors(self.interpreter) == 0
        self.input = ctypes.c_void_p(lib.TfLiteInterpreterGetInputTensor(self.interpreter, 0))
        self.output = ctypes.c_void_p(lib.TfLiteInterpreterGetOutputTensor(self.interpreter, 0))
        self.sides = [lib.TfLiteTensorDim(self.input, i) for i in (1, 2)]

    def features(self, image):
        quantized = self.lib.TfLiteTensorQuantizationParams(self.input)
        pixels = np.clip(np.rint(image / quantized.scale + quantized.zero_point), 0, 255).astype(np.uint8)
        assert self.lib.TfLiteTensorCopyFromBuffer(self.input, pixels.ctypes.data_as(ctypes.c_void_p),
                                                   ctypes.c_size_t(pixels.nbytes)) == 0
        assert self.lib.TfLiteInterpreterInvoke(self.interpreter) == 0
        size = self.lib.TfLiteTensorByteSize(self.output)
        codes = ctypes.string_at(self.lib.TfLiteTensorData(self.output), size)
        quantized = self.lib.TfLiteTensorQuantizationParams(self.output)
        return quantized.scale * (np.frombuffer(codes, np.int8).astype(np.float64) - quantized.zero_point)


def pixels_of(photo, short_side, sides):
    image = Image.open(photo).convert("RGB")
    scale = short_side / min(image.size)
    image = image.resize([max(short_side, round(side * scale)) for side in image.size], Image.BILINEAR)
    left, top = (image.size[0] - sides[1]) // 2, (image.size[1] - sides[0]) // 2
    return (np.asarray(image, np.float32)[top:top + sides[0], left:left + sides[1]] - 127) / 128


def main():
    program, model, library, short_side, *photos = sys.argv[1:]
    with open(model, "rb") as file:
        judge = Judge(library, with_features_as_output(file.read()))
    images = [pixels_of(photo, int(short_side), judge.sides) for photo in photos]
    with tempfile.NamedTemporaryFile() as rows:
        np.stack(images).transpose(0, 3, 1, 2).astype("<f4").tofile(rows.name)
        shape = ["1", "3", *map(str, judge.sides)]
        output = subprocess.run([program, model, "image", "features", rows.name, *shape], check=True,
                                stdout=subprocess.PIPE).stdout
    ours = np.frombuffer(output, "<f4").reshape(len(images), -1).astype(np.float64)
    cosines = []
    for image, row in zip(images, ours):
        expected = judge.features(image)
        cosines.append(row @ expected / np.linalg.norm(row) / np.linalg.norm(expected))
    print(f"{len(cosines)} photos: cosine at least {min(cosines):.5f}, mean {np.mean(cosines):.5f}")
    sys.exit(0 if min(cosines) >= SMALLEST_COSINE else 1)


if __name__ == "__main__":
    main()
