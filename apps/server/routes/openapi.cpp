#include "server/routes/openapi.hpp"

#include <map>

#include "server/routes/route.hpp"

namespace fearnet::server {
namespace {

using apps::Json;

Json text_schema() {
    return {{"type", "string"}};
}

Json array_of(Json items) {
    return {{"type", "array"}, {"items", std::move(items)}};
}

Json object_of(std::initializer_list<Json::Member> properties) {
    return {{"type", "object"}, {"properties", Json(properties)}};
}

Json bytes_schema() {
    return {{"type", "string"}, {"format", "binary"}};
}

Json content(const char* type, Json schema) {
    Json media = Json::array(), result{{type, Json{{"schema", std::move(schema)}}}};
    return result;
}

// What predict, learn, review and discover take.
Json inputs_content(bool labels) {
    Json json_body =
        object_of({{"rows", array_of(array_of({{"type", "number"}}))}, {"texts", array_of(text_schema())}});
    Json form = object_of({{"file", array_of(bytes_schema())}, {"text", array_of(text_schema())}});
    if (labels) {
        json_body = object_of({{"rows", array_of(array_of({{"type", "number"}}))},
                               {"texts", array_of(text_schema())},
                               {"labels", array_of(text_schema())},
                               {"label", text_schema()}});
        form = object_of({{"file", array_of(bytes_schema())},
                          {"text", array_of(text_schema())},
                          {"label", array_of(text_schema())}});
    }
    Json all{{"application/json", Json{{"schema", std::move(json_body)}}},
             {"multipart/form-data", Json{{"schema", std::move(form)}}}};
    for (const char* type : {"application/octet-stream", "application/x-npy", "image/*", "audio/*"})
        all.add(type, {{"schema", bytes_schema()}});
    all.add("text/plain", {{"schema", text_schema()}});
    return all;
}

Json request_body(const Route& route) {
    if (route.body == BodyKind::json) {
        Json properties{};
        bool first = true;
        Json object = Json{{"type", "object"}};
        for (const QueryParameter& key : route.keys) {
            const bool options = std::string_view(key.name) == "options";
            Json schema = options ? Json{{"type", "object"},
                                         {"description", key.text},
                                         {"additionalProperties", text_schema()}}
                                  : Json{{"type", "string"}, {"description", key.text}};
            if (first)
                properties = Json{{key.name, std::move(schema)}};
            else
                properties.add(key.name, std::move(schema));
            first = false;
        }
        object.add("properties", std::move(properties));
        return {{"required", true}, {"content", content("application/json", std::move(object))}};
    }
    return {{"required", true}, {"content", inputs_content(route.body == BodyKind::labeled_inputs)}};
}

Json operation(const Route& route) {
    Json parameters = Json::array();
    for (const char* name : {"brain", "name"})
        if (std::string(route.pattern).find(std::string("{") + name + "}") != std::string::npos)
            parameters.push_back(
                {{"name", name}, {"in", "path"}, {"required", true}, {"schema", text_schema()}});
    for (const QueryParameter& q : route.query)
        parameters.push_back(
            {{"name", q.name}, {"in", "query"}, {"description", q.text}, {"schema", text_schema()}});
    const bool made = std::string_view(route.id) == "new_brain";
    Json responses{
        {made ? "201" : "200",
         Json{{"description", route.answer},
              {"content", content(route.answer_type, std::string_view(route.answer_type) == "application/json"
                                                         ? Json{{"type", "object"}}
                                                         : text_schema())}}},
        {"default",
         Json{{"description", "A problem (RFC 9457)."},
              {"content", content("application/problem+json", {{"$ref", "#/components/schemas/Problem"}})}}}};
    Json result{{"operationId", route.id}, {"summary", route.summary}};
    result.add("parameters", std::move(parameters));
    if (route.body != BodyKind::none) result.add("requestBody", request_body(route));
    result.add("responses", std::move(responses));
    if (route.open) result.add("security", Json::array());
    return result;
}

}  // namespace

Json openapi() {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const Route*>> by_path;
    for (const Route& route : routes()) {
        if (by_path[route.pattern].empty()) order.push_back(route.pattern);
        by_path[route.pattern].push_back(&route);
    }
    Json paths{};
    bool first = true;
    for (const std::string& path : order) {
        Json item{};
        bool first_method = true;
        for (const Route* route : by_path[path]) {
            const char* method = std::string_view(route->method) == "GET" ? "get" : "post";
            if (first_method)
                item = Json{{method, operation(*route)}};
            else
                item.add(method, operation(*route));
            first_method = false;
        }
        if (first)
            paths = Json{{path.c_str(), std::move(item)}};
        else
            paths.add(path.c_str(), std::move(item));
        first = false;
    }
    Json bearer = Json::array();
    bearer.push_back(Json{{"token", Json::array()}});
    return {{"openapi", "3.1.0"},
            {"info", Json{{"title", "fearnet serve"},
                          {"version", "1"},
                          {"description",
                           "A brain that many programs and people can teach. docs/serve.md is the guide."}}},
            {"paths", std::move(paths)},
            {"security", std::move(bearer)},
            {"components",
             Json{{"securitySchemes", Json{{"token", Json{{"type", "http"}, {"scheme", "bearer"}}}}},
                  {"schemas", Json{{"Problem", object_of({{"type", text_schema()},
                                                          {"title", text_schema()},
                                                          {"status", Json{{"type", "integer"}}},
                                                          {"detail", text_schema()}})}}}}}};
}

}  // namespace fearnet::server
