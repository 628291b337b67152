// One reader per file format. They give labels and rows as the file has them; load_feature_set checks and
// scales.
#pragma once

#include <filesystem>

#include "fearnet/features/feature_set.hpp"
#include "fearnet/features/load.hpp"

namespace fearnet {

// All throw Error naming the file. docs/formats has the rules of each.
FeatureSet load_npz(const std::filesystem::path& path, const LoadOptions& options);
FeatureSet load_npy(const std::filesystem::path& path, const LoadOptions& options);
FeatureSet load_csv(const std::filesystem::path& path, const LoadOptions& options);

// A folder with the four files of the MNIST family. Bytes are divided by 255. `class_names` as in map_labels.
FeatureSet load_idx_folder(const std::filesystem::path& folder,
                           const std::vector<std::string>& class_names = {});
// True for the name of one of these files, with or without ".gz".
bool is_idx_name(const std::string& file_name);

}  // namespace fearnet
