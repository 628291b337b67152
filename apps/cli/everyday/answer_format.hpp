// How answers are written: one line per row, or JSON.
#pragma once

#include <string>

#include "everyday/brain_arguments.hpp"

namespace fearnet::cli {

enum class AnswerStyle { tsv, csv, jsonl, json };

struct AnswerFormat {
    AnswerStyle style = AnswerStyle::tsv;
    std::size_t classes = 1;  // per answer
    bool explain = false;     // with a place for the explanation, even if there is none

    // What comes before the first answer, each answer (`row` is counted from 0), and after the last.
    std::string before() const;
    std::string answer(const BrainAnswer& answer, const BrainExplanation* explanation, std::size_t row) const;
    std::string after() const;

  private:
    Json as_json(const std::vector<RankedClass>& ranked, const BrainExplanation* e, std::size_t row) const;
    std::string as_csv(const std::vector<RankedClass>& ranked, const BrainExplanation* e,
                       std::size_t row) const;
};

}  // namespace fearnet::cli
