#include <stdexcept>

#include "data/frontends/models/description.hpp"
#include "data/frontends/models/onnx_file.hpp"
#include "data/frontends/models/tflite_to_onnx.hpp"
#include "formats.hpp"
#include "reading.hpp"

namespace fearnet::fuzz {
namespace {

// What a conversion makes is a model that would be run.
void check_made(const std::string& onnx) {
    try {
        check_onnx_file(io::as_bytes(onnx), "made");
    } catch (const Error& error) {
        throw std::logic_error(std::string("a conversion made a file that is refused: ") + error.what());
    }
}

}  // namespace

// The first bytes tell a TensorFlow Lite file and a description; all else is an ONNX file.
void models(io::ByteView bytes) {
    if (bytes.size() > 8 && io::as_text(bytes.subspan(4, 4)) == "TFL3") {
        for (const char* map : {"", "sum1"})
            read_or_refuse([&] { check_made(tflite_to_onnx(bytes, "model", map)); });
    } else if (!bytes.empty() && bytes[0] == '{') {
        read_or_refuse([&] {
            const ModelDescription d = parse_model_description(io::as_text(bytes), "model");
            if (d.kind != ModelKind::runtime) fingerprint_of(d);
        });
        read_or_refuse([&] { parse_own_description(io::as_text(bytes), "model"); });
    } else {
        read_or_refuse([&] { check_onnx_file(bytes, "model"); });
        read_or_refuse([&] { check_made(cut_positions(bytes, "table", 2, "features", "model")); });
    }
}

}  // namespace fearnet::fuzz
