// Numbers and names as tables print them. `column` is the name of a column of the results.
#pragma once

#include <string>
#include <string_view>

namespace fearnet::lab {

// As the column is read: bytes as "10.7 MB", accuracies as "68.1 %", counts whole, scores with three
// decimals.
std::string number_text(double value, std::string_view column);
// How far ours is from the paper's: "+0.032", "+1.2 points" of an accuracy, "x 0.98" of bytes.
std::string difference_text(double ours, double paper, std::string_view column);
std::string column_title(std::string_view column);
// "cub200" is printed as CUB-200, and so on; a name not known here stays.
std::string dataset_title(const std::string& dataset);
// "8 s", "5 min", "3.2 h"
std::string duration_text(double seconds);
// Decimal units, three digits: "3.8 MB", "41 GB".
std::string bytes_text(double bytes);

bool is_bytes(std::string_view column);
// What the run was told, rather than what was measured.
bool is_setting(std::string_view column);
// Less memory, and as Column::better says of anything else.
bool is_better(double a, double b, std::string_view column);

}  // namespace fearnet::lab
