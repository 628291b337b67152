#include "lab/report/page/number_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace fearnet::lab::page {
namespace {

// A difference that rounds to nothing has no sign.
std::string with_sign(double difference, int decimals) {
    const double unit = std::pow(10.0, -decimals);
    if (std::abs(difference) < unit / 2) return fmt::format("{:.{}f}", 0.0, decimals);
    return fmt::format("{}{:.{}f}", difference < 0 ? "\u2212" : "+", std::abs(difference), decimals);
}

}  // namespace

bool is_bytes(std::string_view column) {
    return column.starts_with("memory");
}

bool is_percent(std::string_view column) {
    return column.ends_with("accuracy");
}

std::string bytes_text(double bytes) {
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < std::size(kUnits)) bytes /= 1000, ++unit;
    const int decimals = unit == 0 || bytes >= 99.95 ? 0 : 1;
    return fmt::format("{:.{}f} {}", bytes, decimals, kUnits[unit]);
}

std::string number_text(double value, std::string_view column) {
    if (is_bytes(column)) return bytes_text(value);
    if (is_percent(column)) return fmt::format("{:.1f} %", 100 * value);
    if (column.find("classes") != column.npos || column.ends_with("_every"))
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.3f}", value);
}

std::string difference_text(double ours, double paper, std::string_view column) {
    if (is_bytes(column)) return paper > 0 ? fmt::format("\u00d7 {:.2g}", ours / paper) : "";
    if (is_percent(column)) return with_sign(100 * (ours - paper), 1) + " points";
    return with_sign(ours - paper, 3);
}

std::string column_title(std::string_view column) {
    static const std::map<std::string_view, const char*> kTitles{
        {"omega_base", "\u03a9 base"},
        {"omega_new", "\u03a9 new"},
        {"omega_all", "\u03a9 all"},
        {"omega_base_restricted", "\u03a9 base, restricted"},
        {"omega_new_restricted", "\u03a9 new, restricted"},
        {"omega_all_restricted", "\u03a9 all, restricted"},
        {"oracle_base", "\u03a9 base, oracle"},
        {"oracle_new", "\u03a9 new, oracle"},
        {"oracle_all", "\u03a9 all, oracle"},
        {"offline_accuracy", "offline MLP"},
        {"final_accuracy", "final accuracy"},
        {"memory_bytes", "memory"},
        {"memory_bytes_1000", "memory at 1,000 classes"},
        {"memory_networks", "networks"},
        {"memory_statistics", "statistics"},
        {"memory_examples", "examples"},
        {"memory_other", "other memory"},
        {"classes", "classes"},
        {"base_classes", "base classes"},
        {"sleep_every", "sleep every"},
        {"evaluate_every", "evaluated every"}};
    const auto found = kTitles.find(column);
    return found == kTitles.end() ? std::string(column) : found->second;
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

}  // namespace fearnet::lab::page
