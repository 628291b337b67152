"""The estimator where scikit-learn is not installed."""

import sys
import unittest

sys.modules["sklearn"] = None  # as if

import numpy as np
from data import QUICK, blobs

from fearnet import FearNetClassifier


class Plain(unittest.TestCase):
    def test_it_learns_and_answers(self):
        classifier = FearNetClassifier("fearnet", settings=QUICK).partial_fit(*blobs([0, 1])).partial_fit(*blobs([2]))
        x, y = blobs(range(3), seed=9)
        self.assertGreater(classifier.score(x, y), 0.9)
        np.testing.assert_allclose(classifier.predict_proba(x).sum(axis=1), 1)

    def test_parameters_are_read_and_set(self):
        classifier = FearNetClassifier(sleep_every=3)
        self.assertEqual(classifier.get_params()["sleep_every"], 3)
        self.assertEqual(classifier.set_params(preset="cub200").preset, "cub200")
        self.assertIn("sleep_every=3", repr(classifier))
        self.assertEqual(classifier.set_params(settings__sleep__epochs=5).settings, {"sleep.epochs": 5})
        self.assertEqual(classifier.get_params()["settings__sleep.epochs"], 5)
        with self.assertRaisesRegex(ValueError, "no parameter"):
            classifier.set_params(nothing=1)

    def test_bad_input_is_refused(self):
        x, y = blobs([0, 1])
        classifier = FearNetClassifier("fearnet", settings=QUICK)
        for message, bad_x, bad_y in [
            ("Reshape your data", x[0], y),
            ("as many labels", x, y[1:]),
            ("continuous", x, y + 0.5),
            ("NaN", np.where(x == x[0, 0], np.nan, x), y),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                classifier.fit(bad_x, bad_y)
            with self.assertRaisesRegex(ValueError, "not fitted"):
                classifier.predict(x)
        classifier.fit(x, y)
        with self.assertRaisesRegex(ValueError, "is expecting 12 features"):
            classifier.predict(x[:, 1:])


if __name__ == "__main__":
    unittest.main()
