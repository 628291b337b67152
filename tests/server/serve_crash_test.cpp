// The server killed by SIGKILL under load. FEARNET_SOAK=1, which `./test.sh --soak` sets, kills it many more
// times.
#include <random>

#include "server/served_program.hpp"

namespace fearnet::test {
namespace {

constexpr int kTeachers = 8, kAskers = 8, kRows = 10;

class ServeCrash : public ServedBrain {
  protected:
    // What one teaching client was told. It teaches, again and again, a new class of its own, then forgets an
    // older one.
    struct Teacher {
        std::map<std::string, bool> acknowledged;  // the classes of its requests: taught, or forgotten
        std::string open;                          // the class of the request that was not answered
        std::size_t requests = 0, failures = 0;
    };

    static void teach(std::uint16_t port, int number, int life, Teacher& teacher,
                      std::atomic<std::size_t>& changes) {
        try {
            HttpConnection connection(port);
            std::vector<std::string> mine;
            for (int i = 0;; ++i) {
                const bool forgets = i % 3 == 2;
                const std::string name =
                    forgets ? mine[mine.size() - 2]
                            : std::to_string(life) + "-" + std::to_string(number) + "-" + std::to_string(i);
                teacher.open = name;
                const Matrix rows =
                    rows_of(static_cast<std::size_t>(10 + number), kRows, static_cast<std::uint64_t>(i));
                const HttpAnswer answer =
                    forgets
                        ? connection.request("POST", "/v1/brains/birds/forget", Json{{"label", name}}.dump())
                        : connection.request("POST", "/v1/brains/birds/learn?label=" + name,
                                             floats(rows.view()), kFloats);
                if (answer.status == 0) return;
                teacher.open.clear();
                if (answer.status != 200) {
                    ++teacher.failures;
                    continue;
                }
                ++teacher.requests;
                ++changes;
                teacher.acknowledged[name] = !forgets;
                if (!forgets) mine.push_back(name);
            }
        } catch (const std::exception&) {  // the connection is gone
        }
    }
    // Every answer is whole, and of one state: the state never goes back, and all classes sum up to one.
    static void ask(std::uint16_t port, std::size_t number, std::atomic<std::size_t>& answers,
                    std::atomic<std::size_t>& wrong) {
        try {
            HttpConnection connection(port);
            std::int64_t last = 0;
            const std::string row = floats(rows_of(number % 4).view());
            while (true) {
                const HttpAnswer answer =
                    connection.request("POST", "/v1/brains/birds/predict?top=100000", row, kFloats);
                if (answer.status == 0) return;
                const Json told = Json::parse(answer.body, nullptr, false);
                if (told.is_discarded()) return;  // cut by the kill
                double sum = 0;
                for (const Json& c : told["answers"][0]["classes"]) sum += c["probability"].get<double>();
                const std::int64_t state = told["state"];
                if (answer.status != 200 || std::abs(sum - 1) > 1e-3 || state < last) ++wrong;
                last = state;
                ++answers;
                std::this_thread::sleep_for(std::chrono::milliseconds(2));  // leaves time for the changes
            }
        } catch (const std::exception&) {  // the connection is gone
        }
    }
    void survive(int kills);
};

void ServeCrash::survive(int kills) {
    const unsigned seed = 23;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::size_t taught = 0, refused = 0, in_doubt = 0, finished = 0;
    std::atomic<std::size_t> answers = 0, wrong = 0;
    std::vector<std::string> before = Brain(file(), BrainAccess::read).class_names();
    std::int64_t state = kState;
    for (int life = 0; life < kills; ++life) {
        SCOPED_TRACE("kill " + std::to_string(life));
        ServedProgram program({file().string()});
        ASSERT_NE(program.port(), 0) << program.said();
        std::vector<Teacher> teachers(kTeachers);
        std::atomic<std::size_t> changes = 0;
        std::vector<std::thread> clients;
        for (int i = 0; i < kTeachers; ++i)
            clients.emplace_back(
                [&, i] { teach(program.port(), i, life, teachers[static_cast<std::size_t>(i)], changes); });
        for (int i = 0; i < kAskers; ++i)
            clients.emplace_back(
                [&, i] { ask(program.port(), static_cast<std::size_t>(i), answers, wrong); });
        // At any moment of a change: on a busy machine one takes some tenths of a second.
        const std::size_t least = random() % 6;
        EXPECT_TRUE(wait_until([&] { return changes >= least; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
        program.kill(SIGKILL);
        program.wait();
        for (std::thread& client : clients) client.join();

        ASSERT_EQ(check_brain(file()), std::vector<std::string>());
        const Brain brain(file(), BrainAccess::read);
        std::map<std::string, std::int64_t> now;
        for (const BrainInfo::Class& c : brain.info().classes) now[c.name] = c.examples;
        std::size_t acknowledged = 0;
        std::set<std::string> may_differ;
        for (const Teacher& t : teachers) {
            acknowledged += t.requests;
            refused += t.failures;
            if (!t.open.empty()) may_differ.insert(t.open);
            for (const auto& [name, is_there] : t.acknowledged) {
                if (name == t.open) continue;
                ASSERT_EQ(now.count(name), is_there ? 1u : 0u) << name << " was acknowledged";
            }
        }
        // A class is there with all its rows or not at all, and nothing is there that nobody taught.
        for (const auto& [name, examples] : now) {
            if (name.starts_with("class ")) continue;
            ASSERT_EQ(examples, kRows) << name;
            const bool known = may_differ.count(name) != 0 ||
                               std::find(before.begin(), before.end(), name) != before.end() ||
                               std::any_of(teachers.begin(), teachers.end(),
                                           [&](const Teacher& t) { return t.acknowledged.count(name) != 0; });
            ASSERT_TRUE(known) << name << " was taught by nobody";
        }
        for (const std::string& name : before) {
            ASSERT_EQ(now.count(name), 1u) << name << " was there before";
        }
        // Each change adds one to the state; at most one for each open request is not acknowledged.
        const auto unacknowledged = brain.changes() - state - static_cast<std::int64_t>(acknowledged);
        ASSERT_GE(unacknowledged, 0);
        ASSERT_LE(unacknowledged, static_cast<std::int64_t>(may_differ.size()));
        finished += static_cast<std::size_t>(unacknowledged);
        in_doubt += may_differ.size();
        taught += acknowledged;
        // A brain of few classes for the next life.
        {
            Brain clean(file());
            for (const auto& [name, examples] : now)
                if (!name.starts_with("class ")) clean.forget(name);
            clean.sleep();
            state = clean.changes();
            before = clean.class_names();
        }
    }
    std::printf(
        "%d kills, %zu changes acknowledged, %zu open when killed (%zu of them were on disk), %zu refused, "
        "%zu answers\n",
        kills, taught, in_doubt, finished, refused, answers.load());
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(refused, 0u);
    EXPECT_GT(taught, static_cast<std::size_t>(kills));
    EXPECT_GT(answers, static_cast<std::size_t>(kills));
}

TEST_F(ServeCrash, every_acknowledged_change_survives_kill_9_under_load_and_nothing_is_half_there) {
    survive(std::getenv("FEARNET_SOAK") != nullptr ? 500 : 5);
}

}  // namespace
}  // namespace fearnet::test
