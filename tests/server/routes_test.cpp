// What every route answers when all is well, and to whom it is closed.
#include "server/routes/route.hpp"
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class ServerRoutes : public ServedBrain {};

TEST_F(ServerRoutes, every_route_answers_with_the_type_that_its_table_entry_states) {
    server::ApplicationOptions o = options();
    o.folder = folder_ / "made";
    std::filesystem::create_directory(o.folder);
    o.metrics = true;
    start(std::move(o));
    const std::string row = floats(rows_of(1).view());
    const Matrix new_class = rows_of(7, 5);
    const std::map<std::string, std::string> bodies{
        {"new_brain", R"({"name": "new"})"},
        {"forget", R"({"label": "class 3"})"},
        {"rename", R"({"from": "class 0", "to": "zero"})"},
        {"merge", R"({"from": "class 1", "into": "class 2"})"},
    };
    std::size_t asked = 0;
    for (const server::Route& route : server::routes()) {
        SCOPED_TRACE(route.id);
        std::string target = route.pattern;
        if (const std::size_t at = target.find("{brain}"); at != std::string::npos)
            target.replace(at, 7, "birds");
        if (const std::size_t at = target.find("{name}"); at != std::string::npos)
            target.replace(at, 6, "main.js");
        HttpConnection connection(server_->port());
        std::string body, type = kJson;
        if (route.body == server::BodyKind::json) body = bodies.at(route.id);
        if (route.body == server::BodyKind::inputs) body = row, type = kFloats;
        if (route.body == server::BodyKind::labeled_inputs)
            body = floats(new_class.view()), type = kFloats, target += "?label=new";
        if (std::string(route.id) == "events") {  // does not end by itself
            connection.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            const std::string begin = connection.receive();
            EXPECT_NE(begin.find("200 OK"), std::string::npos) << begin;
            EXPECT_NE(begin.find("text/event-stream"), std::string::npos) << begin;
        } else {
            const HttpAnswer answer = connection.request(route.method, target, body, type);
            EXPECT_EQ(answer.status, std::string(route.id) == "new_brain" ? 201 : 200) << answer.body;
            EXPECT_EQ(answer.headers.at("content-type").find(route.answer_type), 0u)
                << answer.headers.at("content-type");
            EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
            EXPECT_FALSE(answer.body.empty());
            // What is about one brain names its state.
            if (target.find("birds") != std::string::npos) {
                EXPECT_EQ(answer.headers.count("fearnet-state"), 1u);
            }
        }
        ++asked;
    }
    EXPECT_GE(asked, 24u);
}

TEST_F(ServerRoutes, an_unknown_path_is_404_and_a_known_one_with_another_method_405_with_allow) {
    start();
    for (const char* path :
         {"/nothing", "/v1", "/v1/", "/v1/brains/", "/v1/brains/birds", "/v1/brains/birds/",
          "/v1/brains/birds/predict/", "/v1/brains/birds/fly", "//", "/assets/", "/assets/none.js"})
        expect_problem(server_->ask("GET", path), 404);
    expect_problem(server_->ask("GET", "/v1/brains/eagles/info"), 404, "eagles");
    for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"}) {
        const HttpAnswer answer = server_->ask(method, "/v1/brains/birds/review");
        expect_problem(answer, 405);
        EXPECT_EQ(answer.headers.at("allow"), "GET, POST");
    }
    EXPECT_EQ(server_->ask("GET", "/v1/brains/birds/predict").headers.at("allow"), "POST");
}

