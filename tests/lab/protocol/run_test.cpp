#include "fearnet/lab/run.hpp"
#include "fearnet/fearnet_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fearnet/lab/class_incremental_stream.hpp"
#include "fearnet/registry.hpp"
#include "support/frames.hpp"

namespace fearnet {

using namespace fearnet::lab;
namespace {

constexpr double kRounding = 1e-12;
constexpr int kClasses = 8;

// The only feature of a row is the number of its class.
FeatureSet telling_rows() {
    FeatureSet set;
    set.name = "telling";
    for (int c = 0; c < kClasses; ++c) set.names.push_back("class " + std::to_string(c));
    for (Examples* e : {&set.train, &set.test}) {
        e->x = Matrix(3 * kClasses, 1);
        for (int i = 0; i < 3 * kClasses; ++i) {
            e->labels.push_back(ClassId{i % kClasses});
            e->x(static_cast<std::size_t>(i), 0) = static_cast<float>(i % kClasses);
        }
    }
    return set;
}

ClassId class_in(float feature) {
    return ClassId{static_cast<std::int32_t>(std::lround(feature))};
}

// What happened to a learner, in order: "learn 3", "sleep", ...
using Log = std::vector<std::string>;

int asked = 0;  // how often a Goldfish was

// Keeps the base classes and what it slept over; of the rest it knows only the class of the last session.
class Goldfish : public Learner, public MemoryRouting {
  public:
    explicit Goldfish(Log& log) : log_(log) {}
    std::string name() const override { return "goldfish"; }
    std::vector<ClassId> classes() const override { return {taught_.begin(), taught_.end()}; }
    std::size_t width() const override { return taught_.empty() ? 0 : 1; }
    MemoryUse memory() const override { return {{"kept", kept_.size()}, {"recent", recent_.size()}}; }
    std::map<std::string, std::string> options() const override { return {{"bowl", "round"}}; }
    State save() const override { return {}; }
    const MemoryRouting* routing() const override { return this; }
    std::vector<Explanation> explain(MatrixView x) const override {
        std::vector<Explanation> answers(x.rows);
        const std::vector<ClassId> predicted = predict(x);
        for (std::size_t i = 0; i < x.rows; ++i) answers[i].label = predicted[i];
        return answers;
    }
    std::vector<ClassId> oracle_answers(std::span<const Explanation>,
                                        std::span<const ClassId> truth) const override {
        return {truth.begin(), truth.end()};
    }

  private:
    void do_learn(const LabeledView& session, const Progress& progress) override {
        for (std::size_t i = 1; i <= 4; ++i) report(progress, {"swim", i, 4, 0}, "Goldfish::learn");
        const std::set<ClassId> shown(session.labels.begin(), session.labels.end());
        std::string line = "learn";
        for (const ClassId c : shown) line += " " + std::to_string(index_of(c));
        log_.push_back(line);
        taught_.insert(shown.begin(), shown.end());
        (kept_.empty() ? kept_ : recent_) = shown;
    }
    void do_sleep(const SleepEffort&, const Progress&) override {
        log_.push_back("sleep");
        kept_.insert(recent_.begin(), recent_.end());
        recent_.clear();
    }
    Matrix do_scores(MatrixView x) const override {
        ++asked;
        Matrix scores(x.rows, taught_.size());
        for (std::size_t i = 0; i < x.rows; ++i) {
            const ClassId c = class_in(x(i, 0));
            const ClassId answer = kept_.count(c) || recent_.count(c) ? c : *kept_.begin();
            scores(i, static_cast<std::size_t>(std::distance(taught_.begin(), taught_.find(answer)))) = 1;
        }
        return scores;
    }

