// State: everything a learner knows, as named arrays and texts. Learner::save returns one and restore_learner
// reads it. It is independent of a file format; save_state (fearnet/data/state_file.hpp) and Brain store it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

// What an array is for. Files contain these numbers, so they never change.
enum class ArrayKind : std::int64_t {
    other = 0,       // settings, counters, ids
    networks = 1,    // trained weights
    statistics = 2,  // of classes: means, covariances
    readout = 3,     // computed from statistics, kept for faster prediction
    examples = 4,    // rows as they were taught
};

// The elements of an array: a float32 Matrix with rows and columns, or a list of one of the other types.
using ArrayValues = std::variant<Matrix, std::vector<std::int8_t>, std::vector<std::int16_t>,
                                 std::vector<std::int64_t>, std::vector<double>>;

struct StateArray {
    ArrayValues values;
    ArrayKind kind = ArrayKind::other;
};

// Named arrays and texts. `set` adds or replaces an entry. The getters throw Error, with the key in the
// message, if an entry is missing or has another type or shape than asked for.
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

    // Whether there is an array of that name; texts do not count.
    bool has(const std::string& key) const { return arrays.contains(key); }
    const Matrix& matrix(const std::string& key) const { return values<Matrix>(key); }
    // A matrix that must be rows x cols.
    const Matrix& matrix(const std::string& key, std::size_t rows, std::size_t cols) const;
    // A matrix that must be rows x cols and contain only finite numbers.
    const Matrix& finite(const std::string& key, std::size_t rows, std::size_t cols) const;
    // A list of T: std::int8_t, std::int16_t, std::int64_t or double. With `size`, it must have that many
    // elements.
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
    // A list of one double.
    double number(const std::string& key) const { return list<double>(key, 1)[0]; }
    const std::string& text(const std::string& key) const;

    // The elements of an array; Values is one of the types of ArrayValues.
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
