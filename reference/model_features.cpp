// Runs a model on prepared inputs, for comparisons with other software.
//   usage: FEARNET_ONNXRUNTIME=LIBRARY fearnet_model_features MODEL INPUT OUTPUT FILE SIZE...
// MODEL is an ONNX file, or a TensorFlow Lite file, which is converted first. FILE holds tensors of shape
// SIZE..., float32, least significant byte first. Writes the outputs to standard output in the same form.
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "data/frontends/models/onnx_runtime.hpp"
#include "data/frontends/models/tflite_to_onnx.hpp"
#include "fearnet/error.hpp"

namespace {

void run(int argc, char** argv) {
    using namespace fearnet;
    if (argc < 6) throw Error("usage: fearnet_model_features MODEL INPUT OUTPUT FILE SIZE...");
    const std::string path = argv[1];
    io::Bytes model = io::read_file(path);
    if (path.ends_with(".tflite")) {
        const std::string converted = tflite_to_onnx(model, path);
        model.assign(converted.begin(), converted.end());
    }
    const char* library = std::getenv("FEARNET_ONNXRUNTIME");
    if (library == nullptr) throw Error("FEARNET_ONNXRUNTIME names no library");
    const OnnxSession session(std::make_shared<OnnxRuntime>(library), model, path);
    std::vector<std::int64_t> shape;
    std::size_t count = 1;
    for (int i = 5; i < argc; ++i) {
        shape.push_back(std::atoll(argv[i]));
        count *= static_cast<std::size_t>(shape.back());
    }
    const io::Bytes file = io::read_file(argv[4]);
    std::vector<float> numbers(file.size() / sizeof(float));
    std::memcpy(numbers.data(), file.data(), numbers.size() * sizeof(float));
    for (std::size_t i = 0; i + count <= numbers.size(); i += count) {
        const OnnxSession::Input input{argv[2], shape, std::span(numbers).subspan(i, count)};
        const OnnxSession::Output output = session.run({&input, 1}, argv[3]);
        std::cout.write(reinterpret_cast<const char*>(output.values.data()),
                        static_cast<std::streamsize>(output.values.size() * sizeof(float)));
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc, argv);
    } catch (const fearnet::Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
