#include "fearnet/data/load.hpp"
#include "formats.hpp"
#include "reading.hpp"

namespace fearnet::fuzz {

// The bytes once as the training images of a folder whose other files are whole, and once as the labels.
void idx(io::ByteView bytes) {
    static const io::Bytes images = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4};
    static const io::Bytes labels = {0, 0, 8, 1, 0, 0, 0, 2, 0, 1};
    static const Folder folder;
    const auto write = [&](const char* part, io::ByteView x, io::ByteView y) {
        folder.write(std::string(part) + "-images-idx3-ubyte", x);
        folder.write(std::string(part) + "-labels-idx1-ubyte", y);
    };
    write("t10k", images, labels);
    write("train", bytes, labels);
    read_or_refuse([&] { load_feature_set(folder.path().string()); });
    write("train", images, bytes);
    read_or_refuse([&] { load_feature_set(folder.path().string()); });
}

}  // namespace fearnet::fuzz
