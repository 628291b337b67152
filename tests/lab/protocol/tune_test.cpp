#include "fearnet/lab/tune.hpp"

#include <gtest/gtest.h>

#include <set>

#include "fearnet/lab/class_incremental_stream.hpp"
#include "support/blobs.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr std::size_t kClasses = 12, kRows = 10;

FeatureSet blob_set() {
    FeatureSet set;
    set.name = "blobs";
    set.train = test::blobs(0, kClasses, kRows, 8, 1);
    set.test = test::blobs(0, kClasses, 3, 8, 2);
    for (std::size_t c = 0; c < kClasses; ++c) set.names.push_back("c" + std::to_string(c));
    return set;
}

TuneOptions small() {
    TuneOptions o;
    o.learner.learner = "fearnet";
    o.learner.settings = {{"training.base_epochs", "5"}, {"training.min_steps", "0"},
                          {"sleep.epochs", "2"},         {"sleep.min_steps", "0"},
                          {"amygdala.epochs", "2"},      {"training.batch", "16"}};
    o.search = {{"network.hidden", {"2,2", "16,8", "12,12"}}, {"network.dropout", {"0", "0.25"}}};
    o.protocol.sleep_every = 2;
    return o;
}

TEST(Tune, the_search_sees_training_rows_of_base_classes_only) {
    const FeatureSet set = blob_set();
    const TuneOptions options = small();
    const FeatureSet inner = tuning_set(set, options);
    const ClassIncrementalStream stream(set, {0, options.seed});
    std::set<std::string> base;
    for (const ClassId id : stream.classes_of(0))
        base.insert(set.names[static_cast<std::size_t>(index_of(id))]);
    EXPECT_EQ(std::set<std::string>(inner.names.begin(), inner.names.end()), base);
    EXPECT_EQ(inner.train.size() + inner.test.size(), kClasses / 2 * kRows);
    EXPECT_EQ(inner.test.size(), kClasses / 2 * 2);
    for (const Examples* part : {&inner.train, &inner.test})
        for (std::size_t i = 0; i < part->size(); ++i) {
            bool found = false;
            for (std::size_t j = 0; j < set.train.size(); ++j)
                found = found || (std::equal(part->x.row(i), part->x.row(i) + 8, set.train.x.row(j)) &&
                                  inner.names[static_cast<std::size_t>(index_of(part->labels[i]))] ==
                                      set.names[static_cast<std::size_t>(index_of(set.train.labels[j]))]);
            EXPECT_TRUE(found) << "row " << i << " is not a training row of its class";
        }
}

TEST(Tune, trials_start_with_the_learner_as_it_is_and_never_repeat) {
    TuneOptions options = small();
    options.trials = 100;
    const std::vector<Settings> all = tuning_trials(options);
    EXPECT_EQ(all.size(), 1 + 3 * 2u);
    EXPECT_TRUE(all[0].empty());
    EXPECT_EQ(std::set<Settings>(all.begin(), all.end()).size(), all.size());
    options.trials = 2;
    const std::vector<Settings> few = tuning_trials(options);
    ASSERT_EQ(few.size(), 3u);
    EXPECT_EQ(few, (std::vector<Settings>{all[0], all[1], all[2]}));
    options.search.clear();
    EXPECT_EQ(tuning_trials(options)[1].at(0).first, "network.hidden") << "the learner's own ranges";
    options.learner.settings.emplace_back("network.hidden", "4,4");
    EXPECT_THROW(tuning_trials(options), Error)
        << "a fixed option is not searched, and there is nothing else";
}

TEST(Tune, the_best_comes_first_and_known_trials_are_not_run_again) {
    const FeatureSet set = blob_set();
    const TuneOptions options = small();
    std::size_t ran = 0;
    const std::vector<Trial> trials = tune(set, options, {}, [&](const TuneProgress& p) {
        ran += p.finished_trial != nullptr;
        return true;
    });
    EXPECT_EQ(ran, 7u);
    ASSERT_EQ(trials.size(), 7u);
    for (std::size_t i = 1; i < trials.size(); ++i)
        EXPECT_GE(trials[i - 1].accuracy.all, trials[i].accuracy.all);
    EXPECT_GT(trials.front().accuracy.all, trials.back().accuracy.all)
        << "two units cannot be as good as sixteen";
    ran = 0;
    const std::vector<Trial> again =
        tune(set, options, {trials.begin(), trials.begin() + 6},
             [&](const TuneProgress& p) { return ran += p.finished_trial != nullptr, true; });
    EXPECT_EQ(ran, 1u);
    for (std::size_t i = 0; i < again.size(); ++i)
        EXPECT_DOUBLE_EQ(again[i].accuracy.all, trials[i].accuracy.all);
}

TEST(Tune, stopping_keeps_what_is_finished) {
    std::size_t ran = 0;
    const std::vector<Trial> trials = tune(blob_set(), small(), {}, [&](const TuneProgress& p) {
        ran += p.finished_trial != nullptr;
        return ran < 2;
    });
    EXPECT_EQ(trials.size(), 2u);
}

TEST(Tune, several_jobs_find_the_same_as_one) {
    TuneOptions options = small();
    const std::vector<Trial> one = tune(blob_set(), options);
    options.jobs = 3;
    std::size_t ran = 0;  // the callback is never entered twice at once
    double fraction = 0;
    const std::vector<Trial> three = tune(blob_set(), options, {}, [&](const TuneProgress& p) {
        ran += p.finished_trial != nullptr;
        EXPECT_GE(p.fraction, fraction);
        fraction = p.fraction;
        return true;
    });
    EXPECT_EQ(ran, 7u);
    EXPECT_DOUBLE_EQ(fraction, 1);
    ASSERT_EQ(three.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(three[i].settings, one[i].settings);
        EXPECT_EQ(three[i].accuracy.all, one[i].accuracy.all);
        EXPECT_GT(three[i].seconds, 0);
    }
}

TEST(Tune, stopping_one_job_stops_all) {
    TuneOptions options = small();
    options.jobs = 2;
    std::size_t told = 0;
    const std::vector<Trial> trials = tune(blob_set(), options, {}, [&](const TuneProgress& p) {
        told += p.finished_trial != nullptr;
        return told < 1;
    });
    EXPECT_GE(trials.size(), 1u);
    EXPECT_LE(trials.size(), 2u) << "the other job may have been at the end of its own";
    EXPECT_EQ(trials.size(), told) << "all that is returned was told";
}

TEST(Tune, refuses_what_cannot_be_searched) {
    TuneOptions options = small();
    options.search = {{"no.such_option", {"1"}}};
    EXPECT_THROW(tune(blob_set(), options), Error);
    options = small();
    options.trials = 0;
    EXPECT_THROW(tuning_trials(options), Error);
    options = small();
    options.protocol.base_classes = 1;
    EXPECT_THROW(tuning_set(blob_set(), options), Error);
    options = small();
    options.jobs = 0;
    EXPECT_THROW(tune(blob_set(), options), Error);
}

}  // namespace
}  // namespace fearnet
