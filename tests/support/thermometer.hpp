// A learner whose open-world answers are known: the first feature of a row is the number of its class.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>

#include "fearnet/learner.hpp"

namespace fearnet::test {

// Familiar with rows whose first feature is within 0.5 of a taught class.
class Thermometer : public Learner {
  public:
    explicit Thermometer(bool open_world = true) : open_world_(open_world) {}
    std::string name() const override { return "thermometer"; }
    std::vector<ClassId> classes() const override { return {taught_.begin(), taught_.end()}; }
    std::size_t width() const override { return width_; }
    MemoryUse memory() const override { return {{"statistics", 4 * taught_.size()}}; }
    std::map<std::string, std::string> options() const override { return {}; }
    State save() const override { return {}; }

  private:
    void do_learn(const LabeledView& session, const Progress& progress) override {
        report(progress, {"learn", 1, 1}, "Thermometer::learn");
        taught_.insert(session.labels.begin(), session.labels.end());
        width_ = session.x.cols;
    }
    Matrix do_scores(MatrixView x) const override {
        Matrix scores(x.rows, taught_.size());
        for (std::size_t i = 0; i < x.rows; ++i) {
            std::size_t c = 0;
            for (const ClassId id : taught_) scores(i, c++) = -4 * distance(x(i, 0), id);
        }
        return scores;
    }
    std::vector<double> do_familiarity(MatrixView x) const override {
        std::vector<double> result;
        if (!open_world_) return result;
        for (std::size_t i = 0; i < x.rows; ++i) {
            float nearest = 1;
            for (const ClassId id : taught_) nearest = std::min(nearest, distance(x(i, 0), id));
            result.push_back(nearest <= 0.5f ? 1 - nearest : 0);
        }
        return result;
    }
    Matrix do_class_p_values(MatrixView x) const override {
        if (!open_world_) return {};
        Matrix values(x.rows, taught_.size());
        for (std::size_t i = 0; i < x.rows; ++i) {
            std::size_t c = 0;
            for (const ClassId id : taught_) values(i, c++) = distance(x(i, 0), id) <= 0.5f ? 1.0f : 0.0f;
        }
        return values;
    }
    static float distance(float feature, ClassId id) {
        return std::abs(feature - static_cast<float>(index_of(id)));
    }

    bool open_world_;
    std::set<ClassId> taught_;
    std::size_t width_ = 0;
};

}  // namespace fearnet::test
