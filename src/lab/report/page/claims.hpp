// Checks the claims of the paper on the measured results.
#pragma once

#include "lab/report/page/summary.hpp"

namespace fearnet::lab::page {

enum class Verdict { holds, does_not_hold, not_measured };

struct CheckedClaim {
    std::string text;
    Verdict verdict = Verdict::not_measured;
    std::vector<std::string> evidence;  // the numbers behind the verdict, a sentence per data set
};

// On the means over the seeds, on every data set that the claim is about; docs/report.md says when each kind
// holds. A claim that cannot be computed is not measured.
CheckedClaim check_claim(const Claim& claim, const std::vector<Line>& lines);
std::vector<CheckedClaim> check_claims(const ExperimentResults& results, const std::vector<Line>& lines);

// Spearman's, ties sharing their mean rank; x and y equally long. 0 when one of them is constant.
double rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace fearnet::lab::page
