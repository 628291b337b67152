#include "fearnet/lab/protocol.hpp"

#include "fearnet/options.hpp"
#include "lab/protocol/protocol_json.hpp"

namespace fearnet::lab {
namespace {

struct JsonWriter {
    nlohmann::ordered_json& object;
    template <class Field, class... Range>
    void option(const char* name, const Field& field, const char*, Range...) {
        object[name] = field;
    }
};

}  // namespace

void put_protocol(nlohmann::ordered_json& object, Protocol protocol) {
    JsonWriter writer{object};
    protocol.describe(writer);
    for (const OptionText& o : list_options(protocol.variant))
        if (o.value == "0" || o.value == "false") object.erase(o.name);
    if (!protocol.open_world) object.erase("open_world");
}

Protocol get_protocol(const nlohmann::ordered_json& object) {
    Protocol protocol;
    for (const OptionText& o : list_options(protocol))
        if (object.contains(o.name)) o.parse(object[o.name].dump());
    return protocol;
}

std::string protocol_json(const Protocol& protocol) {
    nlohmann::ordered_json object;
    put_protocol(object, protocol);
    return object.dump();
}

void check_protocol(Protocol protocol) {
    for (const OptionText& option : list_options(protocol)) option.parse(option.value);
    check_stream_variant(protocol.variant);
}

}  // namespace fearnet::lab
