// Every answer is of one state, also while the brain is changed.
#include "server/http/target.hpp"
#include "server/served_brain.hpp"
#include "support/environment.hpp"

namespace fearnet::test {
namespace {

class ServerStates : public ServedBrain {
  protected:
    // Copies of the brain by the number of their state, made by the thread that changes it.
    struct Copies {
        std::mutex mutex;
        std::map<std::int64_t, std::shared_ptr<const Brain>> of_state;
    };
};

TEST_F(ServerStates, answers_during_changes_are_those_of_a_copy_with_their_state) {
    start();
    Copies copies;
    const auto copy_now = [&] {
        const std::filesystem::path path = folder_ / "copy.brain";
        service().snapshot()->copy_to(path);
        auto copy = std::make_shared<const Brain>(path, BrainAccess::read);
        const std::lock_guard lock(copies.mutex);
        copies.of_state[copy->changes()] = copy;
        std::filesystem::remove(path);
    };
    copy_now();
    const Matrix rows = blobs(0, 4, 20, kWidth, 9).x;  // more than one question of the queue may hold
    struct Answered {
        bool large;
        std::int64_t state;
        std::string header;
        Json answers;
    };
    std::mutex mutex;
    std::vector<Answered> all;
    std::atomic<bool> finished = false;
    std::vector<std::thread> clients;
    for (int c = 0; c < 4; ++c)
        clients.emplace_back([&, c] {
            HttpConnection connection(server_->port());
            const bool large = c % 2 == 1;
            const std::string body = floats(large ? rows.view() : rows.view().slice(0, 30));
            while (!finished) {
                const HttpAnswer answer =
                    connection.request("POST", std::string("/v1/brains/birds/predict?top=9"), body, kFloats);
                const Json told = Json::parse(answer.body, nullptr, false);
                const std::lock_guard lock(mutex);
                all.push_back({large, told.value("state", std::int64_t{-1}),
                               answer.headers.at("fearnet-state"), told.value("answers", Json::array())});
            }
        });
    for (int i = 0; i < 12; ++i) {
        const std::string label = "new " + std::to_string(i % 3);
        const HttpAnswer changed =
            i % 4 == 3 ? post("forget", Json{{"label", "new 0"}}.dump())
                       : post("learn?label=" + server::percent_encoded(i % 4 == 0 ? "new 0" : label),
                              floats(rows_of(5 + static_cast<std::size_t>(i), 8).view()), kFloats);
        ASSERT_EQ(changed.status, 200) << changed.body;
        copy_now();  // only this thread changes the brain
    }
    finished = true;
    for (std::thread& client : clients) client.join();
    std::set<std::int64_t> states;
    for (const Answered& a : all) {
        ASSERT_EQ(a.header, std::to_string(a.state));
        ASSERT_EQ(copies.of_state.count(a.state), 1u) << a.state;
        states.insert(a.state);
        const Brain& copy = *copies.of_state[a.state];
        const MatrixView asked = a.large ? rows.view() : rows.view().slice(0, 30);
        const std::vector<BrainAnswer> expected = copy.predict(asked);
        ASSERT_EQ(a.answers.size(), asked.rows);
        for (std::size_t i = 0; i < asked.rows; ++i) {
            ASSERT_EQ(a.answers[i]["classes"].size(), copy.class_names().size()) << "state " << a.state;
            for (const Json& c : a.answers[i]["classes"]) {
                // Rounding differs if a row is answered together with others.
                const std::vector<RankedClass> ranked = expected[i].top(99);
                const auto at = std::find_if(ranked.begin(), ranked.end(),
                                             [&](const RankedClass& r) { return r.name == c["label"]; });
                ASSERT_NE(at, ranked.end()) << c << " in state " << a.state;
                ASSERT_NEAR(at->probability, c["probability"].get<double>(), 1e-3) << "state " << a.state;
            }
        }
    }
    EXPECT_GE(states.size(), 3u) << "of 13, in " << all.size() << " answers";
}

TEST_F(ServerStates, snapshots_taken_while_the_brain_changes_are_whole_and_have_the_state_they_name) {
    start();
    std::atomic<bool> finished = false;
    std::thread teacher([&] {
        for (int i = 0; !finished; ++i) {
            post("learn?label=n", floats(rows_of(5, 4, static_cast<std::uint64_t>(i)).view()), kFloats);
            if (i % 5 == 4) post("sleep");
        }
    });
    for (int i = 0; i < 10; ++i) {
        const HttpAnswer answer = get("snapshot");
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(answer.headers.at("content-disposition"), "attachment; filename*=UTF-8''birds.brain");
        const std::filesystem::path copy = folder_ / ("copy" + std::to_string(i) + ".brain");
        write_bytes(copy, answer.body);
        EXPECT_EQ(check_brain(copy), std::vector<std::string>()) << i;
        EXPECT_EQ(std::to_string(Brain(copy, BrainAccess::read).changes()),
                  answer.headers.at("fearnet-state"));
    }
    finished = true;
    teacher.join();
}

TEST_F(ServerStates, copies_that_nobody_fetches_are_limited_and_leave_nothing_behind) {
    const Folder temporary;
    const Environment variable("TMPDIR", temporary.path());
    // A file that the socket buffers do not hold.
    {
        Brain brain(folder_ / "large.brain", create_new());
        const Examples wide = blobs(0, 2, 800, 3000, 1);
        brain.learn(wide.x, names_of(wide));
    }
    ASSERT_GT(std::filesystem::file_size(folder_ / "large.brain"), 8'000'000u);
    server::ApplicationOptions o;
    o.brains = {folder_ / "large.brain"};
    start(std::move(o));
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (int i = 0; i < 8; ++i) {
        clients.push_back(std::make_unique<HttpConnection>(server_->port()));
        const int small = 4096;
        ::setsockopt(clients.back()->handle(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        clients.back()->send("GET /v1/brains/large/snapshot HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const std::string begin = clients.back()->receive();
        ASSERT_NE(begin.find("200 OK"), std::string::npos) << i << begin;
    }
    expect_problem(server_->ask("GET", "/v1/brains/large/snapshot"), 503, "copies");
    clients.clear();
    EXPECT_TRUE(wait_until([&] { return server_->http().connections() == 0; }));
    EXPECT_EQ(server_->ask("GET", "/v1/brains/large/snapshot").status, 200);
    EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

TEST_F(ServerStates, the_exported_model_is_of_the_state_it_names) {
    start();
    const HttpAnswer answer = get("export.onnx");
    EXPECT_EQ(answer.headers.at("fearnet-state"), "2");
    EXPECT_NE(answer.body.find("class 3"), std::string::npos) << "its classes are in the model";
}

}  // namespace
}  // namespace fearnet::test
