"""Brain and Learner, and the protocol."""

import contextlib
import math
import sqlite3
import unittest
from dataclasses import replace

import numpy as np
from data import QUICK, WIDTH, FolderTest, blobs

import fearnet


class InAFile(FolderTest):
    def taught(self):
        brain = fearnet.Brain.create(self.file("a.brain"), settings={"due.sessions": 1})
        for classes in ([0, 1, 2], [3]):
            x, y = blobs(classes)
            outcome = brain.learn(x, [f"class {label}" for label in y])
        self.assertEqual(outcome["new_classes"], ["class 3"])
        self.assertIn("due.sessions", outcome["sleep_due"])
        return brain

    def test_what_is_taught_is_there_after_opening_again(self):
        x, y = blobs(range(4), seed=9)
        with self.taught() as brain:
            before = brain.probabilities(x)
        with fearnet.Brain.open(self.file("a.brain")) as brain:
            np.testing.assert_array_equal(brain.probabilities(x), before)
            right = np.mean([name == f"class {label}" for name, label in zip(brain.labels(x), y)])
            self.assertGreater(right, 0.9)
            self.assertTrue(brain.sleep())
            self.assertFalse(brain.sleep())
            self.assertEqual(brain.info()["memory"]["examples"], 0)
            for known in brain.info()["classes"]:
                self.assertGreater(known["expected_accuracy"], 0.5)
        with self.assertRaisesRegex(fearnet.Error, "closed"):
            brain.info()

    def test_wrong_labels_are_named_and_classes_reviewed(self):
        brain = self.taught()
        x, y = blobs([4, 5, 6], seed=3)
        labels = [f"class {label}" for label in y]
        labels[2] = labels[7] = "class 5"
        suspects = brain.suspect_labels(x, labels)
        self.assertEqual([(s["row"], s["looks_like"]) for s in suspects], [(2, "class 4"), (7, "class 4")])
        self.assertGreater(suspects[0]["probability"], 0.5)
        self.assertEqual(brain.class_names(), [f"class {c}" for c in range(4)], "nothing was taught")
        review = brain.review()
        self.assertTrue(review["estimated"])
        self.assertEqual([c["name"] for c in review["classes"]], brain.class_names())
        self.assertGreater(review["classes"][0]["accuracy"], 0.5)
        self.assertEqual(review["maybe_one"], [])
        with self.assertRaisesRegex(fearnet.Error, "rows but 1 labels"):
            brain.suspect_labels(x, ["one"])

    def test_answers_are_ranked_for_a_row_and_for_several(self):
        brain = self.taught()
        x, _ = blobs([3], seed=9)
        several = brain.predict(x[:2], top=2)
        self.assertEqual([len(answer) for answer in several], [2, 2])
        self.assertEqual(several[0][0][0], "class 3")
        one = brain.predict(x[0], top=2)
        self.assertEqual([name for name, _ in one], [name for name, _ in several[0]])
        np.testing.assert_allclose([p for _, p in one], [p for _, p in several[0]], atol=1e-5)
        self.assertIsNone(brain.explain(x[0]), "a fearnet-plus has nothing to say")

    def test_rows_of_no_taught_class_are_unknown(self):
        known, y = blobs(range(4), seed=9)
        strange, _ = blobs([9], seed=9)
        with self.taught() as brain:
            familiarity = brain.familiarity(known)
            self.assertEqual(familiarity.shape, (len(known),))
            self.assertGreater(np.median(familiarity), 0.2)
            self.assertLess(brain.familiarity(strange).max(), 0.01)
            self.assertIsInstance(brain.familiarity(strange[0]), float)
            self.assertEqual(brain.familiarity(strange[:0]).shape, (0,))
            names = brain.labels(known)
            expected = ["?" if f < 0.01 else name for name, f in zip(names, familiarity)]
            self.assertEqual(brain.labels(known, unknown="?"), expected)
            self.assertEqual(set(brain.labels(strange, unknown="?")), {"?"})
            with self.assertRaisesRegex(fearnet.Error, "features"):
                brain.familiarity(known[:, 1:])
            sets = brain.label_sets(known)
            self.assertGreater(np.mean([f"class {c}" in s for c, s in zip(y, sets)]), 0.7)
            self.assertEqual(brain.label_sets(known[0], confidence=0.9), sets[0])
            self.assertEqual(brain.label_sets(strange), [[]] * len(strange))
            with self.assertRaisesRegex(fearnet.Error, "from 0.5 to 0.999"):
                brain.label_sets(known, confidence=90)
        with fearnet.Brain(settings={"open.unknown": 0}) as brain:
            brain.learn(known, [f"class {label}" for label in y])
            self.assertNotIn("?", brain.labels(strange, unknown="?"))

    def test_tracked_predictions_show_which_class_has_changed(self):
        with self.taught() as brain:
            self.assertIsNone(brain.info()["classes"][0]["predicted"])
            for day in range(12):
                x, y = blobs(range(4), seed=20 + day)
                x[y == 0, 1] += 0.2
                before = brain.predict(x)
                self.assertEqual(brain.predict(x, track=True), before)
            brain.predict(x[0], track=True)
        with fearnet.Brain.open(self.file("a.brain")) as brain:
            changed = {c["name"]: c["predicted"]["changed"] for c in brain.info()["classes"]}
            self.assertEqual(changed, {f"class {c}": c == 0 for c in range(4)})
            brain.learn(x[y == 0], "class 0")
            self.assertIsNone(brain.info()["classes"][0]["predicted"])
            self.assertEqual(brain.info()["classes"][0]["taught_again"]["rows"], 25)
            self.assertLess(brain.info()["classes"][0]["taught_again"]["familiarity"], 0.45)

    def test_a_brain_of_single_rows_has_no_familiarity(self):
        brain = fearnet.Brain()
        x, _ = blobs([0, 1], rows=1)
        brain.learn(x, ["one", "two"])
        self.assertIsNone(brain.familiarity(x))
        self.assertIsNone(brain.familiarity(x[0]))
        self.assertEqual(len(brain.labels(x)), 2)
        with self.assertRaisesRegex(fearnet.Error, "does not estimate familiarity"):
            brain.labels(x, unknown="?")

    def test_answers_of_two_memories_are_explained(self):
        brain = fearnet.Brain(learner="fearnet", settings=QUICK)
        for classes in ([0, 1, 2], [3]):
            x, y = blobs(classes)
            brain.learn(x, [f"class {label}" for label in y])
        x, _ = blobs([3], seed=9)
        why = brain.explain(x)
        self.assertEqual(len(why), len(x))
        self.assertEqual((why[0]["memory"], why[0]["recent_label"]), ("recent", "class 3"))
        self.assertEqual(brain.explain(x[0])["label"], "class 3")

    def test_a_brain_is_opened_made_or_kept_in_memory(self):
        x, _ = blobs([0])
        with fearnet.Brain(settings={"due.sessions": 1}) as scratch:
            self.assertIsNone(scratch.sleep_due())
            scratch.learn(x, "apple")
            self.assertIn("due.sessions", scratch.sleep_due())
            self.assertEqual(scratch.path, "")
            scratch.copy_to(self.file("kept.brain"))
        for name, known in (("kept.brain", ["apple"]), ("fresh.brain", [])):
            for _ in range(2):
                with fearnet.Brain(self.file(name)) as brain:
                    self.assertEqual(brain.class_names(), known)
        with self.assertRaisesRegex(fearnet.Error, "fearnet-plus, not fearnet"):
            fearnet.Brain(self.file("kept.brain"), learner="fearnet")
        with self.assertRaisesRegex(fearnet.Error, "No such file"):
            fearnet.Brain.open(self.file("missing.brain"))

    def test_classes_are_renamed_and_merged(self):
        brain = self.taught()
        brain.rename("class 0", "apple")
        brain.merge("class 1", "apple")
        self.assertEqual(brain.class_names(), ["apple", "class 2", "class 3"])
        self.assertEqual(brain.names_of_classes(), ["apple", "apple", "class 2", "class 3"])
        self.assertEqual([h["action"] for h in brain.info()["history"]][-2:], ["rename", "merge"])
        with self.assertRaises(fearnet.Error):
            brain.rename("apple", "class 2")
        brain.close()
        with self.assertRaisesRegex(ValueError, "merged"):
            fearnet.FearNetClassifier.load(self.file("a.brain"))

    def test_a_file_opened_for_reading_is_not_written_to(self):
        self.taught().close()
        with fearnet.Brain.open(self.file("a.brain"), read_only=True) as brain:
            with self.assertRaises(fearnet.Error):
                brain.rename("class 0", "apple")

    def test_a_copy_is_a_brain_of_its_own(self):
        with self.taught() as brain:
            brain.copy_to(self.file("copy.brain"))
            with self.assertRaisesRegex(fearnet.Error, "exists already"):
                brain.copy_to(self.file("copy.brain"))
            brain.rename("class 0", "apple")
        self.assertEqual(fearnet.check_brain(self.file("copy.brain"), lock_timeout=1), [])
        with fearnet.Brain.open(self.file("copy.brain"), lock_timeout=0) as copy:
            self.assertIn("class 0", copy.class_names())

    def test_the_lock_timeout_is_an_option(self):
        with self.taught() as brain, fearnet.Brain.open(self.file("a.brain"), lock_timeout=0.02) as other:
            with contextlib.closing(sqlite3.connect(self.file("a.brain"), isolation_level=None)) as writer:
                writer.execute("BEGIN IMMEDIATE")
                with self.assertRaisesRegex(fearnet.Error, "not done after 0.02 s"):
                    other.rename("class 0", "apple")
                brain.set_lock_timeout(0.03)
                with self.assertRaisesRegex(fearnet.Error, "not done after 0.03 s"):
                    brain.rename("class 0", "apple")
            for wrong in (-1, float("nan")):
                with self.assertRaisesRegex(fearnet.Error, "lock_timeout"):
                    brain.set_lock_timeout(wrong)

    def test_hostile_names_are_refused_and_quoted_safely(self):
        with self.taught() as brain:
            for name in ("\x1b]0;x\x07", "a\x7f", "a\x9b", "a\u202e", "x" * 257):
                with self.assertRaises(fearnet.Error) as refused:
                    brain.rename("class 0", name)
                self.assertNotRegex(str(refused.exception), "[\x00-\x1f\x7f-\x9f\u202e]")

    def test_unknown_rows_are_grouped(self):
        x, y = blobs(range(2, 7), seed=5)
        with self.taught() as brain:
            groups = brain.discover(x, below=1.0)
            self.assertEqual([len(g["rows"]) for g in groups], [25, 25, 25])
            self.assertEqual({y[row] for g in groups for row in g["rows"]}, {4, 5, 6})
            for group in groups:
                self.assertEqual(len({y[row] for row in group["rows"]}), 1)
                self.assertIn(group["nearest"], brain.class_names())
                self.assertGreater(group["spread"], 0)
            self.assertEqual(brain.discover(x[:0]), [])
            with self.assertRaisesRegex(fearnet.Error, "options.below is 2"):
                brain.discover(x, below=2)

    def test_rows_to_label_are_suggested(self):
        x, y = blobs(range(4, 8), seed=5)
        with self.taught() as brain:
            self.assertEqual({y[row] for row in brain.suggest(x, 4)}, {4, 5, 6, 7})
            self.assertEqual(y[brain.suggest(x, 1, labeled=x[y < 7])], [7])
            with self.assertRaisesRegex(fearnet.Error, "count of 0"):
                brain.suggest(x, 0)

    def test_text_can_be_taught(self):
        brain = fearnet.Brain.create(self.file("t"), settings={"brain.features": "text:ngrams"})
        self.assertTrue(brain.accepts_text)
        self.assertEqual(brain.text_rows(["one", "two"]).shape, (2, brain.width))


