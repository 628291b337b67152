// Small brains to test with.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "fearnet/brain.hpp"
#include "support/blobs.hpp"

namespace fearnet::test {

// A folder that goes away with its test.
class Folder {
  public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "fearnet-brain-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// Learns blobs in well under a second.
inline BrainOptions quick_brain() {
    BrainOptions options;
    options.learner.learner = "fearnet";
    options.learner.settings = {{"network.hidden", "16,8"},      {"training.batch", "32"},
                                {"training.base_epochs", "200"}, {"sleep.epochs", "30"},
                                {"amygdala.epochs", "10"},       {"statistics.refresh_samples", "40"},
                                {"training.min_steps", "0"},     {"sleep.min_steps", "0"}};
    return options;
}

inline std::vector<std::string> names_of(const Examples& examples) {
    std::vector<std::string> names;
    for (const ClassId id : examples.labels) names.push_back("class " + std::to_string(index_of(id)));
    return names;
}

// Base knowledge of classes 0..3, then 4 and 5 in sessions of their own.
inline void teach_base(Brain& brain) {
    const Examples base = blobs(0, 4, 25, 12, 1);
    brain.learn(base.x, names_of(base));
}
inline void teach_more(Brain& brain, std::int32_t first, std::size_t count = 1) {
    for (std::size_t k = 0; k < count; ++k) {
        const Examples e =
            blobs(first + static_cast<std::int32_t>(k), 1, 25, 12, 2 + static_cast<std::uint64_t>(first) + k);
        brain.learn(e.x, names_of(e));
    }
}

inline std::string read_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace fearnet::test
