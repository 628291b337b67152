#include "data/io/npy.hpp"
#include "agreement.hpp"
#include "fearnet/data/load.hpp"
#include "formats.hpp"
#include "reading.hpp"

namespace fearnet::fuzz {

// The bytes once as the features, with labels that fit the seeds beside them, and once as the labels.
void npy(io::ByteView bytes) {
    static const Folder folder;
    static const io::Bytes features = io::npy_from(MatrixView(Matrix(4, 2)));
    static const std::vector<std::int64_t> classes = {0, 1, 0, 1};
    static const io::Bytes labels = io::npy_from(std::span(classes));
    const std::string file = folder.write("data.npy", bytes);
    folder.write("data_labels.npy", labels);
    read_or_refuse([&] { load_feature_set(file); });
    check_agreement(file);
    folder.write("data.npy", features);
    folder.write("data_labels.npy", bytes);
    read_or_refuse([&] { load_feature_set(file); });
    check_agreement(file);
}

}  // namespace fearnet::fuzz
