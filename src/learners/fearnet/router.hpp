// What every kind of router does for the amygdala.
#pragma once

#include <memory>
#include <vector>

#include "fearnet/base/matrix.hpp"
#include "fearnet/base/state.hpp"

namespace fearnet {

// Const functions are thread-safe. A new kind: implement this, and name it in RouterKind, fit_router and
// load_router (amygdala.cpp).
class Router {
  public:
    virtual ~Router() = default;

    // logit A(x) of each row: above 0 speaks for the recent memory; infinite when the verdict stands alone.
    virtual std::vector<double> logits(MatrixView input) const = 0;
    // Adds to every logit from now on.
    virtual void shift(double offset) = 0;

    virtual std::size_t width() const = 0;  // columns of the input
    virtual std::size_t bytes() const = 0;
    // Under keys that begin with "amygdala.".
    virtual void save(State& state) const = 0;
};

}  // namespace fearnet
