// A learner's memory as named arrays: what save writes and load reads, independent of any file format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// Three kinds of named values. Getters throw Error naming the key when it is missing or has another shape
// than asked.
class State {
  public:
    void set(const std::string& key, Matrix value) { matrices[key] = std::move(value); }
    void set(const std::string& key, std::vector<std::int64_t> value) { integers[key] = std::move(value); }
    void set(const std::string& key, std::string value) { strings[key] = std::move(value); }

    const Matrix& matrix(const std::string& key) const { return find(matrices, key, "matrix"); }
    const Matrix& matrix(const std::string& key, std::size_t rows, std::size_t cols) const;
    // The same, of numbers that are all finite.
    const Matrix& finite(const std::string& key, std::size_t rows, std::size_t cols) const;
    const std::vector<std::int64_t>& integer(const std::string& key) const {
        return find(integers, key, "integers");
    }
    const std::string& text(const std::string& key) const { return find(strings, key, "text"); }

    std::map<std::string, Matrix> matrices;
    std::map<std::string, std::vector<std::int64_t>> integers;
    std::map<std::string, std::string> strings;

  private:
    template <class T>
    static const T& find(const std::map<std::string, T>& in, const std::string& key, const char* kind) {
        const auto it = in.find(key);
        if (it == in.end()) throw Error("State: no " + std::string(kind) + " called '" + key + "'");
        return it->second;
    }
};

}  // namespace fearnet
