// The C API: the same answers as the C++ one, and every misuse a code and a text.
#include <fearnet_c.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "fearnet/error.hpp"
#include "support/brains.hpp"

namespace fearnet {
namespace {

constexpr std::size_t kWidth = 12;

struct Close {
    void operator()(fearnet_brain* brain) const { fearnet_close(brain); }
};
using Handle = std::unique_ptr<fearnet_brain, Close>;

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> result;
    for (const std::string& t : texts) result.push_back(t.c_str());
    return result;
}

class CApiTest : public testing::Test {
  protected:
    Handle create(const std::string& file, const std::string& learner = "fearnet") {
        std::vector<std::string> texts{"learner=" + learner};
        for (const auto& [name, value] : test::quick_brain().learner.settings)
            if (learner == "fearnet") texts.push_back(name + "=" + value);
        const auto options = pointers(texts);
        fearnet_brain* brain = nullptr;
        EXPECT_EQ(fearnet_create(file.c_str(), options.data(), options.size(), &brain), FEARNET_OK)
            << fearnet_last_error();
        return Handle(brain);
    }
    static fearnet_status teach(fearnet_brain* brain, const Examples& e, fearnet_outcome* outcome = nullptr,
                                fearnet_progress progress = nullptr, void* user = nullptr) {
        const std::vector<std::string> names = test::names_of(e);
        return fearnet_learn(brain, e.x.data(), e.x.rows(), e.x.cols(), pointers(names).data(), names.size(),
                             progress, user, outcome);
    }
    Handle taught() {
        Handle brain = create(file_);
        EXPECT_EQ(teach(brain.get(), base_), FEARNET_OK);
        EXPECT_EQ(teach(brain.get(), more_), FEARNET_OK);
        return brain;
    }
    static std::size_t classes(const fearnet_brain* brain) {
        fearnet_summary summary;
        EXPECT_EQ(fearnet_info(brain, &summary), FEARNET_OK);
        return summary.classes;
    }

