#include "server/http/json_body.hpp"

#include <stdexcept>

#include "formats.hpp"
#include "server/brains/failure.hpp"

namespace fearnet::fuzz {

void json_body(io::ByteView bytes) {
    const std::vector<std::string> keys{"rows", "texts", "labels", "label", "options"};
    try {
        const server::JsonBody body = server::parse_json_body(std::string(io::as_text(bytes)), keys);
        const auto known = [&](const auto& entries) {
            for (const auto& [key, value] : entries)
                if (std::find(keys.begin(), keys.end(), key) == keys.end())
                    throw std::logic_error("a key that is not known");
        };
        known(body.texts);
        known(body.lists);
        known(body.objects);
        // A number takes two bytes of the body at least.
        if (body.rows && body.rows->size() > bytes.size()) throw std::logic_error("more numbers than bytes");
        if (body.rows && body.rows->rows() > 0 && body.rows->cols() == 0)
            throw std::logic_error("rows without numbers");
    } catch (const server::Failure& failure) {
        if (failure.status() != 400) throw std::logic_error("another status");
    }
}

}  // namespace fearnet::fuzz
