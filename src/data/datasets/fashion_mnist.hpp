// The built-in data set "fashion-mnist".
#pragma once

#include <filesystem>

#include "fearnet/data/load.hpp"

namespace fearnet {

// Where the Debian package puts the four IDX files.
inline constexpr const char* kFashionMnistFolder = "/usr/share/datasets/fashion-mnist";

bool fashion_mnist_present(const std::filesystem::path& folder);

// 60,000 training and 10,000 test rows of 784 pixels in 0 .. 1. Throws Error saying what to install when the
// files are missing.
FeatureSet load_fashion_mnist(const std::filesystem::path& folder);

}  // namespace fearnet
