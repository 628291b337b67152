#include "fearnet/data/state_file.hpp"

#include <new>

#include "data/io/npz.hpp"

namespace fearnet {
namespace {

constexpr std::string_view kMagic = "fearnet-state ";
constexpr int kVersion = 1;
constexpr const char* kFormat = "format";
const std::string kMatrix = "matrix/";
const std::string kIntegers = "integers/";
const std::string kText = "text/";

std::string text_in(const io::NpzFile& file, const std::string& key) {
    const io::Array array = file.array(key);
    if (array.type.kind != io::ElementKind::kUnsigned || array.type.bytes != 1 || array.shape.size() != 1)
        throw Error(array.what + ": expected a list of bytes, found " + array.shape_text() + " elements of " +
                    std::to_string(array.type.bytes) + " bytes");
    return std::string(io::as_text(array.data));
}

void check_format(const io::NpzFile& file) {
    if (!file.has(kFormat)) throw Error(file.what() + ": not a saved state (it has no 'format' entry)");
    const std::string format = text_in(file, kFormat);
    if (!format.starts_with(kMagic))
        throw Error(file.what() + ": not a saved state (its format is '" + format.substr(0, 40) + "')");
    if (format != std::string(kMagic) + std::to_string(kVersion))
        throw Error(file.what() + ": its format is '" + format.substr(0, 40) + "'; this version reads " +
                    std::string(kMagic) + "1 to " + std::to_string(kVersion));
}

State read_state(const io::NpzFile& file) {
    check_format(file);
    State state;
    for (const std::string& key : file.keys()) {
        if (key.starts_with(kMatrix)) {
            const io::Array array = file.array(key);
            if (array.shape.size() != 2)
                throw Error(array.what + ": expected rows x columns, found " + array.shape_text());
            state.set(key.substr(kMatrix.size()), io::to_matrix(array));
        } else if (key.starts_with(kIntegers)) {
            state.set(key.substr(kIntegers.size()), io::to_integers(file.array(key)));
        } else if (key.starts_with(kText)) {
            state.set(key.substr(kText.size()), text_in(file, key));
        } else if (key != kFormat) {
            throw Error(file.what() + ": an entry '" + key + "' of unknown kind");
        }
    }
    return state;
}

}  // namespace

void save_state(const State& state, const std::filesystem::path& path) {
    io::NpzWriter npz;
    npz.add(kFormat, io::as_bytes(std::string(kMagic) + std::to_string(kVersion)));
    for (const auto& [key, value] : state.matrices) npz.add(kMatrix + key, value.view());
    for (const auto& [key, value] : state.integers)
        npz.add(kIntegers + key, std::span<const std::int64_t>(value));
    for (const auto& [key, value] : state.strings) npz.add(kText + key, io::as_bytes(value));
    io::write_file_atomically(path, npz.finish());
}

State load_state(const std::filesystem::path& path) {
    try {
        return read_state(io::NpzFile(path));
    } catch (const std::bad_alloc&) {
        throw Error(path.string() + ": not enough memory to load it");
    }
}

}  // namespace fearnet
