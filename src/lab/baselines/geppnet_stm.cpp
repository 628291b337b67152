#include "lab/baselines/geppnet_stm.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace fearnet::lab {

void GeppNetStm::teach(MatrixView x, std::span<const std::int32_t> columns, std::size_t classes,
                       const Progress& progress) {
    if (!first_session()) return store_novel(x, columns, progress);
    GeppNetModel model(settings(), {x, columns}, classes, session_rng(), progress);
    known_.add(x, columns);
    model_ = std::move(model);
}

void GeppNetStm::store_novel(MatrixView x, std::span<const std::int32_t> columns, const Progress& progress) {
    RowStore buffer = buffer_;
    report(progress, {"store", 0, x.rows}, "GeppNetStm::learn");
    for (std::size_t first = 0; first < x.rows; first += kRowsAtOnce) {
        const MatrixView rows = x.slice(first, std::min(kRowsAtOnce, x.rows - first));
        const Matrix s = model_.scores(rows, settings().activation);
        report(progress, {"store", first + rows.rows, x.rows}, "GeppNetStm::learn");
        for (std::size_t i = 0; i < rows.rows; ++i) {
            const float margin =
                signed_margin({s.row(i), s.cols()}, static_cast<std::size_t>(columns[first + i]));
            if (static_cast<double>(margin) <= settings().incremental.novelty_threshold)
                buffer.add(rows.slice(i, 1), columns.subspan(first + i, 1));
        }
    }
    report(progress, {"store", x.rows, x.rows}, "GeppNetStm::learn");
    const auto capacity = static_cast<std::size_t>(settings().buffer);
    if (buffer.size() > capacity) buffer.drop_oldest(buffer.size() - capacity);
    buffer_ = std::move(buffer);
}

void GeppNetStm::do_sleep(const SleepEffort&, const Progress& progress) {
    if (buffer_.size() == 0) return;
    const std::size_t present =
        std::set<std::int32_t>(buffer_.columns().begin(), buffer_.columns().end()).size();
    GeppNetModel model = model_;
    model.train(settings(), {known_.x(), known_.columns()}, {buffer_.x(), buffer_.columns()}, class_count(),
                present * static_cast<std::size_t>(settings().incremental.iterations), session_rng(),
                progress);
    known_.add(buffer_.x(), buffer_.columns());
    model_ = std::move(model);
    buffer_.clear();
}

Matrix GeppNetStm::scores(MatrixView x) const {
    const Matrix s = model_.scores(x, settings().activation);
    Matrix result(x.rows, class_count());
    for (std::size_t i = 0; i < x.rows; ++i) {
        std::fill_n(result.row(i), class_count(), -std::numeric_limits<float>::infinity());
        std::copy_n(s.row(i), s.cols(), result.row(i));
    }
    return result;
}

std::vector<ClassId> GeppNetStm::recent_classes() const {
    return ids_of(buffer_.columns());
}

std::vector<ClassId> GeppNetStm::consolidated_classes() const {
    return ids_of(known_.columns());
}

MemoryUse GeppNetStm::memory() const {
    if (width() == 0) return {};
    return {{"networks", model_.bytes()}, {"examples", known_.bytes()}, {"buffer", buffer_.bytes()}};
}

void GeppNetStm::save_model(State& state) const {
    model_.save(state);
    known_.save(state, "known");
    buffer_.save(state, "buffer");
}

void GeppNetStm::load_model(const State& state) {
    model_ = GeppNetModel::load(state, settings(), width());
    if (model_.classes() == 0 || model_.classes() > class_count())
        throw Error("State: the read-out has " + std::to_string(model_.classes()) +
                    " outputs but there are " + std::to_string(class_count()) + " classes");
    known_ = RowStore::load(state, "known", model_.classes(), width());
    buffer_ = RowStore::load(state, "buffer", class_count(), width());
}

}  // namespace fearnet::lab
