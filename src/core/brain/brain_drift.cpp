// The functions of a brain that record whether the examples of a class still look like those taught.
#include <algorithm>

#include "core/base/gather_rows.hpp"
#include "core/brain/brain_parts.hpp"

namespace fearnet {

std::size_t FamiliarityTrack::rows() const {
    std::int64_t rows = 0;
    for (const auto& [id, c] : classes_) rows += c.rows;
    return static_cast<std::size_t>(rows);
}

void Brain::Parts::record(ClassId id, SeenAs seen_as, const SeenRows& seen) {
    auto& records = content.familiarity;
    auto at = std::find_if(records.begin(), records.end(),
                           [&](const FamiliarityRecord& r) { return r.id == id && r.seen_as == seen_as; });
    // A change of a class that was reported is not reported for ever: its next session begins a new record.
    if (at != records.end() && seen_as == SeenAs::taught) {
        const FamiliarityRecord* one[] = {&*at};
        if (is_change(drift_of(one))) records.erase(at), at = records.end();
    }
    FamiliarityRecord made;
    made.id = id, made.seen_as = seen_as, made.since = time_now(),
    made.examples = std::clamp<std::int64_t>(seen.examples, 0, kMostCount);
    FamiliarityRecord& record = at != records.end() ? *at : made;
    add_call(record, seen);
    if (&record == &made && made.rows > 0) records.push_back(made);
}

void Brain::Parts::record_taught(const Matrix& rows, const std::vector<ClassId>& ids) {
    if (rows.cols() != learner->width()) return;  // the first session, or one that the learner refuses
    std::map<ClassId, std::int64_t> examples;
    for (const NamedClass& c : content.classes)
        if (c.examples > 0) examples[c.id] = c.examples;
    const std::set<ClassId> taught(ids.begin(), ids.end());
    std::erase_if(content.familiarity, [&](const FamiliarityRecord& r) {
        return r.seen_as == SeenAs::predicted && taught.contains(r.id);
    });
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (examples.contains(ids[i])) known.push_back(i);
    const std::vector<ClassId> columns = learner->classes();
    std::map<ClassId, SeenRows> seen;
    constexpr std::size_t kAtOnce = 256;
    Matrix block;
    for (std::size_t first = 0; first < known.size(); first += kAtOnce) {
        const std::vector<std::size_t> some(
            known.begin() + static_cast<std::ptrdiff_t>(first),
            known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), first + kAtOnce)));
        gather_rows(rows, some, block);
        const Matrix fits = learner->class_p_values(block);
        if (fits.rows() == 0) return;
        for (std::size_t i = 0; i < some.size(); ++i) {
            const ClassId id = ids[some[i]];
            const auto column = std::lower_bound(columns.begin(), columns.end(), id) - columns.begin();
            seen[id].add(static_cast<double>(fits(i, static_cast<std::size_t>(column))), 1);
        }
    }
    for (auto& [id, of_class] : seen) {
        of_class.examples = examples.at(id);
        record(id, SeenAs::taught, of_class);
    }
}

// Each row counts by the probability of its predicted class. If the probabilities are right, the weighted
// mean is that of the rows which are of the class; of these, the ones that are predicted right fit it better
// than the others, so that the p-values are at least uniform.
std::vector<BrainAnswer> Brain::predict(MatrixView x, FamiliarityTrack& track) const {
    const Parts& p = *parts_;
    std::vector<BrainAnswer> answers = predict(x);
    FamiliarityTrack added = track;
    // What an earlier state of the class showed does not count.
    for (const NamedClass& c : p.content.classes)
        if (FamiliarityTrack::Class& seen = added.classes_[c.id]; seen.examples != c.examples)
            seen = {c.examples, 0, 0, 0};
    const std::vector<ClassId> ids = p.learner->classes();
    for (std::size_t first = 0, most = rows_at_once(); first < x.rows; first += most) {
        const Matrix rows = p.question(x.slice(first, std::min(most, x.rows - first)), "predict", first);
        const Matrix fits = p.learner->class_p_values(rows);
        if (fits.rows() == 0)
            throw Error("Brain::predict: the learner " + p.learner->name() +
                        " estimates no class_p_values to track; fearnet-plus, fearnet, streaming-lda and "
                        "nearest-mean "
                        "do, after they were taught a class of two rows or more");
        Matrix scores = p.learner->scores_of_checked(rows);
        for (std::size_t i = 0; i < rows.rows(); ++i) {
            if (answers[first + i].unknown()) continue;
            const std::span<float> row(scores.row(i), scores.cols());
            p.learner->to_probabilities(row);
            const auto best =
                static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
            SeenRows seen;
            seen.add(static_cast<double>(fits(i, best)), static_cast<double>(row[best]));
            FamiliarityTrack::Class& c = added.classes_[ids[best]];
            c.rows += seen.rows, c.weight += seen.weight, c.sum += seen.sum;
        }
    }
    track = std::move(added);
    return answers;
}

bool Brain::Parts::is_change(const ClassDrift& drift) const {
    return drift.p_value * static_cast<double>(content.familiarity.size()) < kDriftLevel;
}

void Brain::Parts::add_drift(std::vector<BrainInfo::Class>& classes) const {
    std::map<std::pair<std::string, SeenAs>, std::vector<const FamiliarityRecord*>> records;
    for (const FamiliarityRecord& r : content.familiarity) records[{name_of(r.id), r.seen_as}].push_back(&r);
    for (BrainInfo::Class& c : classes)
        for (const SeenAs seen_as : {SeenAs::taught, SeenAs::predicted}) {
            const auto at = records.find({c.name, seen_as});
            if (at == records.end()) continue;
            ClassDrift drift = drift_of(at->second);
            drift.changed = is_change(drift);
            (seen_as == SeenAs::taught ? c.taught_again : c.predicted) = drift;
        }
}

}  // namespace fearnet
