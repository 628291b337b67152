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
    classifier = FearNetClassifier("fearnet", settings=QUICK, **params).partial_fit(*blobs([0, 1, 2, 3]))
    for label in (4, 5):
        classifier.partial_fit(*blobs([label]))
    return classifier


def rows_of_frames(rows=40):
    """Ten frames of eight features; the frames of a row are about the same."""
    rng = np.random.default_rng(1)
    y = np.arange(rows) % 4
    frame = rng.normal(0, 1, (rows, 8)) + y[:, None]
    return (np.tile(frame, 10) + rng.normal(0, 0.5, (rows, 80))).astype(np.float32), y


class Frames(unittest.TestCase):
    def test_the_first_session_detects_them(self):
        x, y = rows_of_frames()
        self.assertEqual(fearnet.find_frames(x), 10)
        self.assertEqual(fearnet.find_frames(x[:, :12]), 1)
        for teach in (FearNetClassifier.fit, FearNetClassifier.partial_fit):
            classifier = teach(FearNetClassifier(), x, y)
            self.assertEqual(classifier._learner.options()["features.frames"], "10")
        classifier.partial_fit(np.zeros((3, 80)) + np.arange(80), [7] * 3)
        self.assertEqual(classifier._learner.options()["features.frames"], "10")

    def test_a_number_that_was_set_is_kept(self):
        x, y = rows_of_frames()
        for frames in (1, 5):
            classifier = FearNetClassifier(settings={"features.frames": frames}).fit(x, y)
            self.assertEqual(classifier._learner.options()["features.frames"], str(frames))
            self.assertEqual(classifier.settings, {"features.frames": frames})

    def test_a_brain_and_a_learner_have_the_number_that_they_are_given(self):
        x, y = rows_of_frames()
        for settings, frames in (({}, "1"), ({"features.frames": fearnet.find_frames(x)}, "10")):
            brain = fearnet.Brain(settings=settings)
            brain.learn(x, [str(label) for label in y])
            self.assertEqual(brain.info()["options"]["features.frames"], frames)
            learner = fearnet.Learner(settings=settings)
            learner.learn(x, y)
            self.assertEqual(learner.options()["features.frames"], frames)


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
            classifier = FearNetClassifier("fearnet", settings=QUICK).partial_fit(x[first], labels[y[first]])
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

    def test_rows_of_no_taught_class_look_strange(self):
        classifier = FearNetClassifier().partial_fit(*blobs(range(4))).partial_fit(*blobs([4]))
        x, _ = blobs(range(5), seed=9)
        self.assertGreater(np.median(classifier.familiarity(x)), 0.2)
        self.assertLess(classifier.familiarity(blobs([9])[0]).max(), 0.01)
        np.testing.assert_array_equal(classifier.familiarity(x[:9]), [classifier.familiarity(r[None])[0] for r in x[:9]])
        single = FearNetClassifier().fit(*blobs([0, 1], rows=1))
        self.assertIsNone(single.familiarity(x), "no row can be left out")

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
        one = FearNetClassifier("fearnet", settings=QUICK, standardize=True).fit(x, y)
        other = FearNetClassifier("fearnet", settings=QUICK, standardize=True).fit(x * factors, y)
        np.testing.assert_array_equal(one.predict(x), other.predict(x * factors))

    def test_options_fit_narrow_rows_unless_told_otherwise(self):
        x, y = blobs([0, 1])
        options = FearNetClassifier("fearnet").fit(x, y)._learner.options()
        self.assertEqual(options["network.hidden"], "48,48")
        self.assertEqual(options["network.reconstruction"], "60,1,0.1")
        self.assertEqual(taught()._learner.options()["network.hidden"], "16,8")
        self.assertEqual(fearnet.settings_for_width(2048)["network.hidden"], [350, 300])

    def test_a_weight_is_the_number_of_times_that_a_row_is_taught(self):
        x, y = blobs(range(4))
        weight = np.arange(len(y)) % 3
        chosen = np.repeat(np.arange(len(y)), weight)
        for learner in ("fearnet", "nearest-mean"):
            params = {"learner": learner, "settings": QUICK if learner == "fearnet" else None}
            by_weight = FearNetClassifier(**params).fit(x, y, sample_weight=weight)
            by_rows = FearNetClassifier(**params).fit(x[chosen], y[chosen])
            np.testing.assert_array_equal(by_weight.predict_proba(x), by_rows.predict_proba(x))
            np.testing.assert_array_equal(by_weight.class_count_, by_rows.class_count_)
            more = blobs([5])
            by_weight.partial_fit(*more, sample_weight=[2.0] * 25)
            self.assertEqual(by_weight.class_count_[-1], 50)

    def test_weights_that_are_not_counts_are_refused(self):
        classifier = taught()
        x, y = blobs([6])
        for message, weight in [
            (r"sample_weight\[3\] is 0.5", [1, 1, 1, 0.5] + [1] * 21),
            (r"sample_weight\[0\] is -1", [-1] * 25),
            (r"sample_weight\[0\] is nan", [np.nan] * 25),
            (r"shape \(24,\), but 25 rows", [1] * 24),
            (r"all 25 numbers of sample_weight are 0", [0] * 25),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                classifier.partial_fit(x, y, sample_weight=weight)
        self.assertEqual(len(classifier.classes_), 6)

    def test_the_decision_function_agrees_with_the_answers(self):
        x, y = blobs(range(4), seed=9)
        classifier = taught()
        decision = classifier.decision_function(x)
        self.assertEqual(decision.shape, (len(x), 6))
        np.testing.assert_array_equal(classifier.classes_[decision.argmax(axis=1)], classifier.predict(x))
        self.assertTrue(np.isfinite(decision).all())
        two = FearNetClassifier("fearnet", settings=QUICK).fit(*blobs([0, 1]))
        odds = two.decision_function(x)
        self.assertEqual(odds.shape, (len(x),))
        np.testing.assert_array_equal(two.classes_[(odds > 0).astype(int)], two.predict(x))

    def test_any_number_of_threads_gives_the_same_classifier(self):
        x, _ = blobs(range(6), seed=9)
        before = fearnet.max_threads()
        one = taught(n_jobs=1)
        for jobs in (2, -1):
            np.testing.assert_array_equal(taught(n_jobs=jobs).predict_proba(x), one.predict_proba(x))
        self.assertEqual(fearnet.max_threads(), before)
        for jobs in (0, -1000):
            with self.assertRaisesRegex(ValueError, f"n_jobs is {jobs}"):
                one.set_params(n_jobs=jobs).predict(x)

    def test_single_settings_are_set_by_their_names(self):
        settings = {"sleep.epochs": 7}
        classifier = FearNetClassifier("fearnet", settings=settings)
        classifier.set_params(settings__sleep__min_steps=3, **{"settings__training.batch": 8}, sleep_every=2)
        self.assertEqual(classifier.settings, {"sleep.epochs": 7, "sleep.min_steps": 3, "training.batch": 8})
        self.assertEqual(settings, {"sleep.epochs": 7})
        self.assertEqual(classifier.get_params()["settings__sleep.min_steps"], 3)
        self.assertNotIn("settings__sleep.min_steps", classifier.get_params(deep=False))
        self.assertEqual(classifier.sleep_every, 2)

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

    def test_a_brain_file_is_replaced_only_when_told_to(self):
        old, new = taught(), FearNetClassifier("fearnet", settings=QUICK).fit(*blobs([0, 7]))
        path = self.file("a.brain")
        old.save(path)
        with self.assertRaisesRegex(fearnet.Error, "exists already"):
            new.save(path)
        with fearnet.Brain.open(path) as reader:
            new.save(path, overwrite=True)
            reader.refresh()
            self.assertEqual(reader.class_names(), ["0", "7"])
        self.assertEqual(fearnet.check_brain(path), [])
        x, _ = blobs([0, 7], seed=9)
        loaded = FearNetClassifier.load(path)
        np.testing.assert_array_equal(loaded.predict_proba(x), new.predict_proba(x))
        new.save(self.file("b.brain"), overwrite=True)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.brain", "b.brain"])

    def test_other_files_are_never_replaced(self):
        classifier = FearNetClassifier("fearnet", settings=QUICK).fit(*blobs([0, 1]))
        path = self.file("letter.txt")
        with open(path, "w") as file:
            file.write("dear")
        for place in (path, self.folder, "/dev/null"):
            with self.assertRaises(fearnet.Error):
                classifier.save(place, overwrite=True)
        with open(path) as file:
            self.assertEqual(file.read(), "dear")

    def test_texts_that_look_like_numbers_can_stay_texts(self):
        FearNetClassifier("fearnet", settings=QUICK).fit(blobs([0, 1])[0], ["1"] * 25 + ["2"] * 25).save(self.file("a"))
        self.assertEqual(FearNetClassifier.load(self.file("a")).classes_.tolist(), [1, 2])
        self.assertEqual(FearNetClassifier.load(self.file("a"), dtype=str).classes_.tolist(), ["1", "2"])

    def test_what_a_brain_file_cannot_hold_is_refused(self):
        with self.assertRaisesRegex(ValueError, "means and deviations"):
            FearNetClassifier("fearnet", settings=QUICK, standardize=True).fit(*blobs([0, 1])).save(self.file("a"))
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
        classifier = FearNetClassifier("fearnet", settings=self.LONG)
        for teach in (classifier.fit, classifier.partial_fit):
            self.interrupted(lambda: teach(*blobs([0, 1])))
            with self.assertRaisesRegex(ValueError, "not fitted"):
                classifier.predict(blobs([0])[0])
        classifier.set_params(settings=QUICK).fit(*blobs([0, 1]))

    def test_control_c_in_the_sleep_after_a_session_takes_the_session_back(self):
        classifier = FearNetClassifier("fearnet", settings={**QUICK, "sleep.min_steps": 10000000}, sleep_every=1)
        classifier.fit(*blobs([0, 1]))
        self.interrupted(lambda: classifier.partial_fit(*blobs([2])))
        np.testing.assert_array_equal(classifier.classes_, [0, 1])
        self.assertEqual(set(classifier.predict(blobs([2])[0])) - {0, 1}, set())

    def test_control_c_right_after_the_work_changes_nothing(self):
        class Unlucky(FearNetClassifier):
            unlucky = False

            def _set_labels(self, labels):
                if self.unlucky:
                    raise KeyboardInterrupt
                super()._set_labels(labels)

        x, y = blobs(range(4), seed=9)
        for learner in ("nearest-mean", "fearnet-plus"):
            classifier = Unlucky(learner=learner).fit(*blobs([0, 1, 2]))
            before = classifier.predict_proba(x)
            classifier.unlucky = True
            changes = [lambda: classifier.partial_fit(*blobs([3])), lambda: classifier.fit(*blobs([5, 6]))]
            if learner == "fearnet-plus":  # the other one cannot forget
                changes.append(lambda: classifier.forget(1))
            for change in changes:
                with self.assertRaises(KeyboardInterrupt):
                    change()
                np.testing.assert_array_equal(classifier.predict_proba(x), before)
            classifier.unlucky = False
            self.assertGreater(classifier.partial_fit(*blobs([3])).score(x, y), 0.9)

    def test_other_threads_run_while_one_trains(self):
        learner = fearnet.Learner("fearnet", settings={**QUICK, "training.min_steps": 10000000})
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

        learner = fearnet.Learner("fearnet", settings=QUICK)
        with self.assertRaisesRegex(LookupError, "base"):
            learner.learn(*blobs([0, 1]), fail)
        learner.learn(*blobs([0, 1]))


if __name__ == "__main__":
    unittest.main()
