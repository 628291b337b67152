"""scikit-learn's own checks of an estimator, and its tools around ours."""

import sys
import unittest
import warnings

import numpy as np
from data import QUICK, blobs

from fearnet import FearNetClassifier

try:
    from sklearn.base import clone
    from sklearn.datasets import load_iris, load_wine
    from sklearn.model_selection import GridSearchCV, train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.estimator_checks import check_estimator
except ImportError:
    print("skipped: no scikit-learn; apt-get install python3-sklearn")
    sys.exit(77)


class Checks(unittest.TestCase):
    def test_every_check_of_an_estimator_passes(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_estimator(FearNetClassifier())

    def test_only_the_check_that_shuffles_rows_is_declared_as_not_applying(self):
        self.assertEqual(list(FearNetClassifier()._get_tags()["_xfail_checks"]), ["check_sample_weights_invariance"])


class Defaults(unittest.TestCase):
    """What the estimator's own defaults are good for."""

    def score(self, data, **params):
        x, y = data(return_X_y=True)
        x_train, x_test, y_train, y_test = train_test_split(x, y, random_state=0, stratify=y)
        score = FearNetClassifier(**params).fit(x_train, y_train).score(x_test, y_test)
        print(data.__name__, params, round(score, 3))
        return score

    def test_settings_for_narrow_rows_beat_those_for_wide_ones_on_iris(self):
        wide = {"network.reconstruction": [1e4, 1, 0.1]}
        fitting, unfitting = (self.score(load_iris, learner="fearnet", settings=s) for s in (None, wide))
        self.assertGreater(fitting, unfitting)

    def test_standardizing_helps_with_features_of_different_kinds_as_in_wine(self):
        scores = [self.score(load_wine, learner="fearnet", standardize=s) for s in (True, False)]
        self.assertGreater(scores[0], scores[1])


class Tools(unittest.TestCase):
    def test_it_works_in_pipelines_and_searches(self):
        x, y = blobs(range(4))
        pipeline = make_pipeline(StandardScaler(), FearNetClassifier("fearnet", settings=QUICK))
        search = GridSearchCV(pipeline, {"fearnetclassifier__unit_length": [True, False]}, cv=2).fit(x, y)
        self.assertGreater(search.best_score_, 0.8)
        self.assertEqual(clone(search.best_estimator_)[-1].get_params()["settings"], QUICK)

    def test_single_settings_are_searched(self):
        x, y = blobs(range(4))
        for name in ("settings__training.base_epochs", "settings__training__base_epochs"):
            search = GridSearchCV(FearNetClassifier("fearnet", settings=QUICK), {name: [1, 200]}, cv=2).fit(x, y)
            self.assertEqual(search.best_params_, {name: 200})
            self.assertEqual(search.best_estimator_.settings, QUICK)
        pipeline = make_pipeline(StandardScaler(), FearNetClassifier("fearnet", settings=QUICK))
        search = GridSearchCV(pipeline, {"fearnetclassifier__settings__training.base_epochs": [200, 1]}, cv=2)
        self.assertGreater(search.fit(x, y).best_score_, 0.8)

    def test_data_frames_keep_their_names(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        x, y = blobs(range(3))
        frame = pandas.DataFrame(x, columns=[f"feature {i}" for i in range(x.shape[1])])
        classifier = FearNetClassifier("fearnet", settings=QUICK).fit(frame, y)
        self.assertEqual(list(classifier.feature_names_in_), list(frame.columns))
        np.testing.assert_array_equal(classifier.predict(frame), y)


if __name__ == "__main__":
    unittest.main()
