// Names of brains are names: no request reaches a file by them.
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class BrainNames : public ServedBrain {
  protected:
    BrainNames() {
        std::filesystem::create_directory(folder_ / "served");
        server::ApplicationOptions o;
        o.folder = folder_ / "served";
        start(std::move(o));
    }
    HttpAnswer make(const std::string& name) const {
        return server_->ask("POST", "/v1/brains", Json{{"name", name}}.dump());
    }
    std::size_t files() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
            count += entry.is_regular_file() ? 1 : 0;
        return count;
    }
};

TEST_F(BrainNames, plain_names_make_files_in_the_folder_and_nowhere_else) {
    EXPECT_EQ(make("wings-2_b.c").status, 201);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "served" / "wings-2_b.c.brain"));
    expect_problem(make("wings-2_b.c"), 409);
    const std::size_t before = files();
    for (const std::string& name :
         {std::string(""), std::string("."), std::string(".."), std::string("../birds"), std::string("a/b"),
          std::string("/etc/passwd"), std::string("a\\b"), std::string("a\0b", 3), std::string(".hidden"),
          std::string("a b"), std::string("a%2fb"), std::string("\xc3\xa9"), std::string("a\nb"),
          std::string(65, 'a'), std::string(10'000, 'a')})
        expect_problem(make(name), 400);
    EXPECT_EQ(files(), before);
}

TEST_F(BrainNames, paths_in_requests_reach_no_file) {
    for (const char* name :
         {"..%2fbirds", "%2e%2e%2fbirds", "../birds", "..", ".", "%2e%2e", "%00", "birds%00", "birds.brain",
          "..%5cbirds", "%252e%252e%252fbirds", "birds%2f..%2fbirds", "//", "%", "%2", "%zz"}) {
        const HttpAnswer answer = server_->ask("GET", std::string("/v1/brains/") + name + "/info");
        expect_problem(answer, 404);
        EXPECT_EQ(answer.body.find("learner"), std::string::npos);
    }
    for (const char* name :
         {"..%2fserve.cpp", "../serve.cpp", "%2e%2e/serve.cpp", "..", "%00", "main.js%00", "MAIN.JS"})
        expect_problem(server_->ask("GET", std::string("/assets/") + name), 404);
}

TEST_F(BrainNames, a_symbolic_link_is_not_overwritten) {
    std::filesystem::create_symlink(folder_ / "target", folder_ / "served" / "link.brain");
    expect_problem(make("link"), 409);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "target"));
}

TEST_F(BrainNames, a_new_brain_reads_no_file_that_the_request_names) {
    write_bytes(folder_ / "model.onnx", "x");
    write_bytes(folder_ / "model.json", "{}");
    const auto with_features = [&](const std::string& features) {
        return server_->ask("POST", "/v1/brains", Json{{"name", "n"}, {"features", features}}.dump());
    };
    const std::string there = with_features("onnx:" + (folder_ / "model.onnx").string()).body;
    const std::string missing = with_features("onnx:" + (folder_ / "none.onnx").string()).body;
    EXPECT_EQ(there, missing) << "the answer tells whether there is a file";
    expect_problem(with_features("onnx:x"), 400);
    expect_problem(with_features("../model.onnx"), 400);
    expect_problem(with_features("rubbish"), 400);
    expect_problem(server_->ask("POST", "/v1/brains", R"({"name": "n", "learner": "../x"})"), 400);
    expect_problem(server_->ask("POST", "/v1/brains", R"({"name": "n", "options": {"a": "b"}})"), 400);
    expect_problem(server_->ask("POST", "/v1/brains", R"({"name": "n", "path": "/tmp"})"), 400);
    EXPECT_EQ(parsed(server_->ask("GET", "/v1/brains"))["brains"].size(), 0u);
}

TEST_F(BrainNames, a_server_of_single_files_makes_none) {
    start();
    expect_problem(make("new"), 403, "folder");
    EXPECT_FALSE(parsed(server_->ask("GET", "/v1/brains"))["can_create"]);
}

}  // namespace
}  // namespace fearnet::test
