// What a brain says, as JSON; the commands and the server write the same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fearnet/brain.hpp"
#include "fearnet/data/embedder.hpp"
#include "common/json.hpp"

namespace fearnet::apps {

// The answer to one row.
struct AnsweredRow {
    const BrainAnswer& answer;
    const BrainExplanation* explanation = nullptr;
    const std::vector<std::string>* set = nullptr;  // the classes to write instead of the most probable ones
    std::size_t row = 0;                            // counted from 0
    std::string input = {};                         // the name of the input; empty for numeric rows
};

// What is written of an answer.
struct AnswerContent {
    std::size_t classes = 1;   // the number of classes
    double unknown_below = 0;  // rows whose familiarity is below are unknown
    bool inputs = false;       // rows have the names of inputs
    bool explain = false;      // with a place for the explanation, even if there is none

    bool is_unknown(const BrainAnswer& answer) const {
        return answer.familiarity().value_or(1) < unknown_below;
    }
    // The classes to write: of the set, or the most probable ones.
    std::vector<RankedClass> ranked(const AnsweredRow& row) const;
};

std::size_t total_bytes(const MemoryUse& memory);
const char* name_of(Memory memory);  // "recent" or "consolidated"

Json as_json(const AnsweredRow& row, const AnswerContent& content);
// `expected`: the accuracies of Brain::expected_accuracy.
Json as_json(const BrainInfo& info, const std::map<std::string, double>& expected);
Json as_json(const BrainReview& review);
// `inputs`: the names of the rows; empty for numeric rows.
Json as_json(const std::vector<SuspectLabel>& suspects, const std::vector<std::string>& inputs);
Json as_json(const std::vector<SkippedInput>& skipped);

}  // namespace fearnet::apps