class InMemory(unittest.TestCase):
    def test_numbers_of_other_types_and_orders_are_converted(self):
        x, y = blobs([0, 1, 2])
        learner = fearnet.Learner("fearnet", settings=QUICK)
        learner.learn(x, y)
        expected = learner.predict(x)
        for other in (x.astype(np.float64), np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], x.tolist()):
            np.testing.assert_array_equal(learner.predict(other), expected)

    def test_bad_input_is_refused(self):
        x, y = blobs([0, 1])
        learner = fearnet.Learner("fearnet", settings=QUICK)
        with self.assertRaisesRegex(fearnet.Error, "50 rows but 49 labels"):
            learner.learn(x, y[1:])
        with self.assertRaisesRegex(fearnet.Error, "call learn first"):
            learner.predict(x)
        with self.assertRaisesRegex(fearnet.Error, "1 dimensions"):
            learner.learn(x[0], y)
        x[3, 2] = np.nan
        with self.assertRaisesRegex(fearnet.Error, "row 3, column 2"):
            learner.learn(x, y)

    def test_options_say_what_they_mean(self):
        options = {o["name"]: o for o in fearnet.learner_options("fearnet")}
        self.assertEqual(options["sleep.fresh"]["value"], "true")
        self.assertIn("fearnet", fearnet.learner_names())
        self.assertIn("cub200", fearnet.preset_names())
        learner = fearnet.Learner("fearnet", settings={"sleep.fresh": False, "network.hidden": (8, 4), "training.rate": 1e-3})
        self.assertEqual(learner.options()["sleep.fresh"], "false")
        self.assertEqual(learner.options()["network.hidden"], "8,4")


