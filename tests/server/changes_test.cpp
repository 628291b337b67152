// Changes of a brain by requests: what they do, and that refused ones do nothing.
#include "server/http/target.hpp"
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

using Names = std::vector<std::string>;

class ServerChanges : public ServedBrain {
  protected:
    ServerChanges() { start(); }
    HttpAnswer edit(const std::string& what, const Json& body) const { return post(what, body.dump()); }
};

TEST_F(ServerChanges, each_change_is_in_the_file_when_it_is_answered) {
    std::int64_t state = kState;
    const auto expect_in_file = [&](const HttpAnswer& answer, const Names& names) {
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(parsed(answer)["state"], ++state);
        EXPECT_EQ(answer.headers.at("fearnet-state"), std::to_string(state));
        const Brain brain(file(), BrainAccess::read);
        EXPECT_EQ(brain.changes(), state);
        EXPECT_EQ(brain.class_names(), names);
        EXPECT_EQ(classes(), names);
    };
    const std::string rows = floats(rows_of(5, 20).view());
    expect_in_file(post("learn?label=new", rows, kFloats),
                   {"class 0", "class 1", "class 2", "class 3", "new"});
    expect_in_file(edit("rename", {{"from", "new"}, {"to", "a new one"}}),
                   {"a new one", "class 0", "class 1", "class 2", "class 3"});
    expect_in_file(edit("merge", {{"from", "class 3"}, {"into", "class 2"}}),
                   {"a new one", "class 0", "class 1", "class 2"});
    expect_in_file(edit("forget", {{"label", "class 0"}}), {"a new one", "class 1", "class 2"});
    const HttpAnswer slept = post("sleep");
    EXPECT_TRUE(parsed(slept)["slept"]);
    expect_in_file(slept, {"a new one", "class 1", "class 2"});
    EXPECT_EQ(labels_of(post("predict", floats(rows_of(5, 1, 5).view()), kFloats)), Names{"a new one"});
    const Json history = parsed(get("history"))["history"];
    EXPECT_EQ(history.size(), 7u);
    EXPECT_EQ(history.back()["action"], "sleep");
    EXPECT_TRUE(parsed(get("check"))["intact"]);
}

TEST_F(ServerChanges, refused_changes_leave_the_file_as_it_was) {
    const std::string before = read_bytes(file());
    expect_problem(edit("forget", {{"label", "owl"}}), 404, "owl");
    expect_problem(edit("rename", {{"from", "owl"}, {"to", "wren"}}), 404, "owl");
    expect_problem(edit("rename", {{"from", "class 0"}, {"to", "class 1"}}), 409, "merge");
    expect_problem(edit("rename", {{"from", "class 0"}}), 400, "'to'");
    expect_problem(edit("merge", {{"from", "class 0"}, {"into", "owl"}}), 404, "owl");
    expect_problem(edit("merge", {{"from", "class 0"}, {"into", "class 0"}}), 400);
    expect_problem(post("forget", "{}"), 400, "'label'");
    expect_problem(post("forget", ""), 400, "empty");
    expect_problem(post("forget", "{\"label\": [\"class 0\"]}"), 400);
    expect_problem(post("forget", "{\"label\": \"class 0\", \"label\": \"class 1\"}"), 400, "twice");
    EXPECT_TRUE(read_bytes(file()) == before);
}

TEST_F(ServerChanges, class_names_are_any_text_that_is_safe_to_show) {
    const std::string rows = floats(rows_of(5, 5).view());
    const auto teach = [&](const std::string& name) {
        return post("learn?label=" + server::percent_encoded(name), rows, kFloats);
    };
    const Names shown{"<b onclick=alert(1)>", "../../etc/passwd", "\"quoted\" \\ & ' %00",
                      "\xc3\xa9t\xc3\xa9"};
    for (const std::string& name : shown) {
        EXPECT_EQ(teach(name).status, 200) << name;
        EXPECT_EQ(edit("forget", {{"label", name}}).status, 200) << name;
    }
    EXPECT_EQ(teach(std::string(256, 'x')).status, 200);
    for (const std::string& name :
         Names{"", "a\nb", "a\rb", std::string("a\0b", 3), "\x1b[31mred", "\x7f", "\xff\xfe",
               "\xe2\x80\xae"
               "right to left",
               std::string(257, 'x'), std::string(9000, 'x')}) {
        const std::size_t classes_before = classes().size();
        const HttpAnswer answer = edit("rename", {{"from", "class 0"}, {"to", name.size() == 2 ? "" : name}});
        expect_problem(answer, 400);
        EXPECT_EQ(answer.body.find('\x1b'), std::string::npos);
        EXPECT_EQ(classes().size(), classes_before);
        Json body{{"rows", Json::array({std::vector<float>(kWidth)})}, {"label", ""}};
        if (name != "\xff\xfe") body["label"] = name;
        expect_problem(post("learn", body.dump()), 400);
    }
    expect_problem(post("learn?label=%ff%fe", rows, kFloats), 400);
    // Control characters in a query are not decoded: the name is the text itself.
    EXPECT_EQ(post("learn?label=a%0ab", rows, kFloats).status, 200);
    const Names now = classes();
    EXPECT_NE(std::find(now.begin(), now.end(), "a%0ab"), now.end());
}

