#include "io/npz.hpp"

#include "fearnet/base/error.hpp"

namespace fearnet::io {

NpzFile::NpzFile(const std::filesystem::path& path) : NpzFile(read_file(path), path.string()) {}

NpzFile::NpzFile(Bytes archive, std::string what) : what_(std::move(what)), archive_(std::move(archive)) {
    for (ZipMember& member : list_zip(archive_, what_)) {
        std::string key = member.name;
        if (key.ends_with(".npy")) key.resize(key.size() - 4);
        members_.emplace(std::move(key), std::move(member));
    }
}

Array NpzFile::array(const std::string& key) const {
    const auto found = members_.find(key);
    if (found == members_.end()) {
        std::string present;
        for (const std::string& k : keys()) present += (present.empty() ? "" : ", ") + k;
        throw Error(what_ + ": no array called '" + key + "'; it holds " +
                    (present.empty() ? "nothing" : present));
    }
    return parse_npy(unzip(found->second, what_), what_ + ": " + key);
}

std::vector<std::string> NpzFile::keys() const {
    std::vector<std::string> result;
    for (const auto& [key, member] : members_) result.push_back(key);
    return result;
}

}  // namespace fearnet::io
