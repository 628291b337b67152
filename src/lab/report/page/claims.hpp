// The paper's claims, checked on our numbers.
#pragma once

#include "lab/report/page/summary.hpp"

namespace fearnet::lab::page {

enum class Verdict { holds, does_not_hold, not_measured };

struct CheckedClaim {
    std::string text;
    Verdict verdict = Verdict::not_measured;
    std::vector<std::string> evidence;  // the numbers behind the verdict, a sentence per data set
};

// Kinds of claims and the fields they use:
//   best     "row" has the largest mean of "column" (smallest for memory) among the rows the paper has
//   numbers for;
//            a better row that is not in the paper is named but does not count
//   greater  the mean of "column" of "row" is above that of "than_row", or of its own "than_column"
//   trend    over the values of the column "over" (sleep_every, base_classes) the means of "column" go "up"
//   or "down"
//            ("direction"): the last lies on that side of the first, and the rank correlation is at least 0.5
//            that way; or stay "flat": they differ by at most 0.1
// "datasets" limits it; otherwise it must hold on each data set. What cannot be computed, and a kind not
// known here, is not measured.
CheckedClaim check_claim(const Claim& claim, const std::vector<Line>& lines);
std::vector<CheckedClaim> check_claims(const Experiment& experiment, const std::vector<Line>& lines);

// Spearman's, ties sharing their mean rank; x and y equally long. 0 when one of them is constant.
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace fearnet::lab::page
