"""Small synthetic data: feature c of class c is about 1, the others are about 0."""

import os
import tempfile
import unittest

import numpy as np

QUICK = {
    "network.hidden": [16, 8],
    "training.batch": 32,
    "training.base_epochs": 200,
    "training.min_steps": 0,
    "training.offline_epochs": 100,
    "sleep.epochs": 30,
    "sleep.min_steps": 0,
    "amygdala.epochs": 10,
    "statistics.refresh_samples": 40,
}
WIDTH = 12


def blobs(classes, rows=25, seed=1, dtype=np.float32):
    """Rows and labels, class after class."""
    noise = np.random.default_rng(seed).normal(0, 0.1, (len(classes) * rows, WIDTH))
    y = np.repeat(np.asarray(classes), rows)
    return (np.eye(WIDTH)[y] + noise).astype(dtype), y


class FolderTest(unittest.TestCase):
    """Has a folder that goes away."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def file(self, name):
        return os.path.join(self.folder, name)
