"""The estimator beyond what scikit-learn checks."""

import copy
import os
import pickle
import signal
import threading
import unittest

import numpy as np
from data import QUICK, FolderTest, blobs

import fearnet
from fearnet import FearNetClassifier


def taught(**params):
    """Base knowledge of 0..3, then 4 and 5."""
    classifier = FearNetClassifier(settings=QUICK, **params).partial_fit(*blobs([0, 1, 2, 3]))
    for label in (4, 5):
        classifier.partial_fit(*blobs([label]))
    return classifier


class Teaching(FolderTest):
    def test_classes_come_one_after_another_without_being_declared(self):
        classifier = taught()
        x, y = blobs(range(6), seed=9)
        np.testing.assert_array_equal(classifier.classes_, range(6))
        np.testing.assert_array_equal(classifier.class_count_, [25] * 6)
        self.assertEqual(classifier.sessions_since_sleep_, 2)
        self.assertGreater(classifier.score(x, y), 0.9)
        classifier.sleep()
        self.assertEqual(classifier.sessions_since_sleep_, 0)
        self.assertGreater(classifier.score(x, y), 0.9)
        self.assertTrue((classifier.explain(x)["memory"] == "consolidated").all())

    def test_sleep_comes_by_itself_when_it_is_due(self):
        classifier = taught(sleep_every=2)
        self.assertEqual(classifier.sessions_since_sleep_, 0)
        by_hand = taught(sleep_every=0).sleep()
        x, _ = blobs(range(6), seed=9)
        np.testing.assert_array_equal(classifier.predict_proba(x), by_hand.predict_proba(x))

    def test_labels_keep_their_type(self):
        names = np.array(["zoe", "al", "mo", "barbara", "chen", "di"])
        for labels in (names, names.astype(object), np.array([7, -3, 5, 100, 2, 9]), np.arange(6.0) * 3):
            x, y = blobs(range(6))
            first = y < 3
            classifier = FearNetClassifier(settings=QUICK).partial_fit(x[first], labels[y[first]])
            for label in (5, 4, 3):
                classifier.partial_fit(x[y == label], labels[y[y == label]])
            np.testing.assert_array_equal(classifier.classes_, np.sort(labels))
            self.assertEqual(classifier.classes_.dtype.kind, labels.dtype.kind)
            self.assertGreater(np.mean(classifier.predict(x) == labels[y]), 0.9)
            best = classifier.classes_[classifier.predict_proba(x).argmax(axis=1)]
            np.testing.assert_array_equal(best, classifier.predict(x))
            told = classifier.explain(x)
            np.testing.assert_array_equal(told["label"], classifier.predict(x))

    def test_labels_of_another_kind_are_refused(self):
        classifier = taught()
        with self.assertRaisesRegex(ValueError, "cannot join"):
            classifier.partial_fit(blobs([6])[0], ["six"] * 25)
        self.assertEqual(len(classifier.classes_), 6)

    def test_a_few_rows_are_answered_the_same_in_any_company(self):
        classifier = taught()
        x, _ = blobs(range(6), rows=10, seed=9)
        order = np.random.default_rng(1).permutation(len(x))
        together = classifier.predict_proba(x)
        np.testing.assert_array_equal(classifier.predict_proba(x[order]), together[order])
        np.testing.assert_array_equal(classifier.predict_proba(x[7:8]), together[7:8])

    def test_a_class_can_be_forgotten(self):
        x, _ = blobs(range(6), seed=9)
        for label in (0, 5):  # consolidated and recent
            classifier = taught().forget(label)
            self.assertNotIn(label, classifier.classes_)
            self.assertNotIn(label, classifier.predict(x))
            self.assertNotIn(label, classifier.explain(x)["recent_label"])
            classifier.partial_fit(*blobs([6]))
            self.assertEqual(len(classifier.classes_), 6)
            with self.assertRaisesRegex(ValueError, "not one of the 6 classes"):
                classifier.forget(label)

    def test_fit_forgets_what_was_taught_before(self):
        classifier = taught().fit(*blobs([7, 8]))
        np.testing.assert_array_equal(classifier.classes_, [7, 8])

    def test_every_incremental_learner_works(self):
        x, y = blobs(range(3), seed=9)
        for name in ("nearest-mean", "streaming-lda", "nearest-neighbor", "ridge"):
            classifier = FearNetClassifier(learner=name).partial_fit(*blobs([0, 1])).partial_fit(*blobs([2]))
            self.assertGreater(classifier.score(x, y), 0.9, name)

    def test_standardizing_makes_the_scale_of_features_not_matter(self):
        x, y = blobs(range(4))
        factors = np.logspace(-3, 3, x.shape[1]).astype(np.float32)
        one = FearNetClassifier(settings=QUICK, standardize=True).fit(x, y)
        other = FearNetClassifier(settings=QUICK, standardize=True).fit(x * factors, y)
        np.testing.assert_array_equal(one.predict(x), other.predict(x * factors))

    def test_options_fit_narrow_rows_unless_told_otherwise(self):
        x, y = blobs([0, 1])
        options = FearNetClassifier().fit(x, y)._learner.options()
        self.assertEqual(options["network.hidden"], "48,48")
        self.assertEqual(options["network.reconstruction"], "60,1,0.1")
        self.assertEqual(taught()._learner.options()["network.hidden"], "16,8")
        self.assertEqual(fearnet.settings_for_width(2048)["network.hidden"], [350, 300])

    def test_mistakes_are_told(self):
        x, y = blobs([0, 1])
        for params in ({"learner": "nobody"}, {"preset": "nothing"}, {"settings": {"no.such": 1}}):
            with self.assertRaises(fearnet.Error):
                FearNetClassifier(**params).fit(x, y)
        with self.assertRaisesRegex(ValueError, "not in classes"):
            FearNetClassifier().partial_fit(x, y, classes=[0])


