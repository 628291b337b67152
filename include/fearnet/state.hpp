// A learner's memory as named values: what save writes and load reads, independent of any file format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// What an array is for. The numbers stand in files: never change them.
enum class ArrayKind : std::int64_t {
    other = 0,       // settings, counters, ids
    networks = 1,    // trained weights
    statistics = 2,  // of classes: means, covariances
    readout = 3,     // made from statistics, kept to answer faster
    examples = 4,    // rows as they were taught
};

// The elements of an array, of one type. A Matrix is float32 with rows and columns, the others are lists.
using ArrayValues = std::variant<Matrix, std::vector<std::int8_t>, std::vector<std::int16_t>,
                                 std::vector<std::int64_t>, std::vector<double>>;

struct StateArray {
    ArrayValues values;
    ArrayKind kind = ArrayKind::other;
};

// Getters throw Error naming the key when it is missing, or has another type or shape than asked.
class State {
  public:
    void set(const std::string& key, ArrayValues values, ArrayKind kind) {
        arrays[key] = {std::move(values), kind};
    }
    void set(const std::string& key, std::vector<std::int64_t> values) {
        set(key, std::move(values), ArrayKind::other);
    }
    void set(const std::string& key, std::vector<double> values) {
        set(key, std::move(values), ArrayKind::other);
    }
    void set(const std::string& key, double value) { set(key, std::vector<double>{value}); }
    void set(const std::string& key, std::string value) { texts[key] = std::move(value); }
    void set(const std::string& key, const char* value) { texts[key] = value; }

    bool has(const std::string& key) const { return arrays.contains(key); }
    const Matrix& matrix(const std::string& key) const { return values<Matrix>(key); }
    const Matrix& matrix(const std::string& key, std::size_t rows, std::size_t cols) const;
    // The same, of numbers that are all finite.
    const Matrix& finite(const std::string& key, std::size_t rows, std::size_t cols) const;
    // A list of T: std::int8_t, std::int16_t, std::int64_t or double; with `size` of that many.
    template <class T>
    const std::vector<T>& list(const std::string& key) const {
        return values<std::vector<T>>(key);
    }
    template <class T>
    const std::vector<T>& list(const std::string& key, std::size_t size) const {
        const std::vector<T>& found = list<T>(key);
        if (found.size() != size) throw wrong_size(key, found.size(), size);
        return found;
    }
    const std::vector<std::int64_t>& integer(const std::string& key) const { return list<std::int64_t>(key); }
    // One float64.
    double number(const std::string& key) const { return list<double>(key, 1)[0]; }
    const std::string& text(const std::string& key) const;

    // The elements as they are stored.
    template <class Values>
    const Values& values(const std::string& key) const {
        const auto it = arrays.find(key);
        if (it == arrays.end()) throw missing(key);
        const Values* found = std::get_if<Values>(&it->second.values);
        if (found == nullptr) throw wrong_type(key);
        return *found;
    }
    template <class Values>
    Values& values(const std::string& key) {
        return const_cast<Values&>(static_cast<const State*>(this)->values<Values>(key));
    }

    std::map<std::string, StateArray> arrays;
    std::map<std::string, std::string> texts;

  private:
    static Error missing(const std::string& key);
    static Error wrong_type(const std::string& key);
    static Error wrong_size(const std::string& key, std::size_t is, std::size_t needed);
};

}  // namespace fearnet
