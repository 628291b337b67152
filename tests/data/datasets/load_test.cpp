#include "fearnet/data/load.hpp"

#include <limits>

#include "data/io/npz.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

using test::expect_error;
using test::TempFolder;
using Names = std::vector<std::string>;

const LoadOptions kRaw = [] {
    LoadOptions options;
    options.unit_length = false;
    return options;
}();

// Six training rows and three test rows of three classes, as the keys of the tests below expect.
io::Bytes small_npz(bool deflated) {
    Matrix train(6, 2), test(3, 2);
    for (std::size_t k = 0; k < 12; ++k) train.data()[k] = static_cast<float>(k + 1);
    for (std::size_t k = 0; k < 6; ++k) test.data()[k] = static_cast<float>(k + 1);
    const std::vector<std::int64_t> y_train = {0, 1, 2, 0, 1, 2}, y_test = {2, 1, 0};
    io::NpzWriter writer(deflated);
    writer.add("x_train", train.view());
    writer.add("y_train", std::span<const std::int64_t>(y_train));
    writer.add("x_test", test.view());
    writer.add("y_test", std::span<const std::int64_t>(y_test));
    writer.add("names", Names{"ant", "bee", "cat"});
    return writer.finish();
}

// One image of two pixels per class, train and test alike.
void write_idx_folder(const TempFolder& folder, const std::string& ending) {
    const io::Bytes images = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 255, 0, 0, 51};
    const io::Bytes labels = {0, 0, 8, 1, 0, 0, 0, 2, 4, 9};
    for (const std::string part : {"train", "t10k"}) {
        folder.write(part + "-images" + ending.substr(0, 1) + "idx3-ubyte", images);
        folder.write(part + "-labels" + ending.substr(0, 1) + "idx1-ubyte", labels);
    }
}

TEST(Load, an_npz_with_a_split_and_names) {
    const TempFolder folder;
    for (const bool deflated : {false, true}) {
        const std::string file = folder.write("a.npz", small_npz(deflated));
        const FeatureSet set = load_feature_set(file, kRaw);
        EXPECT_EQ(set.name, "a") << "tables and pictures need no path";
        EXPECT_EQ(set.names, (Names{"ant", "bee", "cat"}));
        EXPECT_EQ(set.train.size(), 6u);
        EXPECT_EQ(set.test.labels.front(), ClassId(2));
        EXPECT_EQ(set.train.x(5, 1), 12.0f);
        EXPECT_EQ(set.width(), 2u);
    }
}

TEST(Load, every_label_needs_a_name_if_there_are_names) {
    const TempFolder folder;
    const Matrix x(3, 2);
    const std::vector<std::int64_t> y = {0, 1, 2};
    for (const bool enough : {true, false}) {
        io::NpzWriter writer(false);
        writer.add("x", x.view());
        writer.add("y", std::span<const std::int64_t>(y));
        writer.add("names", enough ? Names{"ant", "bee", "cat"} : Names{"ant", "bee"});
        const std::string file = folder.write("a.npz", writer.finish());
        if (enough)
            EXPECT_EQ(load_rows(file).labels, (Names{"ant", "bee", "cat"}));
        else
            for (const auto& load : std::vector<std::function<void()>>{[&] { load_rows(file); },
                                                                       [&] { load_feature_set(file); }})
                expect_error(load, {"a.npz", "row 2 has label 2", "'names' has 2"});
        EXPECT_EQ(load_rows(file, {.labels = false}).x.rows(), 3u)
            << "labels that are not read need no names";
    }
}

TEST(Load, an_npz_with_one_part_is_read_where_the_other_is_not_needed) {
    const TempFolder folder;
    io::NpzWriter writer;
    writer.add("x_test", Matrix(3, 2).view());
    writer.add("Y_test", Names{"1", "2.0", "3"});
    writer.add("x", Matrix(5, 2).view());
    const std::string file = folder.write("a.npz", writer.finish());
    EXPECT_EQ(load_rows(file, {.only = Split::test}).labels, (Names{"1", "2", "3"}));
    expect_error([&] { load_rows(file, {.only = Split::train}); }, {"no array called 'x_train'", "x_test"});
    expect_error([&] { load_feature_set(file); }, {"no array called 'x_train'"});
}