class Protocol(unittest.TestCase):
    def evaluate(self, **options):
        (x, y), (x_test, y_test) = blobs(range(6)), blobs(range(6), rows=10, seed=9)
        names = np.array([f"class {c}" for c in range(6)])
        return fearnet.evaluate_stream(x, names[y], x_test, names[y_test], settings=QUICK, **options)

    def test_the_scores_are_those_of_the_sessions(self):
        result = self.evaluate(base_classes=3, sleep_every=2, seed=5)
        self.assertEqual([s.classes_seen for s in result.sessions], [3, 4, 5, 6])
        self.assertEqual([s.slept for s in result.sessions], [False, False, True, False])
        later = result.sessions[1:]
        self.assertAlmostEqual(result.omega_new, np.mean([s.accuracy.recent for s in later]))
        self.assertAlmostEqual(
            result.omega_all, np.mean([s.accuracy.all for s in later]) / result.offline_accuracy, places=12
        )
        self.assertGreater(result.omega_all, 0.8)
        self.assertTrue(math.isfinite(result.omega_base))
        self.assertEqual(result.sessions[-1].accuracy.all, result.final_accuracy)
        self.assertEqual(result, self.evaluate_again(result, base_classes=3, sleep_every=2, seed=5))

    def evaluate_again(self, first, **options):
        """With the first's times, which alone may differ."""
        again = self.evaluate(**options)
        sessions = [replace(s, seconds=f.seconds) for s, f in zip(again.sessions, first.sessions)]
        return replace(again, seconds=first.seconds, sessions=sessions)

    def test_it_can_be_cancelled(self):
        with self.assertRaises(fearnet.Cancelled):
            self.evaluate(progress=lambda *_: False)

    def test_sets_that_do_not_fit_are_refused(self):
        x, y = blobs([0, 1])
        with self.assertRaisesRegex(ValueError, "training rows have not"):
            fearnet.evaluate_stream(x, y, x, y + 1)
        with self.assertRaises(fearnet.Error):
            fearnet.evaluate_stream(x, y, x[:, : WIDTH - 1], y)


if __name__ == "__main__":
    unittest.main()
