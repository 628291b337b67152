// An image model of a few bytes: the mean color of the four quarters of a picture, 12 features from 0 to 1.
#pragma once

#include <fstream>

#include "data/frontends/models/onnx_builder.hpp"
#include "data/frontends/models/store.hpp"

namespace fearnet::test {

// Its ONNX file.
inline std::string tiny_onnx() {
    OnnxBuilder onnx;
    onnx.input("image", OnnxType::float32, {1, 3, 16, 16});
    onnx.node("AveragePool", {"image"}, "pooled", {{"kernel_shape*", {8, 8}}, {"strides*", {8, 8}}});
    onnx.node("Flatten", {"pooled"}, "features", {{"axis", {1}}});
    onnx.output("features", OnnxType::float32, {1, 12});
    return onnx.model("tiny");
}

inline constexpr const char* kTinyJson = R"({
    "kind": "image",
    "input": {"name": "image", "width": 16, "height": 16, "short_side": 16,
              "mean": [0, 0, 0], "deviation": [255, 255, 255]},
    "output": {"name": "features", "pooling": "none", "width": 12}
})";

// Writes tiny.onnx and tiny.json. Returns the name of the model: "onnx:" and the path.
inline std::string write_tiny_model(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "tiny.onnx", std::ios::binary) << tiny_onnx();
    std::ofstream(folder / "tiny.json") << kTinyJson;
    return "onnx:" + (folder / "tiny.onnx").string();
}

// Why tests with models cannot run; empty: they can.
inline std::string no_onnx_runtime() {
    try {
        load_onnx_runtime();
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

#define SKIP_WITHOUT_ONNX_RUNTIME()                                          \
    if (const std::string why = fearnet::test::no_onnx_runtime(); !why.empty()) \
    GTEST_SKIP() << why

}  // namespace fearnet::test