TEST_F(ServerChanges, another_program_may_change_the_file_meanwhile) {
    {
        Brain other(file());
        teach_more(other, 4);
    }
    EXPECT_TRUE(wait_until([&] { return parsed(get("info"))["state"] == kState + 1; }));
    EXPECT_EQ(classes().size(), 5u);
    // A change of ours comes after theirs, also if the server has not noticed theirs yet.
    {
        Brain other(file());
        other.forget("class 4");
    }
    EXPECT_EQ(parsed(post("learn?label=new", floats(rows_of(6, 5).view()), kFloats))["state"], kState + 3);
    EXPECT_EQ(classes(), (Names{"class 0", "class 1", "class 2", "class 3", "new"}));
}

TEST_F(ServerChanges,
       a_brain_that_was_replaced_by_one_of_another_width_is_served_and_old_questions_are_refused) {
    const Examples narrow = blobs(0, 3, 20, 5, 1);
    {
        Brain other(folder_ / "other.brain", create_new());
        other.learn(narrow.x, names_of(narrow));
    }
    std::filesystem::rename(folder_ / "other.brain", file());
    const std::string old_row = floats(rows_of(1).view()), new_row = floats(narrow.x.view().slice(0, 1));
    EXPECT_TRUE(wait_until([&] { return post("predict", new_row, kFloats).status == 200; }));
    expect_problem(post("predict", old_row, kFloats), 400, "48 bytes");
    expect_problem(post("predict", "{\"rows\": " + json_rows(rows_of(1).view()) + "}"), 400, "12");
}

TEST_F(ServerChanges, auto_sleep_sleeps_when_it_is_due_and_nothing_else_waits) {
    BrainOptions due;
    due.settings.due_sessions = 2;
    { const Brain made(folder_ / "sleepy.brain", create_new(due)); }
    server::ApplicationOptions o;
    o.brains = {folder_ / "sleepy.brain"};
    o.service.auto_sleep = true;
    start(std::move(o));
    const auto actions = [&] {
        Names names;
        const Json told = parsed(server_->ask("GET", "/v1/brains/sleepy/history"));
        for (const Json& h : told["history"]) names.push_back(h["action"]);
        return names;
    };
    for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(server_
                      ->ask("POST", "/v1/brains/sleepy/learn?width=12&label=c" + std::to_string(c),
                            floats(rows_of(c, 20).view()), kFloats)
                      .status,
                  200);
    EXPECT_TRUE(wait_until([&] {
        const Names all = actions();
        return std::count(all.begin(), all.end(), "sleep") > 0;
    }));
}

TEST_F(ServerChanges, a_read_only_server_answers_and_refuses_changes) {
    server::ApplicationOptions o = options();
    o.service.read_only = true;
    start(std::move(o));
    const std::string row = floats(rows_of(1).view());
    EXPECT_EQ(labels_of(post("predict", row, kFloats)), Names{"class 1"});
    EXPECT_EQ(get("snapshot").status, 200);
    for (const char* what :
         {"learn?label=a", "learn?label=a&dry_run=1", "sleep", "forget", "rename", "merge"})
        expect_problem(post(what, row, kFloats), 403, "--read-only");
    expect_problem(server_->ask("POST", "/v1/brains", R"({"name": "new"})"), 403);
    EXPECT_TRUE(parsed(get("info"))["read_only"]);
    {
        Brain other(file());
        teach_more(other, 4);
    }
    EXPECT_TRUE(wait_until([&] { return parsed(get("info"))["state"] == kState + 1; }));
}

}  // namespace
}  // namespace fearnet::test
