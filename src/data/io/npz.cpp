#include "data/io/npz.hpp"

#include <algorithm>

#include "fearnet/error.hpp"

namespace fearnet::io {

NpzFile::NpzFile(const std::filesystem::path& path, std::uint64_t max_bytes)
    : NpzFile(read_file(path), path.string(), max_bytes) {}

NpzFile::NpzFile(Bytes archive, std::string what, std::uint64_t max_bytes)
    : what_(std::move(what)), archive_(std::move(archive)), max_bytes_(max_bytes) {
    for (ZipMember& member : list_zip(archive_, what_)) {
        std::string key = member.name;
        if (key.ends_with(".npy")) key.resize(key.size() - 4);
        members_.emplace(std::move(key), std::move(member));
    }
}

const ZipMember& NpzFile::member(const std::string& key) const {
    const auto found = members_.find(key);
    if (found != members_.end()) return found->second;
    std::string present;
    for (const std::string& k : keys()) present += (present.empty() ? "" : ", ") + k;
    throw Error(what_ + ": no array called '" + key + "'; it holds " +
                (present.empty() ? "nothing" : present));
}

NpyHeader NpzFile::header(const std::string& key) const {
    return parse_npy_header(unzip_front(member(key), kMaxNpyHeader, what_), what_ + ": " + key);
}

Array NpzFile::array(const std::string& key) const {
    const ZipMember& packed = member(key);
    const std::string what = what_ + ": " + key;
    const NpyHeader announced = header(key);
    check_shape(announced.type, announced.shape,
                packed.size - std::min<std::uint64_t>(packed.size, announced.bytes), what);
    check_memory(announced, max_bytes_, what);
    return parse_npy(unzip(packed, what_), what);
}

std::vector<std::string> NpzFile::keys() const {
    std::vector<std::string> result;
    for (const auto& [key, member] : members_) result.push_back(key);
    return result;
}

}  // namespace fearnet::io