TEST(Load, text_labels_are_numbers_only_if_those_of_both_parts_are) {
    const TempFolder folder;
    const std::string csv = folder.write("a.csv", "x,label,split\n1,2.0,train\n2,two,test\n");
    io::NpzWriter writer;
    for (const char* part : {"_train", "_test"}) writer.add(std::string("x") + part, Matrix(1, 2).view());
    writer.add("y_train", Names{"2.0"});
    writer.add("y_test", Names{"two"});
    for (const std::string& file : {csv, folder.write("a.npz", writer.finish())}) {
        EXPECT_EQ(load_rows(file, {.only = Split::train}).labels, Names{"2.0"}) << file;
        RowBlocks blocks(file, {.only = Split::train});
        while (blocks.next(1).rows() > 0) {
        }
        EXPECT_EQ(blocks.labels(), Names{"2.0"}) << file;
    }
}

TEST(Load, rows_to_teach_must_be_finite) {
    const TempFolder folder;
    Matrix x(3, 2);
    x(2, 1) = std::numeric_limits<float>::infinity();
    io::NpzWriter writer(false);
    writer.add("x", x.view());
    const std::string file = folder.write("a.npz", writer.finish());
    expect_error([&] { load_rows(file); }, {"a.npz", "row 2, column 1 is infinite"});
}

TEST(Load, rows_are_scaled_to_unit_length_unless_asked_not_to) {
    const TempFolder folder;
    const FeatureSet set = load_feature_set(folder.write("a.npz", small_npz(false)));
    for (const Matrix* x : {&set.train.x, &set.test.x})
        for (std::size_t i = 0; i < x->rows(); ++i)
            EXPECT_NEAR((*x)(i, 0) * (*x)(i, 0) + (*x)(i, 1) * (*x)(i, 1), 1, 1e-6);
}

TEST(Load, what_numpy_saves_with_its_own_habits) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
r = np.random.default_rng(1)
x, y = r.normal(size=(50, 2, 3)), np.repeat([-7, 0, 40, 41, 500], 10).astype('>i2')
np.savez('split.npz', X_train=x[::2], Y_train=y[::2], X_test=x[1::2], Y_test=y[1::2])
np.savez_compressed('whole.npz', x=np.asfortranarray(x.astype('f2')), y=y[:, None])
np.savez('text.npz', x=x, y=np.array(['c%d' % (v % 5) for v in range(50)]))
np.save('a.npy', x); np.save('a_labels.npy', y.astype('f8')))");
    for (const char* name : {"split.npz", "whole.npz", "a.npy"}) {
        const FeatureSet set = load_feature_set((folder / name).string());
        EXPECT_EQ(set.names, (Names{"-7", "0", "40", "41", "500"})) << name;
        EXPECT_EQ(set.width(), 6u) << name;
        EXPECT_EQ(set.train.size() + set.test.size(), 50u) << name;
    }
    const FeatureSet text = load_feature_set((folder / "text.npz").string());
    EXPECT_EQ(text.names, (Names{"c0", "c1", "c2", "c3", "c4"}));
    EXPECT_EQ(text.test.size(), 10u);
}

TEST(Load, the_seed_decides_the_split_of_a_file_without_one) {
    const TempFolder folder;
    std::string text;
    for (int i = 0; i < 100; ++i) text += std::to_string(i) + "," + (i % 2 ? "odd" : "even") + "\n";
    const std::string file = folder.write("a.csv", text);
    LoadOptions options = kRaw;
    options.test_fraction = 0.3;
    const auto test_rows = [&](std::uint64_t seed) {
        options.split_seed = seed;
        const FeatureSet set = load_feature_set(file, options);
        EXPECT_EQ(set.test.size(), 30u);
        return std::vector<float>(set.test.x.data(), set.test.x.data() + set.test.x.size());
    };
    EXPECT_EQ(test_rows(1), test_rows(1));
    EXPECT_NE(test_rows(1), test_rows(2));
    options.test_fraction = 2;
    expect_error([&] { load_feature_set(file, options); }, {"test_fraction is 2"});
}

TEST(Load, csv_with_a_split_column_keeps_that_split) {
    const TempFolder folder;
    const std::string file =
        folder.write("a.tsv", "label\tx\tsplit\nb\t1\ttrain\na\t2\ttrain\na\t3\ttest\nb\t4\ttest\n");
    const FeatureSet set = load_feature_set(file, kRaw);
    EXPECT_EQ(set.names, (Names{"a", "b"}));
    EXPECT_EQ(set.train.x(0, 0), 1.0f);
    EXPECT_EQ(set.test.x(1, 0), 4.0f);
    EXPECT_EQ(set.test.labels, (std::vector<ClassId>{ClassId(0), ClassId(1)}));
}

