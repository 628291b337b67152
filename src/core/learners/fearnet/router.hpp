// What every kind of router does for the amygdala.
#pragma once

#include <memory>
#include <vector>

#include "fearnet/fearnet_options.hpp"
#include "fearnet/matrix.hpp"
#include "fearnet/progress.hpp"
#include "fearnet/rng.hpp"
#include "fearnet/state.hpp"

namespace fearnet {

// Const functions are thread-safe. A new kind: implement this, name it in RouterKind, and register it.
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

// How a kind of router is made. The core has RouterKind::mlp; the lab registers the others.
struct RouterType {
    // From the rows of the recent memory, or their codes.
    std::unique_ptr<Router> (*fit)(MatrixView rows, const AmygdalaOptions& options, Rng rng,
                                   const Progress& progress);
    std::unique_ptr<Router> (*load)(const State& state, const AmygdalaOptions& options);
};
void register_router(RouterKind kind, RouterType type);

}  // namespace fearnet
