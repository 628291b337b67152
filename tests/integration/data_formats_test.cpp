// The same small data set in every format, through every door: run, learn, predict, evaluate, Python and the
// library read the same rows and labels. A new format is one line in formats().
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "data/packages/command.hpp"
#include "data/io/npz.hpp"
#include "fearnet/brain.hpp"
#include "fearnet/data/load.hpp"
#include "integration/cli_process.hpp"

namespace fearnet::test {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

constexpr std::size_t kRows = 12, kWidth = 4;
constexpr std::int64_t kLabels[] = {3, 7, 12};

// Pixels, so that IDX can hold them: every row is different, rows of a class have one bright feature.
int pixel(std::size_t row, std::size_t column) {
    return static_cast<int>(row % 3 == column ? 200 + row : 10 * column + row);
}
float value(std::size_t row, std::size_t column) {
    return static_cast<float>(pixel(row, column)) / 255;
}
std::int64_t label(std::size_t row) {
    return kLabels[row % 3];
}
bool is_test(std::size_t row) {
    return row % 4 == 3;  // one row of each class
}

// Numbers of the training rows, of the test rows, or of all.
std::vector<std::size_t> numbers_of(std::optional<Split> split) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < kRows; ++i)
        if (!split || is_test(i) == (*split == Split::test)) numbers.push_back(i);
    return numbers;
}
Matrix rows_of(std::optional<Split> split) {
    const std::vector<std::size_t> numbers = numbers_of(split);
    Matrix x(numbers.size(), kWidth);
    for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t j = 0; j < kWidth; ++j) x(i, j) = value(numbers[i], j);
    return x;
}
std::vector<std::int64_t> labels_of(std::optional<Split> split) {
    std::vector<std::int64_t> labels;
    for (const std::size_t i : numbers_of(split)) labels.push_back(label(i));
    return labels;
}
Names names_of(std::optional<Split> split) {
    Names names;
    for (const std::int64_t l : labels_of(split)) names.push_back(std::to_string(l));
    return names;
}

void add(io::NpzWriter& npz, const std::string& x, const std::string& y, std::optional<Split> split) {
    npz.add(x, rows_of(split).view());
    const std::vector<std::int64_t> labels = labels_of(split);
    npz.add(y, std::span<const std::int64_t>(labels));
}
std::string write(const fs::path& path, const io::Bytes& bytes) {
    io::write_file_atomically(path, bytes);
    return path.string();
}
std::string write_npz(const fs::path& path, const std::string& x, const std::string& y, bool split) {
    io::NpzWriter npz;
    add(npz, split ? x + "_train" : x, split ? y + "_train" : y,
        split ? std::optional(Split::train) : std::nullopt);
    if (split) add(npz, x + "_test", y + "_test", Split::test);
    return write(path, npz.finish());
}
// x and y hold other rows, which must not be read.
std::string write_both(const fs::path& path) {
    io::NpzWriter npz;
    add(npz, "x_train", "y_train", Split::train);
    add(npz, "x_test", "y_test", Split::test);
    const std::vector<std::int64_t> others = {8, 9};
    npz.add("x", Matrix(2, kWidth).view());
    npz.add("y", std::span<const std::int64_t>(others));
    return write(path, npz.finish());
}
std::string write_npy(const fs::path& path) {
    const std::vector<std::int64_t> labels = labels_of({});
    fs::path beside = path;
    write(beside.replace_filename(path.stem().string() + "_labels.npy"),
          io::npy_from(std::span<const std::int64_t>(labels)));
    return write(path, io::npy_from(rows_of({}).view()));
}

std::string csv_text(char delimiter, bool header, bool split) {
    std::ostringstream text;
    text.precision(9);
    if (header) {
        for (std::size_t j = 0; j < kWidth; ++j) text << "f" << j << delimiter;
        text << "label";
        if (split) text << delimiter << "split";
        text << "\n";
    }
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kWidth; ++j) text << value(i, j) << delimiter;
        text << label(i);
        if (split) text << delimiter << (is_test(i) ? "test" : "train");
        text << "\n";
    }
    return text.str();
}
std::string write_csv(const fs::path& path, char delimiter, bool header, bool split) {
    const std::string text = csv_text(delimiter, header, split);
    if (path.extension() != ".gz") {
        std::ofstream(path) << text;
        return path.string();
    }
    const gzFile file = ::gzopen(path.c_str(), "wb");
    ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    ::gzclose(file);
    return path.string();
}