TEST(Load, compressed_csv_is_read_like_the_plain_file) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
import gzip
gzip.open('a.csv.gz', 'wt').write('1,a\n2,a\n3,b\n4,b\n'))");
    EXPECT_EQ(load_feature_set((folder / "a.csv.gz").string(), kRaw).names, (Names{"a", "b"}));
    LoadOptions small = kRaw;
    small.table.max_bytes = 10;
    expect_error([&] { load_feature_set((folder / "a.csv.gz").string(), small); },
                 {"a.csv.gz", "limit of 10 bytes", "--max-bytes"});
}

TEST(Load, an_idx_folder_or_any_of_its_files_gives_pixels_from_0_to_1) {
    for (const char* ending : {"-", "."}) {
        const TempFolder folder;
        write_idx_folder(folder, ending);
        for (const std::string& data :
             {folder.path().string(),
              (folder / ("t10k-labels" + std::string(ending) + "idx1-ubyte")).string()}) {
            const FeatureSet set = load_feature_set(data, kRaw);
            EXPECT_EQ(set.names, (Names{"4", "9"}));
            EXPECT_EQ(set.train.x(0, 0), 1.0f);
            EXPECT_FLOAT_EQ(set.test.x(1, 1), 0.2f);
        }
    }
}

TEST(Load, an_idx_folder_with_a_file_missing_or_of_another_length_says_which) {
    const TempFolder folder;
    write_idx_folder(folder, "-");
    folder.write("train-labels-idx1-ubyte", io::Bytes{0, 0, 8, 1, 0, 0, 0, 3, 4, 9, 9});
    expect_error([&] { load_feature_set(folder.path().string()); },
                 {"train-images", "2 images but 3 labels"});
    std::filesystem::remove(folder / "t10k-images-idx3-ubyte");
    folder.write("train-labels-idx1-ubyte", io::Bytes{0, 0, 8, 1, 0, 0, 0, 2, 4, 9});
    expect_error([&] { load_feature_set(folder.path().string()); }, {"no file t10k-images-idx3-ubyte"});
}

TEST(Load, errors_name_the_file_and_what_was_expected) {
    const TempFolder folder;
    expect_error([&] { load_feature_set((folder / "none.npz").string()); },
                 {"none.npz", "no such file", "languages, fashion-mnist"});
    expect_error([&] { load_feature_set(folder.write("a.xyz", "?")); }, {"a.xyz", ".npz", ".csv"});
    expect_error([&] { load_feature_set(folder.write("x.npy", io::npy_from(Matrix(2, 2)))); },
                 {"x.npy: no labels", "expected in x_labels.npy"});
    expect_error([&] { load_feature_set(folder.write("a.npz", "PK")); }, {"a.npz", "truncated"});
    expect_error([&] { load_feature_set(folder.write("one.csv", "1,a\n2,a\n")); }, {"one.csv", "1 class;"});
    expect_error([&] { load_feature_set(folder.write("nan.csv", "1,a\nnan,a\n2,b\n3,b\n")); },
                 {"nan.csv, line 2", "column 1", "not a finite number"});
    io::NpzWriter writer;
    writer.add("features", Matrix(2, 2).view());
    expect_error([&] { load_feature_set(folder.write("keys.npz", writer.finish())); },
                 {"keys.npz", "'x_train' or 'x'", "it holds features"});
    const std::vector<std::int64_t> three = {0, 1, 1};
    io::NpzWriter uneven;
    uneven.add("x", Matrix(2, 2).view());
    uneven.add("y", std::span<const std::int64_t>(three));
    expect_error([&] { load_feature_set(folder.write("uneven.npz", uneven.finish())); },
                 {"2 rows but 3 labels"});
}

TEST(Load, object_labels_as_pandas_saves_them_say_how_to_convert) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    run_numpy(folder, R"(
np.savez('a.npz', x=np.ones((4, 3)), y=np.array(['a', 'a', 'b', 'b'], dtype=object))
np.save('b.npy', np.ones((4, 3))); np.save('b_labels.npy', np.array(['a', 'a', 'b', 'b'], dtype=object)))");
    for (const char* name : {"a.npz", "b.npy"}) {
        const std::string file = (folder / name).string();
        expect_error([&] { load_feature_set(file); }, {"dtype object", ".astype(str)"});
        expect_error([&] { load_rows(file); }, {"dtype object", ".astype(str)"});
    }
}

