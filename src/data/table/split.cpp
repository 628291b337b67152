#include "data/table/split.hpp"

#include <algorithm>
#include <cmath>

#include "fearnet/error.hpp"
#include "fearnet/rng.hpp"

namespace fearnet {

std::vector<bool> hold_out(const std::vector<ClassId>& labels, const std::vector<std::string>& names,
                           double fraction, std::uint64_t seed, const std::string& what) {
    if (!(fraction > 0 && fraction < 1))
        throw Error(what + ": test_fraction is " + std::to_string(fraction) +
                    "; it must lie between 0 and 1");
    std::vector<std::vector<std::size_t>> rows_by_class(names.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
        rows_by_class[static_cast<std::size_t>(index_of(labels[i]))].push_back(i);

    std::vector<bool> is_test(labels.size());
    for (std::size_t c = 0; c < rows_by_class.size(); ++c) {
        std::vector<std::size_t>& rows = rows_by_class[c];
        if (rows.size() < 2)
            throw Error(what + ": class '" + names[c] +
                        "' has a single row; two are needed, one to learn from " + "and one to test with");
        Rng rng = Rng(seed).fork(c);
        rng.shuffle(std::span<std::size_t>(rows));
        const double wanted = std::round(fraction * static_cast<double>(rows.size()));
        const std::size_t held =
            std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, rows.size() - 1);
        for (std::size_t k = 0; k < held; ++k) is_test[rows[k]] = true;
    }
    return is_test;
}

void split_rows(Matrix x, const std::vector<ClassId>& labels, const std::vector<bool>& is_test,
                FeatureSet& set) {
    const std::size_t held = static_cast<std::size_t>(std::count(is_test.begin(), is_test.end(), true));
    set.test.x.resize(held, x.cols());
    // Training rows are moved up in place, so that a large set is not in memory twice.
    for (std::size_t i = 0; i < x.rows(); ++i) {
        Examples& part = is_test[i] ? set.test : set.train;
        float* to = is_test[i] ? set.test.x.row(part.labels.size()) : x.row(part.labels.size());
        if (to != x.row(i)) std::copy_n(x.row(i), x.cols(), to);
        part.labels.push_back(labels[i]);
    }
    x.resize_rows(x.rows() - held);
    set.train.x = std::move(x);
}

}  // namespace fearnet
