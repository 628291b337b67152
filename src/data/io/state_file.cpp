#include "fearnet/data/state_file.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "data/io/npz.hpp"

namespace fearnet {
namespace {

constexpr std::string_view kMagic = "fearnet-state ";
constexpr int kVersion = 2;
constexpr const char* kFormat = "format";
const std::string kText = "text/";
// By ArrayKind.
const std::string kKinds[] = {"other/", "networks/", "statistics/", "readout/", "examples/"};

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
                    std::string(kMagic) + std::to_string(kVersion));
}

template <class T>
std::vector<T> list_in(const io::Array& array) {
    std::vector<T> values(array.elements());
    if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
    return values;
}

ArrayValues values_in(const io::Array& array) {
    const auto is = [&](io::ElementKind kind, std::size_t bytes, std::size_t dimensions) {
        return array.type.kind == kind && array.type.bytes == bytes && array.shape.size() == dimensions &&
               (bytes == 1 || !array.type.big_endian);
    };
    if (is(io::ElementKind::kFloat, 4, 2)) return io::to_matrix(array);
    if (is(io::ElementKind::kSigned, 1, 1)) return list_in<std::int8_t>(array);
    if (is(io::ElementKind::kSigned, 2, 1)) return list_in<std::int16_t>(array);
    if (is(io::ElementKind::kSigned, 8, 1)) return list_in<std::int64_t>(array);
    if (is(io::ElementKind::kFloat, 8, 1)) return list_in<double>(array);
    throw Error(array.what +
                ": expected float32 in rows x columns, or a list of int8, int16, int64 or float64, found " +
                array.shape_text() + " elements of " + std::to_string(array.type.bytes) + " bytes");
}

State read_state(const io::NpzFile& file) {
    check_format(file);
    State state;
    for (const std::string& key : file.keys()) {
        const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                       [&](const std::string& prefix) { return key.starts_with(prefix); });
        if (kind != std::end(kKinds)) {
            state.set(key.substr(kind->size()), values_in(file.array(key)),
                      ArrayKind{kind - std::begin(kKinds)});
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
    for (const auto& [key, array] : state.arrays) {
        const std::string name = kKinds[static_cast<std::size_t>(array.kind)] + key;
        if (const Matrix* m = std::get_if<Matrix>(&array.values))
            npz.add(name, m->view());
        else
            std::visit(
                [&](const auto& values) {
                    if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, Matrix>)
                        npz.add(name, std::span(values));
                },
                array.values);
    }
    for (const auto& [key, value] : state.texts) npz.add(kText + key, io::as_bytes(value));
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
