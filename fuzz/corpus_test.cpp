// Every file of the corpora, read in the ordinary build: what the fuzzer once found stays found.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "formats.hpp"

namespace fearnet::fuzz {

void PrintTo(const Format& format, std::ostream* out) {
    *out << format.name;
}

namespace {

class Corpus : public testing::TestWithParam<Format> {};

TEST_P(Corpus, is_read_or_refused_with_an_error) {
    const std::filesystem::path folder = std::filesystem::path(FEARNET_FUZZ_CORPUS) / GetParam().name;
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path().string());
        EXPECT_NO_THROW(GetParam().read(io::read_file(entry.path())));
        ++files;
    }
    EXPECT_GT(files, 0u) << folder << " is empty; fuzz/run.sh fills it";
}

INSTANTIATE_TEST_SUITE_P(every, Corpus, testing::ValuesIn(kFormats),
                         [](const auto& format) { return std::string(format.param.name); });

}  // namespace
}  // namespace fearnet::fuzz
