#include "lab/outliers/outlier_router.hpp"

#include <cassert>
#include <cmath>
#include <limits>

#include "lab/outliers/elliptic_envelope.hpp"
#include "lab/outliers/isolation_forest.hpp"
#include "lab/outliers/one_class_svm.hpp"

namespace fearnet::lab {
namespace {

constexpr const char* kPrefix = "amygdala.detector";

template <class Detector>
std::unique_ptr<OutlierDetector> owned(Detector detector) {
    return std::make_unique<Detector>(std::move(detector));
}

std::unique_ptr<OutlierDetector> fit_detector(MatrixView rows, const AmygdalaOptions& o, Rng rng,
                                              const Progress& progress) {
    if (o.kind == RouterKind::isolation_forest)
        return owned(IsolationForest::fit(rows,
                                          {.trees = static_cast<std::size_t>(o.trees),
                                           .subsample = static_cast<std::size_t>(o.subsample),
                                           .contamination = o.contamination},
                                          rng, progress));
    if (o.kind == RouterKind::elliptic_envelope)
        return owned(EllipticEnvelope::fit(rows, {.contamination = o.contamination, .shrinkage = o.shrinkage},
                                           rng, progress));
    assert(o.kind == RouterKind::one_class_svm);
    return owned(OneClassSvm::fit(rows, {.nu = o.nu, .gamma = o.gamma}, progress));
}

std::unique_ptr<OutlierDetector> load_detector(const State& state, RouterKind kind) {
    if (kind == RouterKind::isolation_forest) return owned(IsolationForest::load(state, kPrefix));
    if (kind == RouterKind::elliptic_envelope) return owned(EllipticEnvelope::load(state, kPrefix));
    assert(kind == RouterKind::one_class_svm);
    return owned(OneClassSvm::load(state, kPrefix));
}

float deviation(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double v : values) sum += v, squares += v * v;
    const double n = static_cast<double>(values.size());
    const double variance = squares / n - (sum / n) * (sum / n);
    return variance > 1e-20 ? static_cast<float>(std::sqrt(variance)) : 1.0f;
}

}  // namespace

OutlierRouter::OutlierRouter(MatrixView rows, const AmygdalaOptions& options, Rng rng,
                             const Progress& progress)
    : detector_(fit_detector(rows, options, rng, progress)), rejection_(options.rejection) {
    spread_ = deviation(detector_->decision(rows));
}

OutlierRouter::OutlierRouter(const State& state, const AmygdalaOptions& options)
    : detector_(load_detector(state, options.kind)), rejection_(options.rejection) {
    const std::vector<double>& scale = state.list<double>("amygdala.scale", 2);
    spread_ = static_cast<float>(scale[0]);
    shift_ = static_cast<float>(scale[1]);
}

std::vector<double> OutlierRouter::logits(MatrixView input) const {
    constexpr double kSure = std::numeric_limits<double>::infinity();
    std::vector<double> result = detector_->decision(input);
    for (double& v : result)
        v = rejection_ ? (v >= 0 ? kSure : -kSure)
                       : v / static_cast<double>(spread_) + static_cast<double>(shift_);
    return result;
}

void OutlierRouter::save(State& state) const {
    detector_->save(state, kPrefix);
    state.set("amygdala.scale",
              std::vector<double>{static_cast<double>(spread_), static_cast<double>(shift_)});
}

void register_outlier_routers() {
    const RouterType type{[](MatrixView rows, const AmygdalaOptions& options, Rng rng,
                             const Progress& progress) -> std::unique_ptr<Router> {
                              return std::make_unique<OutlierRouter>(rows, options, rng, progress);
                          },
                          [](const State& state, const AmygdalaOptions& options) -> std::unique_ptr<Router> {
                              return std::make_unique<OutlierRouter>(state, options);
                          }};
    for (const RouterKind kind :
         {RouterKind::isolation_forest, RouterKind::elliptic_envelope, RouterKind::one_class_svm})
        register_router(kind, type);
}

}  // namespace fearnet::lab
