// ONNX files: what is checked before ONNX Runtime sees one, and the conversion of position embeddings.
#pragma once

#include <string>

#include "data/io/files.hpp"

namespace fearnet {

inline constexpr std::uint64_t kMaxOnnxBytes = 1'000'000'000;

// Throws Error, starting with `what`, unless the bytes are one whole ONNX model of at most kMaxOnnxBytes that
// asks for no other file. A tensor of the model may otherwise name a file to read ("external data").
void check_onnx_file(io::ByteView file, const std::string& what);

// Shortens a table of position embeddings: the model then takes shorter sequences. Keeps the first `rows`
// rows of the float32 constant `initializer` (positions x width) and, of the outputs, only `output`; drops
// the shapes that the file notes for intermediate results. All other bytes are copied. Throws Error as
// check_onnx_file does, and when the model lacks the constant, the output or that many rows.
std::string cut_positions(io::ByteView file, const std::string& initializer, std::size_t rows,
                          const std::string& output, const std::string& what);

}  // namespace fearnet
