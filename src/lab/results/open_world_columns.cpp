// The columns of Protocol::open_world: the same for sessions and for runs, whose numbers are means over the
// sessions.
#include <cmath>
#include <set>
#include <utility>

#include "lab/results/open_world_names.hpp"

namespace fearnet::lab {
namespace {

// A text that lives as long as the program.
const char* kept(const std::string& text) {
    static std::set<std::string> texts;
    return texts.insert(text).first->c_str();
}

// Where a number is in an OpenWorldRecord or OpenWorldSummary.
template <std::size_t detector, double Detection::*field>
struct InDetection {
    static auto& find(auto& record) { return record.detection[detector].*field; }
};
template <double Coverage::*field>
struct InCoverage {
    static auto& find(auto& record) { return record.coverage.*field; }
};
template <double Coverage::*field>
struct InDeviation {
    static auto& find(auto& record) { return record.deviation.*field; }
};
struct InCalibration {
    static auto& find(auto& record) { return record.calibration_error; }
};

template <class Line, class Place>
Column<Line> column_of(const char* name, const char* title, const char* meaning, Unit unit, Better better) {
    using Record = typename Column<Line>::Record;
    Column<Line> column{name, title, meaning, unit};
    column.get = [](const Record& record) -> std::optional<double> {
        if (!record.open_world) return std::nullopt;
        const double value = Place::find(*record.open_world);
        return std::isnan(value) ? std::nullopt : std::optional(value);
    };
    column.set = [](Record& record, double value) {
        if (std::isnan(value)) return;
        if (!record.open_world) record.open_world.emplace();
        Place::find(*record.open_world) = value;
    };
    column.better = better;
    column.optional = true;
    return column;
}

// One column per detector of one measure.
template <class Line, std::size_t measure, std::size_t... detectors>
void add_detectors(std::vector<Column<Line>>& columns, std::index_sequence<detectors...>) {
    constexpr const DetectionMeasure& m = kDetectionMeasures[measure];
    (columns.push_back(column_of<Line, InDetection<detectors, m.field>>(
         kept(std::string(m.prefix) + kDetectorNames[detectors].name),
         kept(std::string(m.title) + ", " + kDetectorNames[detectors].title),
         kept(std::string(m.meaning) + kDetectorNames[detectors].meaning), m.unit, m.better)),
     ...);
}
template <class Line, std::size_t... measures>
void add_measures(std::vector<Column<Line>>& columns, std::index_sequence<measures...>) {
    (add_detectors<Line, measures>(columns, std::make_index_sequence<kDetectors>{}), ...);
}

template <class Line, double Coverage::*field>
Column<Line> coverage(const char* name, const char* title, const char* meaning, Unit unit = Unit::accuracy,
                      Better better = Better::neither) {
    return column_of<Line, InCoverage<field>>(name, title, meaning, unit, better);
}

template <double Coverage::*field>
Column<ResultRun> deviation(const char* name, const char* title, const char* meaning) {
    return column_of<ResultRun, InDeviation<field>>(name, title, meaning, Unit::accuracy, Better::lower);
}

}  // namespace

template <class Line>
std::vector<Column<Line>> open_world_columns() {
    using C = Coverage;
    std::vector<Column<Line>> columns{
        coverage<Line, &C::familiar_95>("coverage_95", "familiar at 95 %",
                                        "share of rows of taught classes with a familiarity of at least 5 %; "
                                        "nominal 95 %"),
        coverage<Line, &C::familiar_99>("coverage_99", "familiar at 99 %",
                                        "share of rows of taught classes with a familiarity of at least 1 %; "
                                        "nominal 99 %"),
        coverage<Line, &C::set_90>("coverage_set_90", "class in 90 % set",
                                   "share of rows of taught classes whose class is in the set of confidence "
                                   "90 %; nominal 90 %"),
        coverage<Line, &C::set_size>("set_size", "set size", "mean number of classes in these sets",
                                     Unit::score, Better::lower),
        coverage<Line, &C::set_empty>("set_empty", "empty sets", "share of these sets that are empty",
                                      Unit::accuracy, Better::lower),
        column_of<Line, InCalibration>(
            "calibration_error", "ECE",
            "expected calibration error of the probabilities, 15 bins of equal width", Unit::accuracy,
            Better::lower)};
    if constexpr (std::is_same_v<Line, ResultRun>) {
        columns.push_back(deviation<&C::familiar_95>(
            "deviation_95", "deviation at 95 %",
            "largest distance of `coverage_95` from 95 % after any evaluated session"));
        columns.push_back(deviation<&C::familiar_99>(
            "deviation_99", "deviation at 99 %",
            "largest distance of `coverage_99` from 99 % after any evaluated session"));
        columns.push_back(deviation<&C::set_90>(
            "deviation_set_90", "deviation of 90 % set",
            "largest distance of `coverage_set_90` from 90 % after any evaluated session"));
    }
    add_measures<Line>(columns, std::make_index_sequence<std::size(kDetectionMeasures)>{});
    return columns;
}

template std::vector<Column<ResultRun>> open_world_columns();
template std::vector<Column<ResultSession>> open_world_columns();

}  // namespace fearnet::lab
