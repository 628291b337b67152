// The forms in which a request brings rows and texts, right and wrong.
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class RequestInputs : public ServedBrain {
  protected:
    RequestInputs() { start(); }
};

TEST_F(RequestInputs, rows_as_json_npy_and_float32_are_answered_alike) {
    const Matrix rows = blobs(0, 4, 2, kWidth, 5).x;
    const std::vector<std::string> expected{"class 0", "class 0", "class 1", "class 1",
                                            "class 2", "class 2", "class 3", "class 3"};
    EXPECT_EQ(labels_of(post("predict", floats(rows.view()), kFloats)), expected);
    EXPECT_EQ(labels_of(post("predict", "{\"rows\": " + json_rows(rows.view()) + "}")), expected);
    EXPECT_EQ(labels_of(post("predict", std::string(io::as_text(io::npy_from(rows.view()))), kNpy)),
              expected);
}

TEST_F(RequestInputs, the_content_type_may_have_parameters_and_capitals) {
    const std::string body = "{\"rows\": " + json_rows(rows_of(2).view()) + "}";
    EXPECT_EQ(post("predict", body, "Application/JSON; charset=utf-8").status, 200);
}

TEST_F(RequestInputs, an_unknown_content_type_is_refused_with_415_and_a_list_of_the_known_ones) {
    expect_problem(post("predict", "x", "application/x-www-form-urlencoded"), 415, "application/x-npy");
    expect_problem(post("predict", "x", ""), 415);
}

TEST_F(RequestInputs, rows_of_a_wrong_width_are_refused_with_both_numbers) {
    const Matrix narrow = blobs(0, 1, 1, kWidth - 1, 5).x;
    for (const HttpAnswer& answer :
         {post("predict", "{\"rows\": " + json_rows(narrow.view()) + "}"),
          post("predict", std::string(io::as_text(io::npy_from(narrow.view()))), kNpy),
          post("learn?label=x", "{\"rows\": " + json_rows(narrow.view()) + "}")}) {
        expect_problem(answer, 400, "11");
        expect_problem(answer, 400, "12");
    }
    expect_problem(post("predict", floats(narrow.view()), kFloats), 400, "48 bytes");
    expect_problem(post("predict", "", kFloats), 400, "0 bytes");
}

TEST_F(RequestInputs, numbers_that_are_not_finite_are_refused) {
    Matrix rows = rows_of(0, 2);
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        rows(1, 3) = bad;
        for (const char* what :
             {"predict", "learn?label=x", "review?label=x", "discover", "learn?label=x&dry_run=1"})
            expect_problem(post(what, floats(rows.view()), kFloats), 400, "row 1");
    }
    // A double that no float32 can hold.
    std::string body = "{\"rows\": [[1e39";
    for (std::size_t i = 1; i < kWidth; ++i) body += ",0";
    expect_problem(post("predict", body + "]]}"), 400);
    expect_problem(post("predict", "{\"rows\": [[1e999]]}"), 400, "not JSON");
    expect_problem(post("predict", "{\"rows\": [[NaN]]}"), 400, "not JSON");
    EXPECT_EQ(parsed(get("info"))["state"], kState);
}

TEST_F(RequestInputs, an_npy_file_that_announces_more_than_it_has_is_refused) {
    std::string npy(io::as_text(io::npy_from(rows_of(0).view())));
    const std::string shape = "(1, 12)", huge = "(9999999999,12)";
    const std::size_t at = npy.find("(1,");
    ASSERT_NE(at, std::string::npos);
    const std::size_t end = npy.find(')', at) + 1;
    for (const char* wrong :
         {"(99999999,12), }", "(1,999999999), }", "(4611686018427387904,12),}", "(-1,12), }"}) {
        std::string changed = npy;
        const std::size_t blank = changed.find('\n');
        std::string header = changed.substr(at, blank - at);
        std::string replaced = std::string(wrong);
        replaced.resize(header.size(), ' ');
        changed.replace(at, header.size(), replaced);
        expect_problem(post("predict", changed, kNpy), 400);
    }
    expect_problem(post("predict", npy.substr(0, end), kNpy), 400);
    expect_problem(post("predict", "not numpy", kNpy), 400);
}

TEST_F(RequestInputs, json_that_is_not_what_was_asked_for_is_refused_with_400) {
    for (const char* body : {"",
                             "x",
                             "[]",
                             "[1, 2]",
                             "3",
                             "null",
                             "\"text\"",
                             "{",
                             "{\"rows\"",
                             "{\"rows\": [[1]",
                             "{}",
                             "{\"rows\": 3}",
                             "{\"rows\": {}}",
                             "{\"rows\": [1]}",
                             "{\"rows\": [[[1]]]}",
                             "{\"rows\": [[\"1\"]]}",
                             "{\"rows\": [[null]]}",
                             "{\"rows\": [[1], [1, 2]]}",
                             "{\"rows\": []}",
                             "{\"rows\": [[]]}",
                             "{\"rows\": [[1]], \"rows\": [[1, 2]]}",
                             "{\"texts\": [[\"a\"]]}",
                             "{\"texts\": {\"a\": \"b\"}}",
                             "{\"rows\": [[1]], \"texts\": [\"a\"]}",
                             "{\"columns\": []}",
                             "{\"texts\": [\"\xff\"]}",
                             "{\"rows\": [[1]]} x"})
        expect_problem(post("predict", body), 400);
}

