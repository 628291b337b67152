// Commands killed at random moments by SIGKILL. FEARNET_SOAK=1, which `./test.sh --soak` sets, kills many
// more.
#include <sys/mount.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <random>

#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

class BrainCrash : public CliTest {
  protected:
    BrainCrash() {
        Rng rng(3);
        for (int c = 0; c < kFiles; ++c) write_class(c, rng);
    }

    static constexpr int kFiles = 12, kSteps = 7;
    std::string file(int c) const { return (folder_ / ("class" + std::to_string(c) + ".csv")).string(); }
    void write_class(int c, Rng& rng) const {
        std::vector<double> center(6);
        for (double& x : center) x = 3 * rng.normal();
        std::ofstream out(file(c));
        for (int i = 0; i < 30; ++i) {
            for (const double x : center) out << x + 0.5 * rng.normal() << ",";
            out << "class " << c << "\n";
        }
    }
    void make(const std::string& brain, const std::string& learner = "fearnet") {
        Arguments arguments{"new", brain, "--learner", learner};
        if (learner == "fearnet")
            for (const char* a :
                 {"network.hidden=12,8", "training.base_epochs=10", "training.min_steps=0", "sleep.epochs=4",
                  "sleep.min_steps=0", "amygdala.epochs=2", "statistics.refresh_samples=20"})
                arguments.insert(arguments.end(), {"--set", a});
        ASSERT_EQ(run(arguments).code, 0);
        std::string base;
        for (int c = 0; c < 3; ++c) base += slurp(file(c));
        std::ofstream(folder_ / "base.csv") << base;
        ASSERT_EQ(run({"learn", brain, (folder_ / "base.csv").string()}).code, 0);
    }
    // What a user does, for ever: teach classes, sleep, forget one, track predictions, rename one.
    static Arguments step(int number, const std::string& brain, const std::string& data_of_class,
                          int class_number) {
        const std::string name = "class " + std::to_string(class_number);
        switch (number % kSteps) {
            case 3:
                return {"sleep", brain};
            case 4:
                return {"forget", brain, name};
            case 5:  // learners without p-values refuse it
                return {"predict", brain, data_of_class, "--track"};
            case 6:
                return {"rename", brain, "class 0", "class 0"};  // refused: nothing may change
            default:
                return {"learn", brain, data_of_class, "--label", name};
        }
    }
    Arguments step(int number, const std::string& brain) const {
        const int round = number / kSteps, within = number % kSteps;
        const int c = 3 + (round * 2 + (within == 4 ? 0 : within)) % (kFiles - 3);
        return step(number, brain, file(within == 5 ? 0 : c), c);  // a class that is never forgotten
    }
    // For the shell, output where run() puts it.
    std::string command(const Arguments& arguments) const {
        std::string text = FEARNET_CLI;
        for (const std::string& a : arguments) text += " '" + a + "'";
        return text + " > '" + (folder_ / "stdout").string() + "' 2> '" + (folder_ / "stderr").string() + "'";
    }
    std::size_t history(const std::string& brain) {
        const Outcome outcome = run({"info", brain, "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return Json::parse(outcome.out)["history"].size();
    }
    static bool soak() { return std::getenv("FEARNET_SOAK") != nullptr; }
    // Kills `kills` commands at random moments, and runs the same commands undisturbed on a second brain.
    void survive(const std::string& learner, int kills);
    std::string answers(const std::string& brain) {
        std::string all;
        for (int c = 0; c < kFiles; ++c)
            all += run({"predict", brain, file(c), "--top", "99", "--explain", "--json"}).out;
        // What was recorded of the classes, without the times.
        Json classes = Json::parse(run({"info", brain, "--json"}).out)["classes"];
        for (Json& c : classes)
            for (const char* record : {"predicted", "taught_again"})
                if (c.contains(record)) c[record].erase("since");
        return all + classes.dump();
    }
};

void BrainCrash::survive(const std::string& learner, int kills) {
    const unsigned seed = 11;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::string used = (folder_ / "used.brain").string(), calm = (folder_ / "calm.brain").string();
    make(used, learner);
    fs::copy_file(used, calm);
    int killed = 0, done = 0, steps = 0;
    std::size_t entries = history(used);
    for (; killed < kills; ++steps) {
        const Arguments arguments = step(steps, used);
        const auto begun = std::chrono::steady_clock::now();
        const Outcome calmly = run(step(steps, calm));
        const auto took =
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
        const bool changes = calmly.code == 0 && calmly.out.find("nothing to") == std::string::npos;
        int attempts = 0;  // on a busy machine it may take longer than it did
        for (bool finished = false; !finished; ++attempts) {
            const pid_t child = start(arguments);
            std::this_thread::sleep_for(took * (random() % 1000) * (10 + attempts) / 8000);
            const bool hit = ::kill(child, SIGKILL) == 0;
            const Outcome outcome = wait_for(child);
            const Outcome check = run({"check", used});
            ASSERT_EQ(check.code, 0) << arguments[0] << ": " << check.out << check.err;
            const std::size_t now = history(used);
            ASSERT_TRUE(now == entries || now == entries + 1) << "between: " << entries << " -> " << now;
            if (hit && outcome.code == -1)
                ++killed;
            else
                ++done;
            if (outcome.code != -1) {
                ASSERT_EQ(outcome.code, calmly.code) << arguments[0] << ": " << outcome.err;
                ASSERT_EQ(now, entries + changes) << arguments[0] << " was acknowledged: " << outcome.out;
            }
            finished = outcome.code != -1 || now == entries + 1;
            entries = now;
            if (!finished && killed >= kills) {
                ASSERT_EQ(run(arguments).code, calmly.code);
                entries = history(used);
                finished = true;
            }
        }
    }
    std::printf("%d commands killed, %d ended before that, %d steps\n", killed, done, steps);
    EXPECT_TRUE(answers(used) == answers(calm)) << "killed and calm brains differ";
}

TEST_F(BrainCrash, every_acknowledged_change_survives_kill_9_and_nothing_is_ever_between) {
    survive("fearnet", soak() ? 500 : 40);
}

TEST_F(BrainCrash, so_it_is_with_the_learner_of_a_new_brain) {
    survive("fearnet-plus", soak() ? 250 : 20);
}

TEST_F(BrainCrash, a_full_disk_is_told_and_nothing_is_lost) {
    const fs::path disk = folder_ / "disk";
    fs::create_directory(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=300k") != 0)
        GTEST_SKIP() << "needs the right to mount a tmpfs";
    const std::string brain = (disk / "a.brain").string();
    make(brain);
    const std::string before = slurp(brain);
    std::ofstream(disk / "filler") << std::string(400000, 'x');  // what fits of it
    const Outcome learn = run({"learn", brain, file(5), "--label", "new"});
    EXPECT_EQ(learn.code, 2) << learn.out;
    EXPECT_NE(learn.err.find("disk is full"), std::string::npos) << learn.err;
    EXPECT_TRUE(slurp(brain) == before) << "the file has changed";
    EXPECT_EQ(run({"check", brain}).code, 0);
    fs::remove(disk / "filler");
    EXPECT_EQ(run({"learn", brain, file(5), "--label", "new"}).code, 0);
    ::umount(disk.c_str());
}

TEST_F(BrainCrash, an_unwritable_folder_is_told_and_the_brain_can_still_be_asked) {
    const fs::path shelf = folder_ / "shelf";
    fs::create_directory(shelf);
    const std::string brain = (shelf / "a.brain").string();
    make(brain);
    const std::string before = slurp(brain);
    ::chmod(shelf.c_str(), 0555);
    ::chmod(brain.c_str(), 0666);
    ::chmod(folder_.c_str(), 0777);
    const auto as_nobody = [&](const Arguments& arguments) {
        for (const char* name : {"stdout", "stderr"}) fs::remove(folder_ / name);
        const pid_t child = ::fork();
        if (child == 0) {
            if (::getuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
            ::_exit(WEXITSTATUS(std::system(command(arguments).c_str())));
        }
        return wait_for(child);
    };
    const Outcome learn = as_nobody({"learn", brain, file(5), "--label", "new"});
    EXPECT_EQ(learn.code, 2) << learn.out;
    EXPECT_NE(learn.err.find("writ"), std::string::npos) << learn.err;
    EXPECT_EQ(as_nobody({"predict", brain, file(1)}).code, 0);
    EXPECT_EQ(as_nobody({"new", (shelf / "b.brain").string()}).code, 2);
    EXPECT_TRUE(slurp(brain) == before) << "the file has changed";
    ::chmod(shelf.c_str(), 0755);
    EXPECT_EQ(run({"learn", brain, file(5), "--label", "new"}).code, 0);
}

}  // namespace
}  // namespace fearnet::test
