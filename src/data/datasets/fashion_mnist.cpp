#include "data/datasets/fashion_mnist.hpp"

#include "fearnet/data/table.hpp"

namespace fearnet {
namespace {

const std::vector<std::string> kNames = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                         "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

}  // namespace

bool fashion_mnist_present(const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(folder, ignored);
}

FeatureSet load_fashion_mnist(const std::filesystem::path& folder) {
    if (!fashion_mnist_present(folder))
        throw Error("fashion-mnist: " + folder.string() +
                    " is missing; install it with 'apt-get install dataset-fashion-mnist'");
    Table table = read_table(folder.string());
    table.class_names = kNames;
    return feature_set_of(std::move(table));
}

}  // namespace fearnet
