// NumPy's .npz format: named .npy arrays in a zip archive.
#pragma once

#include <map>
#include <string>

#include "data/io/array.hpp"
#include "data/io/npy.hpp"
#include "data/io/zip.hpp"

namespace fearnet::io {

// An open .npz file. Arrays are unpacked when asked for. Const functions are thread-safe.
class NpzFile {
  public:
    // Throws Error when the file cannot be read or is not a whole zip archive. An array that takes more than
    // `max_bytes` is not unpacked.
    explicit NpzFile(const std::filesystem::path& path, std::uint64_t max_bytes = kNoLimit);
    // The same from memory; `what` stands for the file's name in messages.
    NpzFile(Bytes archive, std::string what, std::uint64_t max_bytes = kNoLimit);
    NpzFile(const NpzFile&) = delete;
    NpzFile& operator=(const NpzFile&) = delete;

    bool has(const std::string& key) const { return members_.count(key) != 0; }
    // What the array's header says; nothing but the header is unpacked. Throws Error naming what the file
    // does hold when there is no such array, or when the header is damaged.
    NpyHeader header(const std::string& key) const;
    // Throws Error as header does, when the array is damaged, and before anything is unpacked when the header
    // and the archive disagree about its size or it would take more than the limit.
    Array array(const std::string& key) const;
    // Without the ".npy" they end in, sorted.
    std::vector<std::string> keys() const;
    const std::string& what() const { return what_; }

  private:
    const ZipMember& member(const std::string& key) const;

    std::string what_;
    Bytes archive_;
    std::uint64_t max_bytes_;
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
