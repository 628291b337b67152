#include "fearnet/base/state.hpp"

namespace fearnet {

const Matrix& State::matrix(const std::string& key, std::size_t rows, std::size_t cols) const {
    const Matrix& m = matrix(key);
    if (m.rows() != rows || m.cols() != cols)
        throw Error("State: '" + key + "' is " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()) +
                    " but " + std::to_string(rows) + " x " + std::to_string(cols) + " is needed");
    return m;
}

}  // namespace fearnet