std::string write_idx(const fs::path& folder) {
    fs::create_directories(folder);
    for (const auto& [name, split] : {std::pair{"train", Split::train}, std::pair{"t10k", Split::test}}) {
        const auto numbers = numbers_of(split);
        const auto count = static_cast<std::uint8_t>(numbers.size());
        io::Bytes images = {0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 2, 0, 0, 0, kWidth / 2};
        io::Bytes labels = {0, 0, 8, 1, 0, 0, 0, count};
        for (const std::size_t i : numbers) {
            for (std::size_t j = 0; j < kWidth; ++j) images.push_back(static_cast<std::uint8_t>(pixel(i, j)));
            labels.push_back(static_cast<std::uint8_t>(label(i)));
        }
        write(folder / (std::string(name) + "-images-idx3-ubyte"), images);
        write(folder / (std::string(name) + "-labels-idx1-ubyte"), labels);
    }
    return folder.string();
}

struct Format {
    const char* name;
    bool split;
    std::function<std::string(const fs::path& folder)> write;  // the path to give to a command
};
void PrintTo(const Format& format, std::ostream* out) {
    *out << format.name;
}

std::vector<Format> formats() {
    return {
        {"npz_split", true, [](const fs::path& f) { return write_npz(f / "a.npz", "x", "y", true); }},
        {"npz_capitals_split", true,
         [](const fs::path& f) { return write_npz(f / "a.npz", "X", "Y", true); }},
        {"npz_split_beside_x", true, [](const fs::path& f) { return write_both(f / "a.npz"); }},
        {"npz", false, [](const fs::path& f) { return write_npz(f / "a.npz", "x", "y", false); }},
        {"npz_capital_X", false, [](const fs::path& f) { return write_npz(f / "a.npz", "X", "y", false); }},
        {"npy", false, [](const fs::path& f) { return write_npy(f / "a.npy"); }},
        {"csv", false, [](const fs::path& f) { return write_csv(f / "a.csv", ',', true, false); }},
        {"csv_no_header", false, [](const fs::path& f) { return write_csv(f / "a.csv", ';', false, false); }},
        {"csv_split", true, [](const fs::path& f) { return write_csv(f / "a.csv", ',', true, true); }},
        {"csv_gz", true, [](const fs::path& f) { return write_csv(f / "a.csv.gz", ',', true, true); }},
        {"tsv", true, [](const fs::path& f) { return write_csv(f / "a.tsv", '\t', true, true); }},
        {"tsv_gz", false, [](const fs::path& f) { return write_csv(f / "a.tsv.gz", '\t', true, false); }},
        {"idx", true, [](const fs::path& f) { return write_idx(f / "a"); }},
    };
}

void expect_rows(MatrixView x, std::optional<Split> split) {
    const Matrix expected = rows_of(split);
    ASSERT_EQ(x.rows, expected.rows());
    ASSERT_EQ(x.cols, kWidth);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < kWidth; ++j) EXPECT_EQ(x(i, j), expected(i, j)) << i << ", " << j;
}

class DataFormats : public CliTest, public ::testing::WithParamInterface<Format> {
  protected:
    DataFormats() : data_(GetParam().write(folder_)) {}
    // The rows that a door asking for `split` must see.
    std::optional<Split> seen(Split split) const {
        return GetParam().split ? std::optional(split) : std::nullopt;
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    // Remembers every row, so that its answers tell which rows and labels it was taught.
    static BrainOptions options() {
        BrainOptions options;
        options.learner.learner = "nearest-neighbor";
        return options;
    }
    // A brain taught what the data set's training rows are, without any file in between.
    std::string reference_brain() {
        const std::string file = path("reference.brain");
        Brain brain(file, create_new(options()));
        brain.learn(rows_of(seen(Split::train)), names_of(seen(Split::train)));
        return file;
    }
    std::string output(const std::vector<std::string>& arguments) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.out;
    }

    std::string data_;
};

