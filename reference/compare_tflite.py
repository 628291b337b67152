#!/usr/bin/python3
"""Compares a converted image model with the TensorFlow Lite file that it was made from.

    reference/compare_tflite.py PROGRAM MODEL.tflite LIBRARY SHORT_SIDE PHOTO...

PROGRAM is fearnet_model_features, LIBRARY is libtensorflowlite_c.so (npm package tfjs-tflite-node, in
cc_deps/linux_amd64). Both embed the same pixels; the output is the cosine of the two embeddings of each photo.
Fails when one is below 0.99. Needs numpy and Pillow. compare_embeddings.sh fetches the library and the model.
"""
import ctypes
import struct
import subprocess
import sys
import tempfile

import numpy as np

from compare_pil import by_pil, scaled_by_pil

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


# Codes of operators. The converter counts these when it names a feature map: its sum85 is the sum behind 85 of them.
ADD, AVERAGE_POOL, CONVOLUTION, DEPTHWISE_CONVOLUTION, FULLY_CONNECTED, MEAN = 0, 1, 3, 4, 9, 40
COUNTED = (ADD, AVERAGE_POOL, CONVOLUTION, DEPTHWISE_CONVOLUTION, MEAN)


def tensors_by_name(data):
    """The number of the tensor `features`, the input of the fully connected layer, and of every sum."""
    root = follow(data, 0)
    codes = follow(data, field(data, root, 1))
    graph = follow(data, follow(data, field(data, root, 2)) + 4)
    operators = follow(data, field(data, graph, 3))
    found, count = {}, 0
    for i in range(u32(data, operators)):
        operator = follow(data, operators + 4 + 4 * i)
        index = field(data, operator, 0)
        place = field(data, follow(data, codes + 4 + 4 * (u32(data, index) if index else 0)), 0)
        code = data[place] if place else ADD
        if code == FULLY_CONNECTED:
            found["features"] = u32(data, follow(data, field(data, operator, 1)) + 4)
        if code == ADD:
            found[f"sum{count}"] = u32(data, follow(data, field(data, operator, 2)) + 4)
        count += code in COUNTED
    return found


def with_output(data, name):
    """The model whose output is the named tensor, with the scale and zero point of that."""
    tensor = tensors_by_name(data)[name]
    data = bytearray(data)
    graph = follow(data, follow(data, field(data, follow(data, 0), 2)) + 4)
    struct.pack_into("<I", data, follow(data, field(data, graph, 2)) + 4, tensor)
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
        """The output for an image of height x width x 3 numbers, averaged over all positions."""
        quantized = self.lib.TfLiteTensorQuantizationParams(self.input)
        pixels = np.clip(np.rint(image / quantized.scale + quantized.zero_point), 0, 255)
        pixels = np.ascontiguousarray(pixels, np.uint8)
        assert self.lib.TfLiteTensorCopyFromBuffer(self.input, pixels.ctypes.data_as(ctypes.c_void_p),
                                                   ctypes.c_size_t(pixels.nbytes)) == 0
        assert self.lib.TfLiteInterpreterInvoke(self.interpreter) == 0
        size = self.lib.TfLiteTensorByteSize(self.output)
        codes = np.frombuffer(ctypes.string_at(self.lib.TfLiteTensorData(self.output), size), np.int8)
        width = self.lib.TfLiteTensorDim(self.output, self.lib.TfLiteTensorNumDims(self.output) - 1)
        quantized = self.lib.TfLiteTensorQuantizationParams(self.output)
        return quantized.scale * (codes.reshape(-1, width).mean(0) - quantized.zero_point)


def pixels_of(photo, short_side, sides):
    """What the network sees of a photo: height x width x 3 numbers. As a picture of floats, Pillow does not round."""
    colors = [scaled_by_pil(color.convert("F"), short_side, sides[1], sides[0]) for color in by_pil(photo).split()]
    return (np.stack(colors, 2).astype(np.float32) - 127) / 128


def main():
    program, model, library, short_side, *photos = sys.argv[1:]
    with open(model, "rb") as file:
        judge = Judge(library, with_output(file.read(), "features"))
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