    Log& log_;
    std::set<ClassId> taught_, kept_, recent_;
};

// Right about every class but 0, which it takes for 1 as soon as 1 is among the answers allowed.
ClassScores nearly_right(MatrixView test) {
    ClassScores out;
    for (int c = kClasses - 1; c >= 0; --c) out.classes.push_back(ClassId{c});
    out.scores = Matrix(test.rows, kClasses);
    for (std::size_t i = 0; i < test.rows; ++i) {
        const auto c = static_cast<std::size_t>(index_of(class_in(test(i, 0))));
        out.scores(i, kClasses - 1 - c) = 0.5F;
        if (c == 0) out.scores(i, kClasses - 2) = 0.9F;
    }
    return out;
}

RunHooks hooks(Log& log) {
    return {[&log](const LearnerSpec&) { return std::make_unique<Goldfish>(log); },
            [&log](const LearnerSpec&, const LabeledView& train, MatrixView test, const Progress& progress) {
                report(progress, {"offline", 1, 1, 0}, "offline");
                log.push_back("offline " + std::to_string(train.x.rows));
                return nearly_right(test);
            }};
}

RunOptions four_then_four() {
    RunOptions options;
    options.protocol.base_classes = 4;
    options.protocol.sleep_every = 2;
    options.seed = 5;
    return options;
}

TEST(RunProtocol, asks_a_learner_with_two_memories_once_per_evaluation) {
    Log log;
    asked = 0;
    const RunRecord record = run_protocol(telling_rows(), four_then_four(), {}, hooks(log));
    EXPECT_TRUE(record.sessions.back().oracle);
    EXPECT_EQ(asked, static_cast<int>(record.sessions.size()));
}

TEST(RunProtocol,
     trains_the_offline_model_on_everything_then_teaches_one_class_per_session_and_sleeps_every_kth) {
    Log log;
    const FeatureSet set = telling_rows();
    run_protocol(set, four_then_four(), {}, hooks(log));
    const std::vector<ClassId> order = ClassIncrementalStream(set, {4, 5}).order();
    std::vector<ClassId> base(order.begin(), order.begin() + 4);
    std::sort(base.begin(), base.end());
    std::string first = "learn";
    for (const ClassId c : base) first += " " + std::to_string(index_of(c));
    const auto lesson = [&](std::size_t n) { return "learn " + std::to_string(index_of(order[3 + n])); };
    EXPECT_EQ(log, (Log{"offline 24", first, lesson(1), lesson(2), "sleep", lesson(3), lesson(4), "sleep"}));
}

// A goldfish forgets the classes of sessions 1 and 3, which it did not sleep over.
TEST(RunProtocol, measures_base_newest_and_all_classes_after_the_sleep) {
    Log log;
    const RunRecord run = run_protocol(telling_rows(), four_then_four(), {}, hooks(log));
    EXPECT_TRUE(run.finished);
    ASSERT_EQ(run.sessions.size(), 5u);
    const std::vector<double> all{1, 1, 5.0 / 6, 6.0 / 7, 6.0 / 8};
    for (std::size_t t = 0; t < 5; ++t) {
        EXPECT_EQ(run.sessions[t].session, t);
        EXPECT_EQ(run.sessions[t].classes_seen, 4 + t);
        EXPECT_EQ(run.sessions[t].slept, t == 2 || t == 4);
        EXPECT_NEAR(run.sessions[t].accuracy.all, all[t], kRounding);
        EXPECT_NEAR(run.sessions[t].accuracy.base, 1, kRounding);
        EXPECT_NEAR(run.sessions[t].accuracy.recent, t == 0 ? 0 : 1, kRounding);
        ASSERT_TRUE(run.sessions[t].oracle.has_value());
        EXPECT_NEAR(run.sessions[t].oracle->all, 1, kRounding);
    }
    EXPECT_NEAR(run.final_accuracy, 0.75, kRounding);
    EXPECT_NEAR(run.offline_accuracy, 7.0 / 8, kRounding);
    EXPECT_NEAR(run.omega.omega_base, 8.0 / 7, kRounding);
    EXPECT_NEAR(run.omega.omega_new, 1, kRounding);
    EXPECT_NEAR(run.omega.omega_all, (1 + 5.0 / 6 + 6.0 / 7 + 6.0 / 8) / 4 / (7.0 / 8), kRounding);
    EXPECT_NEAR(run.omega_oracle->omega_all, 8.0 / 7, kRounding);
    EXPECT_EQ(run.memory, (MemoryUse{{"kept", 6}, {"recent", 0}}));
    EXPECT_EQ(run.sessions[1].memory_bytes, 5u);
    EXPECT_EQ(run.options.at("bowl"), "round");
    for (const char* phase : {"offline", "base", "learn", "sleep", "evaluate"})
        EXPECT_TRUE(run.seconds.count(phase));
}

TEST(RunProtocol, restricts_the_offline_model_to_the_classes_seen_so_far) {
    Log log;
    const FeatureSet set = telling_rows();
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        RunOptions options = four_then_four();
        options.seed = seed;
        const RunRecord run = run_protocol(set, options, {}, hooks(log));
        const std::vector<ClassId> order = ClassIncrementalStream(set, {4, seed}).order();
        for (std::size_t t = 0; t < 5; ++t) {
            const auto end = order.begin() + 4 + static_cast<std::ptrdiff_t>(t);
            const bool confused =
                std::count(order.begin(), end, ClassId{0}) && std::count(order.begin(), end, ClassId{1});
            const auto seen = static_cast<double>(4 + t);
            EXPECT_NEAR(run.sessions[t].offline.all, confused ? (seen - 1) / seen : 1, kRounding)
                << "seed " << seed;
        }
    }
}

// The number of frames with which a run makes a fearnet-plus. The rows of the base classes have `in_base`
// frames, those of the other classes `later`; all have 80 features.
std::string frames_set_by_a_run(std::size_t in_base, std::size_t later, Settings settings = {}) {
    constexpr std::size_t kRows = 60, kWidth = 80;
    RunOptions options = four_then_four();
    options.learner = {"fearnet-plus", "", std::move(settings)};
    FeatureSet set = telling_rows();
    const std::vector<ClassId> base = ClassIncrementalStream(set, {4, options.seed}).classes_of(0);
    set.train = {Matrix(kRows * kClasses, kWidth), {}}, set.test = set.train;
    for (std::size_t c = 0; c < kClasses; ++c) {
        const ClassId id{static_cast<std::int32_t>(c)};
        const std::size_t frames = std::count(base.begin(), base.end(), id) ? in_base : later;
        const Matrix rows = test::rows_of_frames(kRows, frames, kWidth / frames, 0.6, c + 1);
        for (Examples* e : {&set.train, &set.test}) {
            std::copy_n(rows.data(), rows.size(), e->x.row(c * kRows));
            e->labels.insert(e->labels.end(), kRows, id);
        }
    }
    std::string frames;
    RunHooks hooks = default_run_hooks();
    hooks.make_learner = [&](const LearnerSpec& spec) {
        std::unique_ptr<Learner> learner = make_learner(spec);
        frames = learner->options().at("features.frames");
        return learner;
    };
    ProtocolRun(set, options, hooks);
    return frames;
}

TEST(RunProtocol, detects_frames_in_the_base_session_unless_their_number_is_set) {
    EXPECT_EQ(frames_set_by_a_run(10, 10), "10");
    EXPECT_EQ(frames_set_by_a_run(10, 1), "10") << "rows of later classes do not count";
    EXPECT_EQ(frames_set_by_a_run(1, 10), "1") << "rows of later classes do not count";
    for (const char* number : {"1", "5"})
        EXPECT_EQ(frames_set_by_a_run(10, 10, {{"features.frames", number}}), number);
}

TEST(RunProtocol, never_sleeps_when_told_zero) {
    Log log;
    RunOptions options = four_then_four();
    options.protocol.sleep_every = 0;
    run_protocol(telling_rows(), options, {}, hooks(log));
    EXPECT_EQ(std::count(log.begin(), log.end(), "sleep"), 0);
}

TEST(RunProtocol, reports_rising_progress_and_every_session_once) {
    Log log;
    double last = 0;
    std::vector<std::size_t> finished;
    run_protocol(
        telling_rows(), four_then_four(),
        [&](const RunProgress& p) {
            EXPECT_GE(p.fraction, last);
            EXPECT_LE(p.fraction, 1);
            EXPECT_EQ(p.sessions, 4u);
            last = p.fraction;
            if (p.finished_session != nullptr) finished.push_back(p.finished_session->session);
            return true;
        },
        hooks(log));
    EXPECT_EQ(finished, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
    EXPECT_GT(last, 0.99);
}

TEST(RunProtocol, gives_back_what_was_finished_when_stopped_between_sessions) {
    Log log;
    const RunRecord run = run_protocol(
        telling_rows(), four_then_four(),
        [](const RunProgress& p) { return p.finished_session == nullptr || p.finished_session->session < 2; },
        hooks(log));
    EXPECT_FALSE(run.finished);
    ASSERT_EQ(run.sessions.size(), 3u);
    EXPECT_NEAR(run.omega.omega_all, (1 + 5.0 / 6) / 2 / (7.0 / 8), kRounding);
    EXPECT_NEAR(run.final_accuracy, 5.0 / 6, kRounding);
}

TEST(RunProtocol, leaves_out_the_session_that_was_under_way_when_stopped_inside_it) {
    Log log;
    int calls = 0;
    const RunRecord run = run_protocol(
        telling_rows(), four_then_four(),
        [&](const RunProgress& p) {
            return p.what.find("session 3/4: learning") == std::string::npos || ++calls < 3;
        },
        hooks(log));
    EXPECT_FALSE(run.finished);
    EXPECT_EQ(run.sessions.size(), 3u);
}

TEST(RunProtocol, has_nothing_to_show_when_stopped_in_the_offline_training) {
    Log log;
    const RunRecord run = run_protocol(
        telling_rows(), four_then_four(), [](const RunProgress&) { return false; }, hooks(log));
    EXPECT_FALSE(run.finished);
    EXPECT_TRUE(run.sessions.empty());
    EXPECT_TRUE(std::isnan(run.omega.omega_all));
}

TEST(RunProtocol, has_no_omega_when_the_offline_model_is_right_about_nothing) {
    Log log;
    RunHooks useless = hooks(log);
    useless.offline_scores = [](const LearnerSpec&, const LabeledView&, MatrixView test, const Progress&) {
        ClassScores out = nearly_right(test);
        for (std::size_t i = 0; i < out.scores.size(); ++i) out.scores.data()[i] *= -1;
        return out;
    };
    const RunRecord run = run_protocol(telling_rows(), four_then_four(), {}, useless);
    EXPECT_TRUE(run.finished);
    EXPECT_EQ(run.offline_accuracy, 0);
    EXPECT_TRUE(std::isnan(run.omega.omega_all));
    EXPECT_TRUE(std::isnan(run.omega_restricted.omega_base));
    EXPECT_TRUE(std::isnan(run.omega_oracle->omega_all));
}

TEST(ProtocolRun, makes_its_learner_once_and_before_it_begins) {
    Log log;
    RunHooks counting = hooks(log);
    int made = 0;
    counting.make_learner = [&](const LearnerSpec&) { return ++made, std::make_unique<Goldfish>(log); };
    const FeatureSet set = telling_rows();
    ProtocolRun run(set, four_then_four(), counting);
    EXPECT_EQ(made, 1);
    EXPECT_TRUE(log.empty());
    EXPECT_TRUE(run.run().finished);
    EXPECT_EQ(made, 1);
}

TEST(ProtocolRun, refuses_what_cannot_be_run_before_it_begins) {
    const FeatureSet set = telling_rows();
    RunOptions good;
    EXPECT_NO_THROW(ProtocolRun(set, good));
    const auto refused = [&](const auto& change) {
        RunOptions options;
        change(options);
        EXPECT_THROW(ProtocolRun(set, options), Error);
    };
    refused([](RunOptions& o) { o.protocol.base_classes = kClasses; });
    refused([](RunOptions& o) { o.protocol.sleep_every = -1; });
    refused([](RunOptions& o) { o.learner.learner = "nobody"; });
    refused([](RunOptions& o) { o.learner.learner = "offline-mlp"; });
    refused([](RunOptions& o) { o.learner.preset = "nothing"; });
    refused([](RunOptions& o) { o.learner.settings = {{"no.such.option", "1"}}; });
}

}  // namespace
}  // namespace fearnet