TEST_P(DataFormats, the_library_reads_the_rows_at_once_and_in_blocks) {
    for (const Split split : {Split::train, Split::test}) {
        const NamedRows rows = load_rows(data_, {.only = split});
        expect_rows(rows.x, seen(split));
        EXPECT_EQ(rows.labels, names_of(seen(split)));
        RowBlocks blocks(data_, {.only = split});
        Matrix all;
        for (Matrix block = blocks.next(2); block.rows() > 0; block = blocks.next(2)) {
            const std::size_t before = all.rows();
            if (before == 0) all = Matrix(0, block.cols());
            all.resize_rows(before + block.rows());
            std::copy_n(block.data(), block.size(), all.row(before));
        }
        expect_rows(all, seen(split));
        EXPECT_EQ(blocks.labels(), names_of(seen(split)));
    }
    EXPECT_EQ(short_name(data_), "a");
}

TEST_P(DataFormats, run_reads_the_same_training_and_test_rows) {
    LoadOptions raw;
    raw.unit_length = false;
    const FeatureSet set = load_feature_set(data_, raw);
    EXPECT_EQ(set.names, (Names{"3", "7", "12"}));
    // Without a split of its own the data set is split by the seed: the same rows, whatever the format.
    static std::string split_by_seed;
    if (GetParam().split) {
        expect_rows(set.train.x, Split::train);
        expect_rows(set.test.x, Split::test);
    } else {
        if (split_by_seed.empty()) split_by_seed = fingerprint(set);
        EXPECT_EQ(fingerprint(set), split_by_seed);
    }
    const Outcome outcome =
        run(with_small_network({"run", data_, "--learner", "fearnet", "--base-classes", "2"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("a: 3 classes"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("9 training and 3 test rows of 4 features"), std::string::npos) << outcome.err;
}

TEST_P(DataFormats, learn_reads_the_training_rows) {
    const std::string asked = path("asked.npy"), brain = path("a.brain");
    write(asked, io::npy_from(rows_of({}).view()));
    output({"new", brain, "--learner", "nearest-neighbor"});
    const Json said = Json::parse(output({"learn", brain, data_, "--json"}));
    EXPECT_EQ(said["examples"], numbers_of(seen(Split::train)).size());
    EXPECT_EQ(output({"predict", brain, asked, "--format", "csv", "--top", "3"}),
              output({"predict", reference_brain(), asked, "--format", "csv", "--top", "3"}));
}

TEST_P(DataFormats, predict_and_evaluate_read_the_test_rows) {
    const std::string asked = path("asked.npy"), brain = reference_brain();
    write(asked, io::npy_from(rows_of(seen(Split::test)).view()));
    EXPECT_EQ(output({"predict", brain, data_, "--format", "csv", "--top", "3"}),
              output({"predict", brain, asked, "--format", "csv", "--top", "3"}));
    const Json result = Json::parse(output({"evaluate", brain, data_, "--json"}));
    EXPECT_EQ(result["rows"], numbers_of(seen(Split::test)).size());
    EXPECT_EQ(result["accuracy"], 1.0);
}

TEST_P(DataFormats, python_reads_the_same_rows) {
    const fs::path package = fs::path(FEARNET_CLI).parent_path() / "python";
    if (!fs::exists(package / "fearnet" / "table.py")) GTEST_SKIP() << "no Python package in this build";
    const std::string script =
        "import json, fearnet\n"
        "tables = [fearnet.load_table('" +
        data_ +
        "', split=s) for s in ('train', 'test')]\n"
        "print(json.dumps([[t.x.tolist(), t.labels] for t in tables]))";
    const CommandResult result =
        run_command({"env", "PYTHONPATH=" + package.string(), "/usr/bin/python3", "-B", "-c", script});
    ASSERT_TRUE(result.succeeded()) << result.output;
    const Json tables = Json::parse(result.output);
    for (const Split split : {Split::train, Split::test}) {
        const Json& table = tables[split == Split::train ? 0 : 1];
        const Matrix expected = rows_of(seen(split));
        ASSERT_EQ(table[0].size(), expected.rows());
        for (std::size_t i = 0; i < expected.rows(); ++i)
            for (std::size_t j = 0; j < kWidth; ++j)
                EXPECT_EQ(table[0][i][j].get<float>(), expected(i, j)) << i << ", " << j;
        EXPECT_EQ(table[1].get<Names>(), names_of(seen(split)));
    }
}

INSTANTIATE_TEST_SUITE_P(every, DataFormats, ::testing::ValuesIn(formats()),
                         [](const auto& format) { return std::string(format.param.name); });

}  // namespace
}  // namespace fearnet::test
