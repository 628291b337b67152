// How answers are written: one line per row, or JSON.
#pragma once

#include <string>

#include "everyday/brain_arguments.hpp"

namespace fearnet::cli {

enum class AnswerStyle { tsv, csv, jsonl, json };

// What is written of one row.
struct AnsweredRow {
    const BrainAnswer& answer;
    const BrainExplanation* explanation = nullptr;
    const std::vector<std::string>* set = nullptr;  // of --confidence
    std::size_t row = 0;                            // counted from 0
    std::string input = {};                         // the name of the input; empty for numeric rows
};

struct AnswerFormat {
    AnswerStyle style = AnswerStyle::tsv;
    std::size_t classes = 1;   // per answer
    bool explain = false;      // with a place for the explanation, even if there is none
    double unknown_below = 0;  // rows whose familiarity is below are answered with "unknown"
    bool inputs = false;       // rows have the names of inputs
    bool sets = false;         // with the set of --confidence instead of the `classes` most probable ones

    // What comes before the first answer, each answer, and after the last.
    std::string before() const;
    std::string answer(const AnsweredRow& row) const;
    std::string after() const;

  private:
    bool is_unknown(const BrainAnswer& answer) const;
    // The classes to write: of the set, or the most probable ones.
    std::vector<RankedClass> ranked(const AnsweredRow& row) const;
    Json as_json(const AnsweredRow& row) const;
    std::string as_csv(const AnsweredRow& row) const;
    std::string as_tsv(const AnsweredRow& row) const;
};

}  // namespace fearnet::cli