TEST_F(ServerRoutes, head_answers_as_get_does_without_a_body) {
    start();
    HttpConnection connection(server_->port());
    for (const char* target : {"/healthz", "/v1/brains", "/v1/brains/birds/info", "/v1/brains/birds/events",
                               "/v1/brains/birds/snapshot"}) {
        connection.send(std::string("HEAD ") + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        std::string text;
        while (text.find("\r\n\r\n") == std::string::npos) {
            const std::string more = connection.receive();
            ASSERT_FALSE(more.empty()) << target;
            text += more;
        }
        EXPECT_EQ(text.find("HTTP/1.1 200"), 0u) << text;
        EXPECT_EQ(text.find("\r\n\r\n"), text.size() - 4) << text;
    }
}

TEST_F(ServerRoutes, a_bad_parameter_is_refused_by_its_name) {
    start();
    const std::string row = floats(rows_of(1).view());
    for (const char* query :
         {"top=0", "top=-1", "top=x", "top=", "top=1e3", "top=99999999999999999999", "confidence=0",
          "confidence=101%25", "confidence=x", "confidence=nan", "unknown=-1", "unknown=2", "explain=maybe",
          "deadline=0", "deadline=-1", "deadline=x", "deadline=", "deadline=nan", "deadline=1e99"}) {
        const std::string name = std::string(query).substr(0, std::string(query).find('='));
        expect_problem(post(std::string("predict?") + query, row, kFloats), 400, name);
    }
    for (const char* query : {"dry_run=2", "skip_suspicious=x", "width=0", "width=99999999999"}) {
        const std::string name = std::string(query).substr(0, std::string(query).find('='));
        expect_problem(post(std::string("learn?label=a&") + query, row, kFloats), 400, name);
    }
    for (const char* query : {"below=0", "below=2", "min_rows=0", "min_rows=x"})
        expect_problem(post(std::string("discover?") + query, row, kFloats), 400,
                       std::string(query).substr(0, std::string(query).find('=')));
    EXPECT_EQ(parsed(get("info"))["state"], kState);
}

TEST_F(ServerRoutes, an_answer_has_as_many_classes_as_were_asked_for_or_the_set_of_a_confidence) {
    start();
    const std::string row = floats(rows_of(1).view());
    EXPECT_EQ(parsed(post("predict", row, kFloats))["answers"][0]["classes"].size(), 1u);
    EXPECT_EQ(parsed(post("predict?top=3", row, kFloats))["answers"][0]["classes"].size(), 3u);
    EXPECT_EQ(parsed(post("predict?top=99", row, kFloats))["answers"][0]["classes"].size(), 4u);
    const Json answer = parsed(post("predict?confidence=90%25", row, kFloats))["answers"][0];
    EXPECT_EQ(answer["classes"][0]["label"], "class 1");
    // All rows of class 1 are less familiar than half of the taught rows, or more.
    const Matrix strange(1, kWidth);
    EXPECT_TRUE(
        parsed(post("predict?unknown=0.5", floats(strange.view()), kFloats))["answers"][0]["unknown"]);
    EXPECT_FALSE(parsed(post("predict?unknown=0", floats(strange.view()), kFloats))["answers"][0]["unknown"]);
}

TEST_F(ServerRoutes, lines_of_json_are_the_same_answers) {
    start();
    const Matrix rows = blobs(0, 4, 600, kWidth, 9).x;
    const Json all = parsed(post("predict", floats(rows.view()), kFloats));
    const HttpAnswer lines = server_->ask("POST", "/v1/brains/birds/predict", floats(rows.view()), kFloats,
                                          "Accept: application/x-ndjson\r\n");
    EXPECT_EQ(lines.headers.at("content-type"), "application/x-ndjson");
    EXPECT_EQ(lines.headers.at("fearnet-state"), "2");
    std::istringstream text(lines.body);
    std::size_t count = 0;
    for (std::string line; std::getline(text, line); ++count)
        ASSERT_EQ(Json::parse(line), all["answers"][count]) << count;
    EXPECT_EQ(count, 2400u);
}

// Ten rows of each class; the first row of class 2 is called class 0.
Json with_a_wrong_label() {
    const Examples e = blobs(0, 4, 10, 12, 33);
    std::vector<std::string> labels = names_of(e);
    labels[20] = "class 0";
    return {{"rows", Json::parse(json_rows(e.x.view()))}, {"labels", labels}};
}

TEST_F(ServerRoutes, a_dry_run_tells_what_would_happen_and_changes_nothing) {
    start();
    const std::string before = read_bytes(file());
    Json body = with_a_wrong_label();
    body["labels"][39] = "new";
    const Json told = parsed(post("learn?dry_run=1", body.dump()));
    EXPECT_EQ(told["examples"], 40);
    EXPECT_EQ(told["known_classes"], Json({"class 0", "class 1", "class 2", "class 3"}));
    EXPECT_EQ(told["new_classes"], Json({"new"}));
    ASSERT_EQ(told["answers"].size(), 40u);
    for (std::size_t i = 0; i < 40; ++i)
        EXPECT_EQ(told["answers"][i]["label"], "class " + std::to_string(i / 10)) << i;
    EXPECT_EQ(told["suspects"][0]["row"], 20) << told["suspects"];
    EXPECT_EQ(told["state"], kState);
    EXPECT_TRUE(read_bytes(file()) == before) << "the file has changed";
}

TEST_F(ServerRoutes, suspects_are_left_out_if_asked_and_named_by_review) {
    start();
    const std::string body = with_a_wrong_label().dump();
    const Json reviewed = parsed(post("review", body));
    ASSERT_EQ(reviewed["suspects"].size(), 1u) << reviewed;
    EXPECT_EQ(reviewed["suspects"][0]["row"], 20);
    EXPECT_EQ(reviewed["suspects"][0]["looks_like"], "class 2");
    EXPECT_EQ(parsed(get("info"))["state"], kState);
    const Json taught = parsed(post("learn?skip_suspicious=1", body));
    EXPECT_EQ(taught["skipped"], 1);
    EXPECT_EQ(taught["examples"], 39);
}

TEST_F(ServerRoutes, discover_groups_what_is_alike_and_like_nothing_taught) {
    start();
    const Matrix strange = blobs(9, 2, 15, kWidth, 3, 0.05).x;
    const Json told = parsed(post("discover?below=0.5", floats(strange.view()), kFloats));
    EXPECT_EQ(told["rows"], 30);
    EXPECT_EQ(told["groups"].size(), 2u) << told;
}

TEST_F(ServerRoutes, an_untaught_brain_takes_any_width_first_and_answers_nothing_before) {
    server::ApplicationOptions o;
    o.folder = folder_.path();
    start(std::move(o));
    ASSERT_EQ(server_->ask("POST", "/v1/brains", R"({"name": "wings"})").status, 201);
    const auto ask = [&](const std::string& what, const std::string& body, const char* type = kFloats) {
        return server_->ask("POST", "/v1/brains/wings/" + what, body, type);
    };
    const Matrix rows = blobs(0, 2, 20, 3, 5).x;
    expect_problem(ask("predict", "{\"rows\": [[1, 2, 3]]}", kJson), 409, "teach it first");
    expect_problem(ask("learn?label=a", floats(rows.view())), 400, "?width=N");
    expect_problem(server_->ask("GET", "/v1/brains/wings/export.onnx"), 409);
    EXPECT_EQ(ask("sleep", "").status, 200);
    EXPECT_EQ(ask("learn?label=a&width=3", floats(rows.view().slice(0, 20))).status, 200);
    EXPECT_EQ(ask("learn?label=b", floats(rows.view().slice(20, 20))).status, 200);
    EXPECT_EQ(labels_of(ask("predict", floats(rows.view().slice(39, 1)))), std::vector<std::string>{"b"});
}

}  // namespace
}  // namespace fearnet::test