TEST_F(RequestInputs, deeply_nested_json_is_refused_at_once) {
    const std::string deep(1'000'000, '[');
    expect_problem(post("predict", deep), 400);
    expect_problem(post("predict", "{\"rows\": " + deep), 400);
    std::string objects;
    for (int i = 0; i < 100'000; ++i) objects += "{\"rows\": ";
    expect_problem(post("predict", objects), 400);
    expect_problem(post("forget", objects), 400);
}

TEST_F(RequestInputs, files_are_refused_by_a_brain_of_rows_and_each_kind_of_part_has_its_place) {
    expect_problem(post("predict", form({{"name=\"a\"; filename=\"a.jpg\"", "x"}}), kForm), 400,
                   "rows of numbers");
    expect_problem(post("predict", form({{"name=\"colour\"", "red"}}), kForm), 400, "colour");
    expect_problem(post("predict", form({}), kForm), 400);
    expect_problem(post("predict", "\xff\xd8\xff", "image/jpeg"), 400, "rows of numbers");
    expect_problem(post("predict", "hello", "text/plain"), 400, "rows of numbers");
}

TEST_F(RequestInputs, labels_are_one_for_all_or_one_for_each_row) {
    const Matrix rows = blobs(4, 1, 3, kWidth, 5).x;
    const std::string list = json_rows(rows.view());
    expect_problem(post("learn", "{\"rows\": " + list + "}"), 400, "no labels");
    expect_problem(post("learn", "{\"rows\": " + list + ", \"labels\": [\"a\", \"b\"]}"), 400, "2 labels");
    expect_problem(post("learn", "{\"rows\": " + list + ", \"labels\": [\"a\"], \"label\": \"b\"}"), 400,
                   "give one");
    const Json told =
        parsed(post("learn", "{\"rows\": " + list + ", \"labels\": [\"a\", \"b\", \"class 0\"]}"));
    EXPECT_EQ(told["new_classes"], Json({"a", "b"}));
    EXPECT_EQ(told["known_classes"], Json({"class 0"}));
    EXPECT_EQ(told["state"], kState + 1);
}

// Texts need no model with text:ngrams.
class RequestTexts : public ServedBrain {
  protected:
    RequestTexts() {
        server::ApplicationOptions o;
        o.folder = folder_.path();
        start(std::move(o));
        const HttpAnswer made =
            server_->ask("POST", "/v1/brains", "{\"name\": \"desk\", \"features\": \"text:ngrams\"}");
        EXPECT_EQ(made.status, 201) << made.body;
        EXPECT_EQ(made.headers.at("location"), "/v1/brains/desk/info");
        Json body{{"texts", Json::array()}, {"labels", Json::array()}};
        for (const char* text :
             {"The printer is jammed.", "No paper in the printer.", "The printer prints nothing.",
              "I cannot log in.", "My password is wrong.", "The login page refuses my password."}) {
            body["labels"].push_back(body["texts"].size() < 3 ? "printer" : "login");
            body["texts"].push_back(text);
        }
        const HttpAnswer taught = server_->ask("POST", "/v1/brains/desk/learn", body.dump());
        EXPECT_EQ(taught.status, 200) << taught.body;
    }
    HttpAnswer ask(const std::string& body, const char* type) const {
        return server_->ask("POST", "/v1/brains/desk/predict", body, type);
    }
};

TEST_F(RequestTexts, texts_come_as_a_body_in_json_or_in_a_form) {
    EXPECT_EQ(labels_of(ask("printer jammed again", "text/plain")), std::vector<std::string>{"printer"});
    const std::vector<std::string> both{"login", "printer"};
    EXPECT_EQ(labels_of(ask("{\"texts\": [\"wrong password\", \"the printer is out of paper\"]}", kJson)),
              both);
    EXPECT_EQ(labels_of(ask(form({{"name=\"text\"", "wrong password"},
                                  {"name=\"f\"; filename=\"a.txt\"", "the printer is out of paper"}}),
                            kForm)),
              both);
}

TEST_F(RequestTexts, a_text_that_cannot_be_read_is_named_and_the_others_are_answered) {
    const HttpAnswer answer = ask("{\"texts\": [\"\", \"wrong password\"]}", kJson);
    const Json told = parsed(answer);
    ASSERT_EQ(told["answers"].size(), 1u) << answer.body;
    EXPECT_EQ(told["answers"][0]["row"], 1);
    EXPECT_EQ(told["unreadable"].size(), 1u);
    expect_problem(ask("{\"texts\": [\"\"]}", kJson), 400, "none can be read");
    expect_problem(ask("", "text/plain"), 400);
}

TEST_F(RequestTexts, a_text_with_zeros_escapes_and_broken_utf8_is_answered_and_nothing_of_it_is_executed) {
    const HttpAnswer answer = ask(std::string("a\0b\x1b[31m\xff\xfe<script>", 18), "text/plain");
    EXPECT_TRUE(answer.status == 200 || answer.status == 400) << answer.status;
    EXPECT_EQ(answer.body.find('\x1b'), std::string::npos);
    EXPECT_FALSE(Json::parse(answer.body, nullptr, false).is_discarded()) << answer.body;
}

TEST_F(RequestTexts, many_texts_in_one_request_are_limited) {
    std::string body = "{\"texts\": [\"a\"";
    for (int i = 0; i < 100'000; ++i) body += ",\"a\"";
    expect_problem(ask(body + "]}", kJson), 413, "100000");
}

}  // namespace
}  // namespace fearnet::test