    test::Folder folder_;
    std::string file_ = (folder_ / "a.brain").string();
    Examples base_ = test::blobs(0, 4, 25, kWidth, 1);
    Examples more_ = test::blobs(4, 1, 25, kWidth, 6);
    Examples probe_ = test::blobs(0, 5, 10, kWidth, 9);
};

TEST_F(CApiTest, answers_as_the_brain_does) {
    const Handle brain = taught();
    constexpr std::size_t kTop = 7;  // more than there are classes
    std::vector<fearnet_ranked> ranked(probe_.size() * kTop);
    ASSERT_EQ(fearnet_predict(brain.get(), probe_.x.data(), probe_.size(), kWidth, ranked.data(), kTop),
              FEARNET_OK);
    std::vector<fearnet_explanation> why(probe_.size());
    int explained = 0;
    ASSERT_EQ(fearnet_explain(brain.get(), probe_.x.data(), probe_.size(), kWidth, why.data(), &explained),
              FEARNET_OK);
    ASSERT_EQ(explained, 1);
    const Brain same(file_, BrainAccess::read);
    const std::vector<BrainAnswer> answers = same.predict(probe_.x);
    const std::vector<BrainExplanation> expected = same.explain(probe_.x);
    for (std::size_t i = 0; i < probe_.size(); ++i) {
        EXPECT_EQ(ranked[i * kTop].label, answers[i].label());
        EXPECT_EQ(ranked[i * kTop].probability, answers[i].probability());
        EXPECT_EQ(ranked[i * kTop].label, why[i].label) << "one text per label";
        EXPECT_STREQ(ranked[i * kTop + 4].label, answers[i].top(5)[4].name.c_str());
        EXPECT_EQ(ranked[i * kTop + 5].label, nullptr);
        EXPECT_EQ(why[i].router, expected[i].router);
        EXPECT_EQ(why[i].psi, expected[i].psi);
        EXPECT_EQ(why[i].recent_label, expected[i].recent_label);
        EXPECT_EQ(why[i].memory == FEARNET_RECENT, expected[i].memory == Memory::recent);
    }
}

TEST_F(CApiTest, tells_how_familiar_rows_look_and_which_classes_they_fit) {
    const Handle brain = create(file_, "fearnet-plus");
    ASSERT_EQ(teach(brain.get(), base_), FEARNET_OK) << fearnet_last_error();
    ASSERT_EQ(teach(brain.get(), more_), FEARNET_OK) << fearnet_last_error();
    const Examples strange = test::blobs(9, 1, 4, kWidth, 3);
    const Brain same(file_, BrainAccess::read);
    for (const Examples* rows : {static_cast<const Examples*>(&probe_), &strange}) {
        const std::size_t n = rows->size();
        std::vector<fearnet_ranked> ranked(n * 2), alone(n * 2);
        std::vector<double> familiarity(n);
        std::vector<int> unknown(n, -1);
        ASSERT_EQ(fearnet_predict_with_familiarity(brain.get(), rows->x.data(), n, kWidth, ranked.data(), 2,
                                                   familiarity.data(), unknown.data()),
                  FEARNET_OK)
            << fearnet_last_error();
        ASSERT_EQ(fearnet_predict(brain.get(), rows->x.data(), n, kWidth, alone.data(), 2), FEARNET_OK);
        const std::vector<BrainAnswer> answers = same.predict(rows->x);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(familiarity[i], answers[i].familiarity());
            EXPECT_EQ(unknown[i], answers[i].unknown() ? 1 : 0);
            EXPECT_EQ(ranked[2 * i + 1].label, alone[2 * i + 1].label);
            EXPECT_EQ(ranked[2 * i].probability, alone[2 * i].probability);
        }
        constexpr std::size_t kRoom = 2;
        std::vector<const char*> labels(n * kRoom, "not written");
        std::vector<std::size_t> sizes(n), sizes_alone(n);
        ASSERT_EQ(fearnet_predict_sets(brain.get(), rows->x.data(), n, kWidth, 0.9, labels.data(), kRoom,
                                       sizes.data()),
                  FEARNET_OK)
            << fearnet_last_error();
        const auto sets = same.label_sets(rows->x, 0.9);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(sizes[i], sets[i].size());
            for (std::size_t k = 0; k < kRoom; ++k)
                if (k < sets[i].size())
                    EXPECT_EQ(labels[i * kRoom + k], sets[i][k]);
                else
                    EXPECT_EQ(labels[i * kRoom + k], nullptr);
        }
        ASSERT_EQ(
            fearnet_predict_sets(brain.get(), rows->x.data(), n, kWidth, 0.9, nullptr, 0, sizes_alone.data()),
            FEARNET_OK);
        EXPECT_EQ(sizes_alone, sizes);
    }
    const float* row = strange.x.data();
    int unknown = 0;
    ASSERT_EQ(fearnet_predict_with_familiarity(brain.get(), row, 1, kWidth, nullptr, 0, nullptr, &unknown),
              FEARNET_OK);
    EXPECT_EQ(unknown, 1);
    std::size_t size = 7;
    EXPECT_EQ(fearnet_predict_with_familiarity(brain.get(), row, 1, kWidth, nullptr, 1, nullptr, &unknown),
              FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(fearnet_predict_sets(brain.get(), row, 1, kWidth, 0.9, nullptr, 1, &size),
              FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(fearnet_predict_sets(brain.get(), row, 1, kWidth, 0.9, nullptr, 0, nullptr),
              FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(fearnet_predict_sets(brain.get(), row, 1, kWidth, 90, nullptr, 0, &size), FEARNET_ERROR);
    EXPECT_NE(std::strstr(fearnet_last_error(), "from 0.5 to 0.999"), nullptr) << fearnet_last_error();
    EXPECT_EQ(size, 7u) << "no result of a call that failed";

    fearnet_brain* made = nullptr;
    const char* never = "open.unknown=0";
    ASSERT_EQ(fearnet_open_or_create(nullptr, &never, 1, &made), FEARNET_OK) << fearnet_last_error();
    const Handle lenient(made);
    ASSERT_EQ(teach(made, base_), FEARNET_OK);
    ASSERT_EQ(fearnet_predict_with_familiarity(made, row, 1, kWidth, nullptr, 0, nullptr, &unknown),
              FEARNET_OK);
    EXPECT_EQ(unknown, 0);
}

TEST_F(CApiTest, rows_without_a_familiarity_are_not_unknown) {
    fearnet_brain* made = nullptr;
    ASSERT_EQ(fearnet_open_or_create(nullptr, nullptr, 0, &made), FEARNET_OK);
    const Handle brain(made);
    const char* labels[] = {"a", "b"};  // one row each: none can be left out
    ASSERT_EQ(fearnet_learn(made, base_.x.data(), 2, kWidth, labels, 2, nullptr, nullptr, nullptr),
              FEARNET_OK)
        << fearnet_last_error();
    double familiarity = 0;
    int unknown = 1;
    ASSERT_EQ(
        fearnet_predict_with_familiarity(made, base_.x.data(), 1, kWidth, nullptr, 0, &familiarity, &unknown),
        FEARNET_OK)
        << fearnet_last_error();
    EXPECT_EQ(familiarity, -1);
    EXPECT_EQ(unknown, 0);
}

TEST_F(CApiTest, opens_or_creates_and_lives_without_a_file_too) {
    fearnet_brain* made = nullptr;
    ASSERT_EQ(fearnet_open_or_create(nullptr, nullptr, 0, &made), FEARNET_OK) << fearnet_last_error();
    const Handle scratch(made);
    const char* label = "all of them";
    ASSERT_EQ(fearnet_learn(made, base_.x.data(), 25, kWidth, &label, 1, nullptr, nullptr, nullptr),
              FEARNET_OK)
        << fearnet_last_error();
    const char* two[] = {"a", "b"};
    EXPECT_EQ(fearnet_learn(made, base_.x.data(), 25, kWidth, two, 2, nullptr, nullptr, nullptr),
              FEARNET_ERROR);
    fearnet_ranked ranked;
    ASSERT_EQ(fearnet_predict(made, base_.x.data(), 1, kWidth, &ranked, 1), FEARNET_OK);
    EXPECT_STREQ(ranked.label, label);
    fearnet_explanation why;
    int explained = 1;
    ASSERT_EQ(fearnet_explain(made, base_.x.data(), 1, kWidth, &why, &explained), FEARNET_OK);
    EXPECT_EQ(explained, 0) << "a fearnet-plus has nothing to say";
    ASSERT_EQ(fearnet_copy(made, file_.c_str()), FEARNET_OK) << fearnet_last_error();
    for (int time = 0; time < 2; ++time) {
        fearnet_brain* opened = nullptr;
        ASSERT_EQ(fearnet_open_or_create(file_.c_str(), nullptr, 0, &opened), FEARNET_OK);
        const Handle closes(opened);
        EXPECT_EQ(classes(opened), 1u);
    }
    const char* other = "learner=fearnet";
    EXPECT_EQ(fearnet_open_or_create(file_.c_str(), &other, 1, &made), FEARNET_ERROR);
    EXPECT_NE(std::strstr(fearnet_last_error(), "fearnet-plus, not fearnet"), nullptr)
        << fearnet_last_error();
}

TEST_F(CApiTest, sleep_forget_rename_and_merge_change_the_file) {
    Handle brain = taught();
    int slept = 0;
    ASSERT_EQ(fearnet_sleep(brain.get(), 0, 0, nullptr, nullptr, &slept), FEARNET_OK);
    EXPECT_EQ(slept, 1);
    ASSERT_EQ(fearnet_sleep(brain.get(), 0, 0, nullptr, nullptr, &slept), FEARNET_OK);
    EXPECT_EQ(slept, 0);
    ASSERT_EQ(fearnet_forget(brain.get(), "class 2", nullptr, nullptr), FEARNET_OK) << fearnet_last_error();
    ASSERT_EQ(fearnet_rename(brain.get(), "class 0", "apple"), FEARNET_OK);
    ASSERT_EQ(fearnet_merge(brain.get(), "class 1", "apple"), FEARNET_OK);
    brain.reset();

    fearnet_brain* opened = nullptr;
    ASSERT_EQ(fearnet_open(file_.c_str(), 1, &opened), FEARNET_OK);
    brain.reset(opened);
    fearnet_class list[2];
    std::size_t count = 0;
    ASSERT_EQ(fearnet_classes(opened, list, 2, &count), FEARNET_OK);
    EXPECT_EQ(count, 3u);
    EXPECT_STREQ(list[0].label, "apple");
    EXPECT_EQ(list[0].examples, 50);
    EXPECT_EQ(list[0].recent, 0);
    EXPECT_EQ(list[0].consolidated, 1);
    EXPECT_EQ(fearnet_rename(opened, "apple", "pear"), FEARNET_ERROR) << "it was opened for reading";
}

TEST_F(CApiTest, copies_and_waits_as_long_as_it_is_told) {
    const Handle brain = taught();
    const std::string copy = file_ + ".copy";
    ASSERT_EQ(fearnet_copy(brain.get(), copy.c_str()), FEARNET_OK) << fearnet_last_error();
    EXPECT_EQ(fearnet_copy(brain.get(), copy.c_str()), FEARNET_ERROR) << "it exists";
    EXPECT_EQ(check_brain(copy), std::vector<std::string>{});
    EXPECT_EQ(fearnet_set_lock_timeout(brain.get(), -1), FEARNET_BAD_ARGUMENT);
    EXPECT_EQ(fearnet_set_lock_timeout(brain.get(), NAN), FEARNET_BAD_ARGUMENT);
    ASSERT_EQ(fearnet_set_lock_timeout(brain.get(), 0.02), FEARNET_OK);
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(fearnet_rename(brain.get(), "class 0", "apple"), FEARNET_ERROR);
    EXPECT_NE(std::strstr(fearnet_last_error(), "not done after 0.02 s"), nullptr) << fearnet_last_error();
    sqlite3_close(other);
    EXPECT_EQ(fearnet_rename(brain.get(), "class 0", "apple"), FEARNET_OK) << fearnet_last_error();
}

TEST_F(CApiTest, errors_are_safe_to_print_whatever_they_quote) {
    const Handle brain = taught();
    const std::string name = "\x1b]0;x\a" + std::string(2000, 'e') + "\xff";
    EXPECT_EQ(fearnet_rename(brain.get(), "class 0", name.c_str()), FEARNET_ERROR);
    for (std::string quoted : {name, "\x1b" + std::string(1015, 'e') + "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"}) {
        EXPECT_EQ(fearnet_forget(brain.get(), quoted.c_str(), nullptr, nullptr), FEARNET_ERROR);
        EXPECT_EQ(printable(fearnet_last_error()), fearnet_last_error());
        EXPECT_GT(std::strlen(fearnet_last_error()), 1000u);
    }
}

TEST_F(CApiTest, tells_what_a_session_did) {
    const Handle brain = create(file_);
    fearnet_outcome outcome;
    ASSERT_EQ(teach(brain.get(), base_, &outcome), FEARNET_OK);
    EXPECT_EQ(outcome.examples, 100u);
    EXPECT_EQ(outcome.new_classes, 4u);
    ASSERT_EQ(teach(brain.get(), base_, &outcome), FEARNET_OK);
    EXPECT_EQ(outcome.new_classes, 0u);
    EXPECT_EQ(outcome.known_classes, 4u);
    EXPECT_STREQ(outcome.sleep_due, "");
}

TEST_F(CApiTest, a_callback_that_returns_zero_cancels_and_nothing_is_learned) {
    const Handle brain = create(file_);
    int calls = 0;
    const auto stop = [](void* user, const char*, size_t, size_t, double) {
        return ++*static_cast<int*>(user) < 3 ? 1 : 0;
    };
    EXPECT_EQ(teach(brain.get(), base_, nullptr, stop, &calls), FEARNET_CANCELLED);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(classes(brain.get()), 0u);
    EXPECT_EQ(teach(brain.get(), base_), FEARNET_OK);
}

TEST_F(CApiTest, refuses_null_pointers) {
    const Handle handle = taught();
    fearnet_brain* brain = handle.get();
    fearnet_brain* made = nullptr;
    fearnet_ranked ranked;
    const float* rows = probe_.x.data();
    const char* labels[] = {"a", nullptr};
    const auto refused = [](fearnet_status status) {
        return status == FEARNET_BAD_ARGUMENT && std::strstr(fearnet_last_error(), "is NULL") != nullptr;
    };
    EXPECT_TRUE(refused(fearnet_create(nullptr, nullptr, 0, &made)));
    EXPECT_TRUE(refused(fearnet_create((file_ + "2").c_str(), nullptr, 0, nullptr)));
    EXPECT_TRUE(refused(fearnet_create((file_ + "2").c_str(), nullptr, 1, &made)));
    EXPECT_TRUE(refused(fearnet_open(nullptr, 0, &made)));
    EXPECT_TRUE(refused(fearnet_open(file_.c_str(), 0, nullptr)));
    EXPECT_TRUE(refused(fearnet_learn(nullptr, rows, 2, kWidth, labels, 2, nullptr, nullptr, nullptr)));
    EXPECT_TRUE(refused(fearnet_learn(brain, nullptr, 2, kWidth, labels, 2, nullptr, nullptr, nullptr)));
    EXPECT_TRUE(refused(fearnet_learn(brain, rows, 2, kWidth, nullptr, 2, nullptr, nullptr, nullptr)));
    EXPECT_TRUE(refused(fearnet_learn(brain, rows, 2, kWidth, labels, 2, nullptr, nullptr, nullptr)));
    EXPECT_TRUE(refused(fearnet_predict(nullptr, rows, 1, kWidth, &ranked, 1)));
    EXPECT_TRUE(refused(fearnet_predict(brain, nullptr, 1, kWidth, &ranked, 1)));
    EXPECT_TRUE(refused(fearnet_predict(brain, rows, 1, kWidth, nullptr, 1)));
    int explained = 0;
    EXPECT_TRUE(refused(fearnet_explain(brain, rows, 1, kWidth, nullptr, &explained)));
    EXPECT_TRUE(refused(fearnet_open_or_create(file_.c_str(), nullptr, 0, nullptr)));
    EXPECT_TRUE(refused(fearnet_sleep(nullptr, 0, 0, nullptr, nullptr, nullptr)));
    EXPECT_TRUE(refused(fearnet_forget(brain, nullptr, nullptr, nullptr)));
    EXPECT_TRUE(refused(fearnet_rename(brain, "a", nullptr)));
    EXPECT_TRUE(refused(fearnet_merge(brain, nullptr, "a")));
    EXPECT_TRUE(refused(fearnet_refresh(nullptr, nullptr)));
    EXPECT_TRUE(refused(fearnet_copy(nullptr, "a")));
    EXPECT_TRUE(refused(fearnet_copy(brain, nullptr)));
    EXPECT_TRUE(refused(fearnet_set_lock_timeout(nullptr, 1)));
    EXPECT_TRUE(refused(fearnet_info(brain, nullptr)));
    EXPECT_TRUE(refused(fearnet_classes(brain, nullptr, 1, nullptr)));
    EXPECT_TRUE(refused(fearnet_expected_accuracy(brain, nullptr, 1)));
    EXPECT_TRUE(refused(fearnet_text_rows(brain, nullptr, 1, nullptr, 1)));
    fearnet_close(nullptr);
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(classes(brain), 5u);
}

TEST_F(CApiTest, tells_wrong_width_bad_numbers_and_missing_files) {
    const Handle brain = taught();
    fearnet_ranked ranked;
    const float* rows = probe_.x.data();
    EXPECT_EQ(fearnet_predict(brain.get(), rows, 1, kWidth - 1, &ranked, 1), FEARNET_ERROR);
    EXPECT_NE(std::strstr(fearnet_last_error(), "11 features"), nullptr) << fearnet_last_error();
    const float bad[kWidth] = {NAN};
    EXPECT_EQ(fearnet_predict(brain.get(), bad, 1, kWidth, &ranked, 1), FEARNET_ERROR);
    EXPECT_NE(std::strstr(fearnet_last_error(), "NaN"), nullptr) << fearnet_last_error();
    EXPECT_EQ(fearnet_predict(brain.get(), rows, 1, kWidth, &ranked, 0), FEARNET_BAD_ARGUMENT);
    fearnet_brain* none = nullptr;
    EXPECT_EQ(fearnet_open((file_ + ".missing").c_str(), 0, &none), FEARNET_ERROR);
    EXPECT_NE(std::strstr(fearnet_last_error(), "a.brain.missing"), nullptr) << fearnet_last_error();
    EXPECT_EQ(fearnet_create(file_.c_str(), nullptr, 0, &none), FEARNET_ERROR) << "the file exists";
    for (const char* option : {"network.hidden=x", "no.such=1", "seed=-1", "due.sessions=many", "nothing"})
        EXPECT_EQ(fearnet_create((file_ + "2").c_str(), &option, 1, &none), FEARNET_ERROR) << option;
    EXPECT_EQ(none, nullptr);
    EXPECT_EQ(fearnet_forget(brain.get(), "nobody", nullptr, nullptr), FEARNET_ERROR);
    EXPECT_EQ(fearnet_sleep(brain.get(), -1, 0, nullptr, nullptr, nullptr), FEARNET_ERROR);
    EXPECT_EQ(fearnet_predict(brain.get(), rows, 1, kWidth, &ranked, 1), FEARNET_OK);
}

TEST_F(CApiTest, the_error_text_is_the_threads) {
    fearnet_brain* none = nullptr;
    fearnet_open("here", 0, &none);
    std::string before, after;
    std::thread([&] {
        before = fearnet_last_error();
        fearnet_open("elsewhere", 0, &none);
        after = fearnet_last_error();
    }).join();
    EXPECT_EQ(before, "");
    EXPECT_NE(after.find("elsewhere"), std::string::npos) << after;
    EXPECT_EQ(std::string(fearnet_last_error()).find("elsewhere"), std::string::npos);
    EXPECT_NE(std::string(fearnet_last_error()).find("here"), std::string::npos);
}

TEST_F(CApiTest, expected_accuracy_is_that_of_the_classes_in_order_where_the_learner_knows_it) {
    for (const std::string learner : {"fearnet", "fearnet-plus"}) {
        const Handle brain = create(file_ + learner, learner);
        ASSERT_EQ(teach(brain.get(), base_), FEARNET_OK) << fearnet_last_error();
        double accuracies[4] = {7, 7, 7, 7};
        ASSERT_EQ(fearnet_expected_accuracy(brain.get(), accuracies, 3), FEARNET_OK) << fearnet_last_error();
        EXPECT_EQ(accuracies[3], 7) << "three were wanted";
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(accuracies[c] == -1, learner == "fearnet");
            EXPECT_EQ(accuracies[c] > 0.5, learner == "fearnet-plus") << "these classes are easy";
            EXPECT_LE(accuracies[c], 1);
        }
        EXPECT_EQ(fearnet_expected_accuracy(brain.get(), nullptr, 0), FEARNET_OK);
    }
}

TEST_F(CApiTest, several_threads_ask_a_brain_while_another_changes_its_file) {
    for (const char* learner : {"fearnet", "fearnet-plus"}) {
        const std::string file = file_ + learner;
        const Handle writer = create(file, learner);
        ASSERT_EQ(teach(writer.get(), base_), FEARNET_OK) << fearnet_last_error();
        fearnet_brain* opened = nullptr;
        ASSERT_EQ(fearnet_open(file.c_str(), 0, &opened), FEARNET_OK) << fearnet_last_error();
        const Handle reader(opened);
        const auto ask = [&] {
            std::vector<fearnet_ranked> answers(probe_.size());
            EXPECT_EQ(fearnet_predict(opened, probe_.x.data(), probe_.size(), kWidth, answers.data(), 1),
                      FEARNET_OK)
                << fearnet_last_error();
            std::vector<std::string> labels;
            for (const fearnet_ranked& a : answers) labels.push_back(a.label);
            return labels;
        };
        const std::vector<std::string> expected = ask();
        std::vector<std::thread> threads;
        std::atomic<int> same = 0;
        for (int t = 0; t < 3; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 5; ++i) same += ask() == expected && classes(opened) == 4;
            });
        threads.emplace_back([&] {
            EXPECT_EQ(teach(writer.get(), more_), FEARNET_OK) << fearnet_last_error();
            EXPECT_EQ(fearnet_sleep(writer.get(), 1, 0, nullptr, nullptr, nullptr), FEARNET_OK)
                << fearnet_last_error();
        });
        for (std::thread& t : threads) t.join();
        EXPECT_EQ(same, 15) << learner;
        EXPECT_EQ(fearnet_refresh(opened, nullptr), FEARNET_OK) << fearnet_last_error();
        EXPECT_EQ(classes(opened), 5u);
    }
}

TEST_F(CApiTest, text_becomes_rows) {
    const char* option = "brain.features=text:ngrams";
    fearnet_brain* made = nullptr;
    ASSERT_EQ(fearnet_create(file_.c_str(), &option, 1, &made), FEARNET_OK) << fearnet_last_error();
    const Handle brain(made);
    fearnet_summary summary;
    ASSERT_EQ(fearnet_info(made, &summary), FEARNET_OK);
    ASSERT_EQ(summary.accepts_text, 1);
    std::vector<float> rows(2 * summary.width);
    const char* texts[] = {"one sentence", "another one"};
    EXPECT_EQ(fearnet_text_rows(made, texts, 2, rows.data(), summary.width), FEARNET_OK);
    const Matrix expected = Brain(file_, BrainAccess::read).text_rows({texts[0], texts[1]});
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), expected.data()));
    EXPECT_EQ(fearnet_text_rows(made, texts, 2, rows.data(), 3), FEARNET_BAD_ARGUMENT);
}

}  // namespace
}  // namespace fearnet
