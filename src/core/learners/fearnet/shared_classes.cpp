#include "core/learners/fearnet/shared_classes.hpp"

#include <algorithm>

namespace fearnet {

std::vector<SharedClass> shared_classes(const Hippocampus& recent, const PrefrontalCortex& consolidated) {
    std::vector<SharedClass> result;
    const std::vector<ClassId>& old = consolidated.classes();
    for (std::size_t k = 0; k < recent.contents().size(); ++k) {
        const auto it = std::find(old.begin(), old.end(), recent.contents()[k].id);
        if (it != old.end()) result.push_back({k, static_cast<std::size_t>(it - old.begin())});
    }
    return result;
}

const SharedClass* passing_by_sum(const std::vector<SharedClass>& shared, const float* recent,
                                  const float* consolidated, double router, double best) {
    const SharedClass* result = nullptr;
    for (const SharedClass& s : shared) {
        const double sum = router * static_cast<double>(recent[s.recent]) +
                           (1 - router) * static_cast<double>(consolidated[s.consolidated]);
        if (sum <= best) continue;
        best = sum;
        result = &s;
    }
    return result;
}

}  // namespace fearnet
