#include "lab/report/number_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/results/columns.hpp"

namespace fearnet::lab {
namespace {

// A difference that rounds to nothing has no sign.
std::string with_sign(double difference, int decimals) {
    const double unit = std::pow(10.0, -decimals);
    if (std::abs(difference) < unit / 2) return fmt::format("{:.{}f}", 0.0, decimals);
    return fmt::format("{}{:.{}f}", difference < 0 ? "\u2212" : "+", std::abs(difference), decimals);
}

}  // namespace

bool is_bytes(std::string_view column) {
    return column_named(column).unit == Unit::bytes;
}

bool is_setting(std::string_view column) {
    return column_named(column).unit == Unit::count;
}

bool is_better(double a, double b, std::string_view column) {
    return is_bytes(column) || column_named(column).better == Better::lower ? a < b : a > b;
}

std::string bytes_text(double bytes) {
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) bytes /= 1000, ++unit;
    const int decimals = unit == 0 || bytes >= 99.95 ? 0 : 1;
    return fmt::format("{:.{}f} {}", bytes, decimals, kUnits[unit]);
}

std::string number_text(double value, std::string_view column) {
    const Unit unit = column_named(column).unit;
    if (unit == Unit::bytes) return bytes_text(value);
    if (unit == Unit::accuracy) return fmt::format("{:.1f} %", 100 * value);
    return fmt::format("{:.{}f}", value, unit == Unit::count ? 0 : 3);
}

std::string difference_text(double ours, double paper, std::string_view column) {
    const Unit unit = column_named(column).unit;
    if (unit == Unit::bytes) return paper > 0 ? fmt::format("\u00d7 {:.2g}", ours / paper) : "";
    if (unit == Unit::accuracy) return with_sign(100 * (ours - paper), 1) + " points";
    return with_sign(ours - paper, 3);
}

std::string column_title(std::string_view column) {
    return column_named(column).title;
}

std::string dataset_title(const std::string& dataset) {
    if (const std::size_t plus = dataset.find('+'); plus != dataset.npos)
        return dataset_title(dataset.substr(0, plus)) + " + " + dataset_title(dataset.substr(plus + 1));
    if (dataset == "cub200") return "CUB-200";
    if (dataset == "cifar100") return "CIFAR-100";
    if (dataset == "audioset" || dataset == "audioset100") return "AudioSet";
    return dataset;
}

std::string duration_text(double seconds) {
    if (seconds < 100) return fmt::format("{:.0f} s", seconds);
    if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace fearnet::lab
