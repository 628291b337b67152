// How answers are written: one line per row, or JSON.
#pragma once

#include <string>

#include "everyday/brain_arguments.hpp"

namespace fearnet::cli {

enum class AnswerStyle { tsv, csv, jsonl, json };

struct AnswerFormat {
    AnswerStyle style = AnswerStyle::tsv;
    std::size_t classes = 1;  // per answer
    bool explain = false;

    // What comes before the first answer, each answer (`row` is counted from 0), and after the last.
    std::string before() const;
    std::string answer(const BrainAnswer& answer, std::size_t row) const;
    std::string after() const;
};

}  // namespace fearnet::cli
