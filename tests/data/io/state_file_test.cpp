#include "fearnet/data/state_file.hpp"

#include <cmath>
#include <cstring>

#include "data/io/npz.hpp"
#include "support/data_files.hpp"
#include "contract/same_states.hpp"

namespace fearnet {
namespace {

using test::expect_error;
using test::TempFolder;

State some_state() {
    State state;
    Matrix weights(2, 3);
    for (std::size_t k = 0; k < 6; ++k) weights.data()[k] = 0.1f * static_cast<float>(k);
    weights(1, 2) = NAN;
    state.set("net/0.weights", weights, ArrayKind::networks);
    state.set("empty", Matrix(0, 7), ArrayKind::examples);
    state.set("bytes", std::vector<std::int8_t>{-128, 0, 127}, ArrayKind::statistics);
    state.set("shorts", std::vector<std::int16_t>{-32768, 5}, ArrayKind::readout);
    state.set("number", 0.1);
    state.set("classes", std::vector<std::int64_t>{3, -1, INT64_MAX});
    state.set("none", std::vector<std::int64_t>{});
    state.set("net/0.weights", std::string("a \0 byte and \xff", 14));
    state.set("nothing", std::string());
    return state;
}

TEST(StateFile, what_is_saved_is_loaded_bit_for_bit) {
    const TempFolder folder;
    const State state = some_state();
    save_state(state, folder / "a.npz");
    const State back = load_state(folder / "a.npz");
    contract::expect_same(state, back);
    EXPECT_EQ(back.matrix("empty", 0, 7).size(), 0u);
}

TEST(StateFile, the_same_state_gives_the_same_bytes) {
    const TempFolder folder;
    save_state(some_state(), folder / "a.npz");
    save_state(some_state(), folder / "b.npz");
    EXPECT_EQ(io::read_file(folder / "a.npz"), io::read_file(folder / "b.npz"));
}

TEST(StateFile, numpy_reads_it_as_the_format_page_says) {
    SKIP_WITHOUT_NUMPY();
    const TempFolder folder;
    save_state(some_state(), folder / "a.npz");
    EXPECT_EQ(run_numpy(folder, R"(
a = np.load('a.npz')
print(bytes(a['format']).decode(), a['examples/empty'].shape, a['other/classes'].tolist(), a['statistics/bytes'].dtype, a['readout/shorts'].tolist(), len(a['text/net/0.weights'])))"),
              "fearnet-state 2 (0, 7) [3, -1, 9223372036854775807] int8 [-32768, 5] 14\n");
}

TEST(StateFile, other_files_and_newer_versions_are_refused) {
    const TempFolder folder;
    const auto with_format = [&](const std::string& format) {
        io::NpzWriter writer;
        writer.add("format", io::as_bytes(format));
        return folder.write("f.npz", writer.finish());
    };
    EXPECT_NO_THROW(load_state(with_format("fearnet-state 2")));
    expect_error([&] { load_state(with_format("fearnet-state 1")); },
                 {"f.npz", "'fearnet-state 1'", "reads fearnet-state 2"});
    expect_error([&] { load_state(with_format("other")); }, {"f.npz", "not a saved state", "'other'"});
    expect_error([&] { load_state(folder / "none.npz"); }, {"none.npz", "cannot open"});
    io::NpzWriter plain;
    plain.add("x", Matrix(1, 1).view());
    expect_error([&] { load_state(folder.write("p.npz", plain.finish())); }, {"no 'format' entry"});
}

TEST(StateFile, a_failed_save_leaves_the_old_file) {
    const TempFolder folder;
    save_state(some_state(), folder / "a.npz");
    State unwritable = some_state();
    unwritable.set(std::string(70000, 'k'), std::string("a name longer than a zip can say"));
    expect_error([&] { save_state(unwritable, folder / "a.npz"); }, {"more than a zip archive can hold"});
    EXPECT_EQ(load_state(folder / "a.npz").texts, some_state().texts);
}

TEST(StateFile, damaged_files_give_an_error_or_a_state_and_cut_files_always_an_error) {
    const TempFolder folder;
    State state;
    state.set("m", Matrix(1, 2), ArrayKind::other);
    state.set("i", std::vector<std::int64_t>{1});
    state.set("t", std::string("text"));
    save_state(state, folder / "a.npz");
    EXPECT_EQ(test::read_damaged(io::read_file(folder / "a.npz"),
                                 [&](const io::Bytes& b) { load_state(folder.write("b.npz", b)); }),
              0u);
}

}  // namespace
}  // namespace fearnet
