#include "fearnet/state.hpp"

#include <algorithm>
#include <cmath>

namespace fearnet {

Error State::missing(const std::string& key) {
    return Error("State: no array called '" + key + "'");
}

Error State::wrong_type(const std::string& key) {
    return Error("State: '" + key + "' has elements of another type than are needed");
}

Error State::wrong_size(const std::string& key, std::size_t is, std::size_t needed) {
    return Error("State: '" + key + "' has " + std::to_string(is) + " numbers but " + std::to_string(needed) +
                 " are needed");
}

const std::string& State::text(const std::string& key) const {
    const auto it = texts.find(key);
    if (it == texts.end()) throw Error("State: no text called '" + key + "'");
    return it->second;
}

const Matrix& State::matrix(const std::string& key, std::size_t rows, std::size_t cols) const {
    const Matrix& m = matrix(key);
    if (m.rows() != rows || m.cols() != cols)
        throw Error("State: '" + key + "' is " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()) +
                    " but " + std::to_string(rows) + " x " + std::to_string(cols) + " is needed");
    return m;
}

const Matrix& State::finite(const std::string& key, std::size_t rows, std::size_t cols) const {
    const Matrix& m = matrix(key, rows, cols);
    if (!std::all_of(m.data(), m.data() + m.size(), [](float v) { return std::isfinite(v); }))
        throw Error("State: '" + key + "' has a number that is not finite");
    return m;
}

}  // namespace fearnet
