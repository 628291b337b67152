// Rows some at a time: the same rows as all at once, and no more of a pipe than has been written to it.
#include "fearnet/data/row_blocks.hpp"

#include <gtest/gtest.h>

#include "data/io/csv.hpp"
#include "data/io/deflate.hpp"
#include "data/io/npy.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

using test::expect_error;
using test::TempFolder;

Matrix all_blocks(RowBlocks& blocks, std::size_t most) {
    Matrix all;
    for (Matrix rows = blocks.next(most); rows.rows() > 0; rows = blocks.next(most)) {
        EXPECT_LE(rows.rows(), most);
        const std::size_t before = all.rows();
        if (before == 0) all = Matrix(0, rows.cols());
        all.resize_rows(before + rows.rows());
        std::copy_n(rows.data(), rows.size(), all.row(before));
    }
    return all;
}

void expect_same_as_whole(const std::string& file, const TableOptions& options = {}) {
    const NamedRows whole = named_rows(read_table(file, options));
    for (const std::size_t most : {1u, 2u, 7u, 1000u}) {
        RowBlocks blocks(file, options);
        const Matrix x = all_blocks(blocks, most);
        ASSERT_EQ(x.rows(), whole.x.rows()) << file << ", " << most << " at a time";
        ASSERT_EQ(x.cols(), whole.x.cols()) << file;
        EXPECT_TRUE(std::equal(x.data(), x.data() + x.size(), whole.x.data())) << file << ", " << most;
        EXPECT_EQ(blocks.labels(), whole.labels) << file << ", " << most;
    }
}

Matrix numbers(std::size_t rows, std::size_t cols) {
    Matrix x(rows, cols);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = 0.25f * static_cast<float>(i) - 3;
    return x;
}

TEST(RowBlocks, a_npy_file_gives_the_same_rows_in_blocks_in_every_order_and_type) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    test::run_numpy(folder, R"(
x = np.arange(23 * 4 * 3).reshape(23, 4, 3)
np.save('f4.npy', x.astype('<f4')); np.save('f8big.npy', x.astype('>f8')); np.save('u1.npy', x.astype('u1'))
np.save('f2.npy', x.astype('f2')); np.save('flat.npy', x.reshape(23, 12)); np.save('fortran.npy', np.asfortranarray(x))
np.save('fortran2.npy', np.asfortranarray(x.reshape(23, 12).astype('f4')))
np.save('flat_labels.npy', np.arange(23) % 5)
)");
    for (const char* name : {"f4", "f8big", "u1", "f2", "flat", "fortran", "fortran2"})
        expect_same_as_whole((folder / (std::string(name) + ".npy")).string());
}

TEST(RowBlocks, csv_gives_the_same_rows_in_blocks_with_quotes_splits_and_gzip) {
    const TempFolder folder;
    std::string text = "\xef\xbb\xbf\r\n\na;b;split;label\r\n";
    for (int i = 0; i < 50; ++i)
        text += std::to_string(i) + ";\"" + std::to_string(i) + ".5\" ;" + (i % 3 ? "train" : "test") +
                ";\"name " + std::to_string(i % 4) + " \"\"x\"\"\"\r\n\n";
    const std::string csv = folder.write("a.csv", text);
    expect_same_as_whole(csv);
    expect_same_as_whole(csv, {.only = Split::train});
    expect_same_as_whole(csv, {.only = Split::test});
    expect_same_as_whole(folder.write("whole.csv", std::string("1,2,3\n4,5,06\n7,8,9.0")));
    expect_same_as_whole(folder.write("numbers.csv", std::string("1,2\n4,5\n7,8\n")), {.width = 2});
    if (run_command({"gzip", "-k", csv}).succeeded()) expect_same_as_whole(csv + ".gz");
}

TEST(RowBlocks, text_gives_the_same_rows_in_blocks) {
    const TempFolder folder;
    expect_same_as_whole(folder.write("a.txt", std::string("one line\n\n  \nanother\r\nthe last")));
    expect_same_as_whole(folder.write("b.txt", std::string("en\tthe\nde\tdie\nde\tdas\n")));
}

// Larger than what is read at a time, so that records lie across the pieces.
TEST(RowBlocks, a_large_csv_file_is_the_same_read_in_pieces) {
    const TempFolder folder;
    std::string text = "a,label\n";
    for (int i = 0; i < 60000; ++i)
        text += std::to_string(i) + ",\"with, a comma and \"\"" + std::to_string(i % 9) + "\"\"\"\n";
    const std::string file = folder.write("a.csv", text);
    const io::CsvTable whole = io::parse_csv(text, "text");
    RowBlocks blocks(file);
    const Matrix x = all_blocks(blocks, 1000);
    ASSERT_EQ(x.rows(), 60000u);
    EXPECT_TRUE(std::equal(x.data(), x.data() + x.size(), whole.x.data()));
    EXPECT_EQ(blocks.labels(), whole.labels);
}

TEST(RowBlocks, a_number_that_is_not_finite_is_named_by_its_row_in_the_file) {
    const TempFolder folder;
    Matrix x = numbers(9, 3);
    x(7, 2) = std::numeric_limits<float>::quiet_NaN();
    RowBlocks blocks(folder.write("a.npy", io::npy_from(x)));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(blocks.next(2).rows(), 2u);
    expect_error([&] { blocks.next(2); }, {"a.npy: row 7, column 2 is NaN"});
}

TEST(RowBlocks, damaged_npy_files_give_an_error_or_rows_and_cut_ones_always_an_error) {
    const TempFolder folder;
    const auto read = [&](const io::Bytes& bytes) {
        RowBlocks blocks(folder.write("a.npy", bytes));
        all_blocks(blocks, 2);
    };
    EXPECT_EQ(test::read_damaged(io::npy_from(numbers(5, 2)), read, 3), 0u);
}

TEST(RowBlocks, a_file_that_is_not_there_or_has_no_rows_is_refused) {
    const TempFolder folder;
    expect_error([&] { RowBlocks((folder / "none.npy").string()); }, {"none.npy", "no such file"});
    expect_error([&] { RowBlocks(folder.write("a.npy", io::npy_from(Matrix(0, 3)))).next(5); },
                 {"a.npy", "0 rows"});
    expect_error([&] { RowBlocks(folder.write("a.csv", std::string(""))); }, {"a.csv", "empty"});
    expect_error([&] { RowBlocks(folder.write("b.csv", std::string("a,b\n1,\"x\n"))).next(5); },
                 {"b.csv, line 2", "does not end"});
}

}  // namespace
}  // namespace fearnet