class Keeping(FolderTest):
    def test_copies_and_pickles_answer_the_same_and_go_on_the_same(self):
        classifier = taught()
        x, _ = blobs(range(7), seed=9)
        for other in (pickle.loads(pickle.dumps(classifier)), copy.deepcopy(classifier)):
            np.testing.assert_array_equal(other.predict_proba(x), classifier.predict_proba(x))
            mine = copy.deepcopy(classifier).partial_fit(*blobs([6])).sleep()
            other.partial_fit(*blobs([6])).sleep()
            np.testing.assert_array_equal(other.predict_proba(x), mine.predict_proba(x))
        self.assertEqual(len(classifier.classes_), 6)

    def test_a_brain_file_holds_the_whole_classifier(self):
        classifier = taught()
        classifier.save(self.file("a.brain"))
        x, _ = blobs(range(6), seed=9)
        self.assertEqual(fearnet.check_brain(self.file("a.brain")), [])
        loaded = FearNetClassifier.load(self.file("a.brain"))
        np.testing.assert_array_equal(loaded.classes_, classifier.classes_)
        np.testing.assert_array_equal(loaded.class_count_, classifier.class_count_)
        np.testing.assert_array_equal(loaded.predict_proba(x), classifier.predict_proba(x))
        self.assertEqual(loaded.sessions_since_sleep_, 2)
        with fearnet.Brain.open(self.file("a.brain")) as brain:
            self.assertEqual(brain.labels(x), [str(label) for label in classifier.predict(x)])
        loaded.partial_fit(*blobs([6]))
        self.assertEqual(loaded.predict(blobs([6], seed=9)[0])[0], 6)

    def test_texts_that_look_like_numbers_can_stay_texts(self):
        FearNetClassifier(settings=QUICK).fit(blobs([0, 1])[0], ["1"] * 25 + ["2"] * 25).save(self.file("a"))
        self.assertEqual(FearNetClassifier.load(self.file("a")).classes_.tolist(), [1, 2])
        self.assertEqual(FearNetClassifier.load(self.file("a"), dtype=str).classes_.tolist(), ["1", "2"])

    def test_what_a_brain_file_cannot_hold_is_refused(self):
        with self.assertRaisesRegex(ValueError, "means and deviations"):
            FearNetClassifier(settings=QUICK, standardize=True).fit(*blobs([0, 1])).save(self.file("a"))
        fearnet.Brain.create(self.file("empty")).close()
        with self.assertRaisesRegex(ValueError, "nothing has been taught"):
            FearNetClassifier.load(self.file("empty"))
        with self.assertRaises(fearnet.Error):
            FearNetClassifier.load(self.file("missing"))


