#!/usr/bin/python3
"""Exported models in OpenCV's dnn beside our own answers, row by row.

usage: compare_opencv.py PROGRAM        (PROGRAM: fearnet_onnx_answers; Debian: python3-opencv)

Exits 1 when a label differs or a probability differs by more than 1e-4, 77 without OpenCV.
"""
import os
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy as np
except ImportError:
    print("skipped: no OpenCV; apt-get install python3-opencv")
    sys.exit(77)

MOST_DIFFERENCE = 1e-4


def compare(folder, model, rows, answers):
    net = cv2.dnn.readNetFromONNX(os.path.join(folder, model))
    net.setInput(rows, "features")
    given = net.forward("probabilities")
    if given.shape != answers["probabilities"].shape:
        sys.exit(f"{model}: OpenCV gives {given.shape}, we give {answers['probabilities'].shape}")
    difference = np.abs(given - answers["probabilities"]).max()
    equal = int((given.argmax(axis=1) == answers["columns"]).sum())
    print(f"{model}: {equal} of {len(rows)} labels equal, largest difference of a probability {difference:.2g}")
    return equal == len(rows) and difference <= MOST_DIFFERENCE


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], folder], check=True)
        print(f"OpenCV {cv2.__version__}")
        same = []
        for name in ("fearnet", "fearnet-merged", "plus", "plus-merged", "plus-roots", "plus-random", "plus-pieces",
                     "plus-linear"):
            answers = np.load(os.path.join(folder, name + ".npz"))
            same += [compare(folder, f"{name}.{model}.onnx", answers[rows], answers)
                     for model, rows in (("scaling", "rows"), ("plain", "scaled"))]
    sys.exit(0 if all(same) else 1)


main()
