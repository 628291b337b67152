// A server with one small brain, for tests of what it answers.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <nlohmann/json.hpp>

#include "data/io/npy.hpp"
#include "support/brains.hpp"
#include "support/test_server.hpp"

namespace fearnet::test {

using Json = nlohmann::json;

inline constexpr const char* kFloats = "application/octet-stream";
inline constexpr const char* kNpy = "application/x-npy";
inline constexpr const char* kJson = "application/json";
inline constexpr const char* kForm = "multipart/form-data; boundary=XX";

inline Json parsed(const HttpAnswer& answer) {
    Json json = Json::parse(answer.body, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << answer.status << " " << answer.body;
    return json;
}

// Checks that `answer` is a problem document of RFC 9457 with these words in its detail.
inline void expect_problem(const HttpAnswer& answer, int status, const std::string& words = "") {
    EXPECT_EQ(answer.status, status) << answer.body;
    const auto type = answer.headers.find("content-type");
    ASSERT_NE(type, answer.headers.end()) << answer.body;
    EXPECT_EQ(type->second, "application/problem+json");
    const Json problem = parsed(answer);
    EXPECT_EQ(problem.value("type", ""), "about:blank");
    EXPECT_EQ(problem.value("status", 0), status);
    EXPECT_NE(problem.value("title", ""), "");
    EXPECT_NE(problem.value("detail", "").find(words), std::string::npos) << problem;
}

inline std::string floats(MatrixView rows) {
    return {reinterpret_cast<const char*>(rows.data), rows.rows * rows.cols * sizeof(float)};
}
inline std::string json_rows(MatrixView rows) {
    Json list = Json::array();
    for (std::size_t i = 0; i < rows.rows; ++i)
        list.push_back(std::vector<float>(rows.row(i), rows.row(i) + rows.cols));
    return list.dump();
}
// Parts of a form with the boundary XX: {head, content}.
inline std::string form(const std::vector<std::pair<std::string, std::string>>& parts) {
    std::string body;
    for (const auto& [head, content] : parts)
        body += "--XX\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + content + "\r\n";
    return body + "--XX--\r\n";
}

// False if `done` is still false after a minute.
template <class Done>
bool wait_until(const Done& done) {
    for (int i = 0; i < 6000; ++i) {
        if (done()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

// The brain "birds" knows the rows of blobs(0, 4, ...): "class 0" to "class 3", 12 numbers each.
class ServedBrain : public ::testing::Test {
  protected:
    static constexpr const char* kBrain = "/v1/brains/birds";
    static constexpr std::size_t kWidth = 12;
    static constexpr std::int64_t kState = 2;  // made and taught

    ServedBrain() {
        Brain brain(file(), create_new());
        teach_base(brain);
    }
    std::filesystem::path file() const { return folder_ / "birds.brain"; }
    server::ApplicationOptions options() const {
        server::ApplicationOptions o;
        o.brains = {file()};
        return o;
    }
    TestServer& start() { return start(options()); }
    TestServer& start(server::ApplicationOptions application, server::HttpOptions http = {}) {
        server_.reset();
        server_ = std::make_unique<TestServer>(std::move(application), std::move(http));
        return *server_;
    }
    HttpAnswer get(const std::string& what) const { return server_->ask("GET", kBrain + ("/" + what)); }
    HttpAnswer post(const std::string& what, const std::string& body = "", const char* type = kJson) const {
        return server_->ask("POST", kBrain + ("/" + what), body, type);
    }
    server::BrainService& service() const { return *server_->application().find("birds"); }
    // Rows of one class, others than those taught.
    static Matrix rows_of(std::size_t first, std::size_t count = 1, std::uint64_t seed = 77) {
        return blobs(first, 1, count, kWidth, seed).x;
    }
    std::vector<std::string> labels_of(const HttpAnswer& answer) const {
        std::vector<std::string> labels;
        const Json told = parsed(answer);
        for (const Json& a : told.value("answers", Json::array())) labels.push_back(a["label"]);
        return labels;
    }
    std::vector<std::string> classes() const {
        std::vector<std::string> names;
        const Json told = parsed(get("info"));
        for (const Json& c : told.value("classes", Json::array())) names.push_back(c["label"]);
        return names;
    }

    Folder folder_;
    std::unique_ptr<TestServer> server_;
};

// A change that is at work until it is released, or cancelled as any change can be.
class LongChange {
  public:
    explicit LongChange(server::BrainService& service) {
        service.change(
            "learn", std::make_shared<server::Request>(),
            [this](Brain&, const Progress& progress) -> apps::Json {
                began_ = true;
                while (!released_) {
                    if (!progress({"base", 1, 2})) throw Cancelled("learn");
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                return {};
            },
            [this](server::Response response) {
                status_ = response.status;
                replied_ = true;
            });
        EXPECT_TRUE(wait_until([&] { return began_.load(); }));
    }
    ~LongChange() {
        release();
        EXPECT_TRUE(wait_until([&] { return replied_.load(); }));
    }
    LongChange(const LongChange&) = delete;
    LongChange& operator=(const LongChange&) = delete;
    void release() { released_ = true; }
    int status() const { return status_; }  // 0: not answered yet

  private:
    std::atomic<bool> began_ = false, released_ = false, replied_ = false;
    std::atomic<int> status_ = 0;
};

}  // namespace fearnet::test
