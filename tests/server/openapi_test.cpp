// The description for programs lists what the server really has.
#include <set>

#include "server/routes/route.hpp"
#include "server/served_brain.hpp"

namespace fearnet::test {
namespace {

class OpenApi : public ServedBrain {
  protected:
    OpenApi() {
        start();
        document_ = parsed(server_->ask("GET", "/openapi.json"));
    }
    Json document_;
};

TEST_F(OpenApi, lists_every_route_of_the_table_and_none_else) {
    EXPECT_EQ(document_["openapi"], "3.1.0");
    std::set<std::string> table, described, ids;
    for (const server::Route& route : server::routes()) {
        std::string method = route.method;
        std::transform(method.begin(), method.end(), method.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        table.insert(method + " " + route.pattern);
    }
    for (const auto& [path, item] : document_["paths"].items())
        for (const auto& [method, operation] : item.items()) {
            described.insert(method + " " + path);
            EXPECT_TRUE(ids.insert(operation["operationId"]).second) << operation["operationId"];
        }
    EXPECT_EQ(described, table);
    EXPECT_EQ(table.size(), server::routes().size()) << "two routes are the same";
}

TEST_F(OpenApi, every_path_that_it_lists_exists_with_its_methods_only) {
    for (const auto& [path, item] : document_["paths"].items()) {
        std::string target = path;
        if (const std::size_t at = target.find("{brain}"); at != std::string::npos)
            target.replace(at, 7, "birds");
        if (const std::size_t at = target.find("{name}"); at != std::string::npos)
            target.replace(at, 6, "main.js");
        const HttpAnswer answer = server_->ask("PUT", target);
        ASSERT_EQ(answer.status, 405) << path;
        std::set<std::string> allowed, listed;
        for (const auto& [method, operation] : item.items()) listed.insert(method == "get" ? "GET" : "POST");
        for (std::size_t at = 0; at < answer.headers.at("allow").size(); at += 2) {
            const std::size_t end =
                std::min(answer.headers.at("allow").find(", ", at), answer.headers.at("allow").size());
            allowed.insert(answer.headers.at("allow").substr(at, end - at));
            at = end;
        }
        EXPECT_EQ(allowed, listed) << path;
    }
}

// A parameter that is read is refused with its name when its value is bad; one that is not read changes
// nothing.
TEST_F(OpenApi, parameters_that_are_described_are_read_and_no_others) {
    const std::string row = floats(rows_of(1).view());
    std::set<std::string> names;
    for (const server::Route& route : server::routes())
        for (const server::QueryParameter& q : route.query) names.insert(q.name);
    EXPECT_EQ(names, (std::set<std::string>{"below", "confidence", "deadline", "dry_run", "explain", "label",
                                            "min_rows", "skip_suspicious", "top", "unknown", "width"}));
    for (const server::Route& route : server::routes()) {
        if (std::string(route.method) != "POST" || route.body == server::BodyKind::json) continue;
        std::set<std::string> described;
        for (const Json& p : document_["paths"][route.pattern]["post"]["parameters"])
            if (p["in"] == "query") described.insert(p["name"]);
        for (const std::string& name : names) {
            if (name == "label" || name == "width") continue;  // any text; only float32 rows
            const bool labeled = route.body == server::BodyKind::labeled_inputs;
            const std::string id = route.id;
            const std::string what = (id == "review_labels" ? "review" : id) +
                                     (labeled ? "?dry_run=1&label=a&" : "?") +
                                     (labeled && name == "dry_run" ? "x=1&" : "") + name + "=bad%20value";
            const std::string body = route.body == server::BodyKind::none ? "" : row;
            EXPECT_EQ(post(what, body, kFloats).status, described.count(name) != 0 ? 400 : 200) << what;
        }
    }
}

TEST_F(OpenApi, keys_of_json_bodies_that_are_described_are_accepted_and_no_others) {
    std::size_t keys = 0;
    for (const server::Route& route : server::routes()) {
        if (route.body != server::BodyKind::json || std::string(route.id) == "new_brain") continue;
        const Json& schema =
            document_["paths"][route.pattern]["post"]["requestBody"]["content"]["application/json"];
        Json body = Json::object();
        for (const auto& [key, value] : schema["schema"]["properties"].items())
            body[key] = "no class", ++keys;
        // All keys are known: it is the class that is not.
        expect_problem(post(route.id, body.dump()), 404, "no class");
        body["other"] = "a";
        expect_problem(post(route.id, body.dump()), 400, "'other'");
    }
    EXPECT_EQ(keys, 5u);
}

TEST_F(OpenApi, only_routes_without_secrets_are_open) {
    std::set<std::string> open;
    for (const auto& [path, item] : document_["paths"].items())
        for (const auto& [method, operation] : item.items())
            if (operation.contains("security")) open.insert(path);
    EXPECT_EQ(open, (std::set<std::string>{"/", "/assets/{name}", "/healthz", "/openapi.json", "/readyz"}));
}

}  // namespace
}  // namespace fearnet::test
