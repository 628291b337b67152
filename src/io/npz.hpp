// NumPy's .npz format: named .npy arrays in a zip archive.
#pragma once

#include <map>
#include <string>

#include "io/array.hpp"
#include "io/npy.hpp"
#include "io/zip.hpp"

namespace fearnet::io {

// An open .npz file. Arrays are unpacked when asked for. Const functions are thread-safe.
class NpzFile {
  public:
    // Throws Error when the file cannot be read or is not a whole zip archive.
    explicit NpzFile(const std::filesystem::path& path);
    // The same from memory; `what` stands for the file's name in messages.
    NpzFile(Bytes archive, std::string what);
    NpzFile(const NpzFile&) = delete;
    NpzFile& operator=(const NpzFile&) = delete;

    bool has(const std::string& key) const { return members_.count(key) != 0; }
    // Throws Error naming what the file does hold when there is no such array, or when the array is damaged.
    Array array(const std::string& key) const;
    // Without the ".npy" they end in, sorted.
    std::vector<std::string> keys() const;
    const std::string& what() const { return what_; }

  private:
    std::string what_;
    Bytes archive_;
    std::map<std::string, ZipMember> members_;  // refer to archive_
};

// Collects arrays for an .npz file.
class NpzWriter {
  public:
    explicit NpzWriter(bool deflated = false) : deflated_(deflated) {}
    // `value`: whatever npy_from takes. Keys must differ.
    template <class Value>
    void add(const std::string& key, const Value& value) {
        zip_.add(key + ".npy", npy_from(value), deflated_);
    }
    Bytes finish() { return zip_.finish(); }

  private:
    bool deflated_;
    ZipWriter zip_;
};

}  // namespace fearnet::io