class Interrupting(unittest.TestCase):
    LONG = {**QUICK, "training.min_steps": 10000000, "sleep.min_steps": 10000000}

    def interrupted(self, work):
        """Runs `work`, which would take hours, with a Ctrl-C on its way."""
        alarm = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT])
        old = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with self.assertRaises(KeyboardInterrupt):
                alarm.start()
                work()
        finally:
            alarm.cancel()
            signal.signal(signal.SIGINT, old)

    def test_control_c_stops_training_and_changes_nothing(self):
        classifier = taught()
        x, _ = blobs(range(6), seed=9)
        before, attributes = classifier.predict_proba(x), set(vars(classifier))
        classifier.set_params(settings=self.LONG)
        wide = np.hstack([x, x])
        self.interrupted(lambda: classifier.fit(wide, blobs(range(6))[1]))
        np.testing.assert_array_equal(classifier.predict_proba(x), before)
        self.assertEqual(set(vars(classifier)), attributes)
        self.assertEqual(classifier.n_features_in_, x.shape[1])
        classifier.set_params(settings=QUICK).partial_fit(*blobs([6]))
        self.assertEqual(len(classifier.classes_), 7)

    def test_control_c_in_the_first_fit_leaves_the_estimator_unfitted(self):
        classifier = FearNetClassifier(settings=self.LONG)
        for teach in (classifier.fit, classifier.partial_fit):
            self.interrupted(lambda: teach(*blobs([0, 1])))
            with self.assertRaisesRegex(ValueError, "not fitted"):
                classifier.predict(blobs([0])[0])
        classifier.set_params(settings=QUICK).fit(*blobs([0, 1]))

    def test_control_c_in_the_sleep_after_a_session_takes_the_session_back(self):
        classifier = FearNetClassifier(settings={**QUICK, "sleep.min_steps": 10000000}, sleep_every=1)
        classifier.fit(*blobs([0, 1]))
        self.interrupted(lambda: classifier.partial_fit(*blobs([2])))
        np.testing.assert_array_equal(classifier.classes_, [0, 1])
        self.assertEqual(set(classifier.predict(blobs([2])[0])) - {0, 1}, set())

    def test_other_threads_run_while_one_trains(self):
        learner = fearnet.Learner(settings={**QUICK, "training.min_steps": 10000000})
        x, y = blobs([0, 1])
        begun, stop = threading.Event(), threading.Event()

        def progress(*_):
            begun.set()
            return not stop.is_set()

        def train():
            with self.assertRaises(fearnet.Cancelled):
                learner.learn(x, y, progress)

        thread = threading.Thread(target=train)
        thread.start()
        begun.wait()
        with self.assertRaisesRegex(fearnet.Error, "in use"):
            learner.learn(x, y)
        stop.set()
        thread.join()
        self.assertEqual(learner.width, 0)

    def test_what_a_callback_raises_comes_out(self):
        def fail(phase, done, total, loss):
            raise LookupError(phase)

        learner = fearnet.Learner(settings=QUICK)
        with self.assertRaisesRegex(LookupError, "base"):
            learner.learn(*blobs([0, 1]), fail)
        learner.learn(*blobs([0, 1]))


if __name__ == "__main__":
    unittest.main()
