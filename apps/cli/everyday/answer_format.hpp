// How answers are written: one line per row, or JSON.
#pragma once

#include <string>

#include "everyday/brain_arguments.hpp"

namespace fearnet::cli {

using apps::AnsweredRow;

enum class AnswerStyle { tsv, csv, jsonl, json };

struct AnswerFormat : apps::AnswerContent {
    AnswerStyle style = AnswerStyle::tsv;
    bool sets = false;  // with the set of --confidence instead of the `classes` most probable ones

    // What comes before the first answer, each answer, and after the last.
    std::string before() const;
    std::string answer(const AnsweredRow& row) const;
    std::string after() const;

  private:
    std::string as_csv(const AnsweredRow& row) const;
    std::string as_tsv(const AnsweredRow& row) const;
};

}  // namespace fearnet::cli