TEST(Load, an_array_of_one_dimension_may_be_a_row_or_a_column_and_is_refused) {
    const TempFolder folder;
    const std::vector<std::int64_t> flat(64);
    const std::string npy = folder.write("row.npy", io::npy_from(std::span<const std::int64_t>(flat)));
    folder.write("row_labels.npy", io::npy_from(Names{"owl"}));
    io::NpzWriter writer;
    writer.add("x", std::span<const std::int64_t>(flat));
    writer.add("y", Names{"owl"});
    const std::string npz = folder.write("row.npz", writer.finish());
    for (const std::string& file : {npy, npz}) {
        expect_error([&] { load_rows(file); },
                     {"row.np", "one dimension of 64", "reshape(1, -1)", "reshape(-1, 1)"});
        expect_error([&] { load_feature_set(file); }, {"one dimension of 64"});
    }
}

TEST(Load, one_feature_is_read_as_it_is_but_not_scaled) {
    const TempFolder folder;
    const std::string file = folder.write("one.csv", "1,a\n2,a\n3,b\n4,b\n");
    expect_error([&] { load_feature_set(file); }, {"one.csv", "1 feature", "length one", "--raw"});
    EXPECT_EQ(load_feature_set(file, kRaw).width(), 1u);
    EXPECT_EQ(load_rows(file).x.cols(), 1u);
}

TEST(Load, arrays_are_measured_by_their_headers_before_they_are_unpacked) {
    const TempFolder folder;
    const std::string file = folder.write("a.npz", small_npz(true));
    LoadOptions small;
    small.table.max_bytes = 90;  // less than the file itself
    expect_error([&] { load_feature_set(file, small); }, {"a.npz: a file of", "limit of 90 bytes"});
    EXPECT_EQ(load_rows(file, {.only = Split::train, .width = 2}).x.rows(), 6u);
    expect_error([&] { load_rows(file, {.width = 3}); }, {"a.npz: x_train", "2 features but 3 are expected"});

    const std::vector<std::int64_t> many(100000);
    io::NpzWriter writer(true);
    writer.add("x", Matrix(10, 2).view());
    writer.add("y", std::span<const std::int64_t>(many));
    const std::string uneven = folder.write("uneven.npz", writer.finish());
    expect_error([&] { load_rows(uneven); }, {"x and y: 10 rows but 100000 labels"});
    small.table.max_bytes = 100000;
    io::NpzWriter wide(true);
    wide.add("x", Matrix(10, 10000).view());
    wide.add("y", std::vector<std::string>(10, "a"));
    const std::string large = folder.write("wide.npz", wide.finish());
    expect_error([&] { load_rows(large, small.table); },
                 {"wide.npz: x: 10 x 10000 elements take 800.0 kB", "limit of 100.0 kB", "--max-bytes"});
    const std::string npy = folder.write("large.npy", io::npy_from(Matrix(10, 10000).view()));
    expect_error([&] { load_rows(npy, small.table); }, {"large.npy: a file of 400.1 kB", "--max-bytes"});
}

TEST(Load, damaged_feature_sets_give_an_error_or_a_set) {
    // The readers' own tests flip every bit; seven, prime to eight, still reaches every bit of a byte.
    constexpr std::size_t kBitStep = 7;
    const TempFolder folder;
    const auto read_as = [&](const std::string& name) {
        return [&folder, name](const io::Bytes& bytes) { load_feature_set(folder.write(name, bytes)); };
    };
    EXPECT_EQ(test::read_damaged(small_npz(false), read_as("s.npz"), kBitStep), 0u);
    EXPECT_EQ(test::read_damaged(small_npz(true), read_as("d.npz"), kBitStep), 0u);
    const std::string csv = "a,b,label\n1,2,x\n2,3,x\n4,5,y\n6,7,y\n";
    test::read_damaged(io::Bytes(csv.begin(), csv.end()), read_as("a.csv"), kBitStep);
    write_idx_folder(folder, "-");
    const io::Bytes images = io::read_file(folder / "t10k-images-idx3-ubyte");
    EXPECT_EQ(test::read_damaged(images, read_as("t10k-images-idx3-ubyte"), kBitStep), 0u);
}

}  // namespace
}  // namespace fearnet
