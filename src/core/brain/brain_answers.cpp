// The const functions of a brain: predictions and information.
#include <algorithm>
#include <numeric>
#include <ostream>
#include <set>

#include "core/brain/brain_parts.hpp"
#include "core/brain/history_rows.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

std::optional<std::string> Brain::Parts::sleep_due() const {
    const ClassesByMemory memories = classes_by_memory(*learner);
    if (memories.recent.empty()) return std::nullopt;
    const auto said = [](const char* one, const char* many, std::int64_t is, const char* option,
                         std::int64_t limit) {
        return std::to_string(is) + " " + (is == 1 ? one : many) + " since the last sleep (" + option +
               " is " + std::to_string(limit) + ")";
    };
    const BrainSettings& s = content.settings;
    if (memories.consolidated.empty() && memories.recent.size() > 1)
        return "nothing is consolidated yet: the first sleep trains the base classes";
    if (s.due_sessions > 0 && content.sessions_since_sleep >= s.due_sessions)
        return said("session", "sessions", content.sessions_since_sleep, "due.sessions", s.due_sessions);
    if (s.due_examples > 0 && content.examples_since_sleep >= s.due_examples)
        return said("example", "examples", content.examples_since_sleep, "due.examples", s.due_examples);
    const MemoryUse memory = learner->memory();
    const auto bytes = memory.find("examples");
    if (s.due_bytes > 0 && bytes != memory.end() && static_cast<std::int64_t>(bytes->second) >= s.due_bytes)
        return said("byte of examples", "bytes of examples", static_cast<std::int64_t>(bytes->second),
                    "due.bytes", s.due_bytes);
    return std::nullopt;
}

std::optional<std::string> Brain::sleep_due() const {
    return parts_->sleep_due();
}

Matrix Brain::Parts::prepared(MatrixView x, const char* function, std::size_t first) const {
    check_finite_rows(x, std::string("Brain::") + function,
                      first);  // checked first: scaling would make the whole row NaN
    Matrix rows(x);
    if (content.settings.unit_length) scale_rows_to_unit_length(rows);
    return rows;
}

Matrix Brain::Parts::question(MatrixView x, const char* function, std::size_t first) const {
    const std::string where = std::string("Brain::") + function;
    if (learner->width() == 0) throw Error(where + ": 0 classes taught; call learn first");
    if (x.rows == 0) return Matrix();
    if (x.cols != learner->width())
        throw Error(where + ": rows have " + std::to_string(x.cols) + " features but the brain was taught " +
                    std::to_string(learner->width()));
    return prepared(x, function, first);
}

Matrix Brain::Parts::scores(MatrixView x, const char* function, std::size_t first) const {
    const Matrix rows = question(x, function, first);
    return rows.empty() ? Matrix(0, learner->classes().size()) : learner->scores_of_checked(rows);
}

std::vector<std::string> Brain::class_names() const {
    return parts_->columns().names;
}

std::size_t Brain::rows_at_once() const {
    constexpr std::size_t kNumbers = 1u << 20, kMaxRows = 1024;
    const std::size_t per_row = std::max({parts_->content.classes.size(), width(), std::size_t{1}});
    return std::clamp<std::size_t>(kNumbers / per_row, 1, kMaxRows);
}

namespace {

// Calls f(first row, block) for all rows of x in blocks of at most `most` rows.
template <class F>
void for_blocks(MatrixView x, std::size_t most, const F& f) {
    // Also called for 0 rows, so that the learner can refuse their width.
    for (std::size_t first = 0; first == 0 || first < x.rows; first += most)
        f(first, x.slice(first, std::min(most, x.rows - first)));
}

std::size_t largest(std::span<const float> numbers) {
    return static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

}  // namespace

// Shared by all answers of one call.
struct BrainAnswer::Batch {
    std::vector<std::string> names;    // ascending
    Matrix probabilities;              // rows x names
    std::vector<std::size_t> answers;  // by row: the column of the most probable class
    std::vector<double> familiarity;   // by row, or empty
    double unknown_below = 0;
};

const std::string& BrainAnswer::label() const {
    return batch_->names[batch_->answers[row_]];
}

double BrainAnswer::probability() const {
    return static_cast<double>(batch_->probabilities(row_, batch_->answers[row_]));
}

std::optional<double> BrainAnswer::familiarity() const {
    if (batch_->familiarity.empty()) return std::nullopt;
    return batch_->familiarity[row_];
}

bool BrainAnswer::unknown() const {
    return familiarity().value_or(1) < batch_->unknown_below;
}

// Among equally probable classes the predicted one comes first, then ascending by name.
std::vector<RankedClass> BrainAnswer::top(std::size_t count) const {
    const float* p = batch_->probabilities.row(row_);
    const std::size_t answer = batch_->answers[row_];
    std::vector<std::size_t> order(batch_->names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t l, std::size_t r) {
        if (p[l] != p[r]) return p[l] > p[r];
        if ((l == answer) != (r == answer)) return l == answer;
        return l < r;
    });
    std::vector<RankedClass> ranked;
    for (auto at = order.begin(); at != end; ++at)
        ranked.push_back({batch_->names[*at], static_cast<double>(p[*at])});
    return ranked;
}

// The probabilities of classes with one name are added up. Without such classes the answer is that of the
// learner, whatever rounding makes of its probability.
std::vector<std::size_t> Brain::Parts::named_probabilities(Matrix scores, const Columns& columns,
                                                           MutableMatrixView result) const {
    const bool merged = columns.names.size() < columns.of_class.size();
    std::vector<std::size_t> answers(scores.rows());
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const std::span<float> row(scores.row(i), scores.cols()), named(result.row(i), result.cols);
        const std::size_t answer = columns.of_class[largest(row)];
        learner->to_probabilities(row);
        std::fill(named.begin(), named.end(), 0.0f);
        for (std::size_t j = 0; j < row.size(); ++j) named[columns.of_class[j]] += row[j];
        const std::size_t likeliest = merged ? largest(named) : answer;
        answers[i] = named[likeliest] > named[answer] ? likeliest : answer;
    }
    return answers;
}

Brain::Parts::Columns Brain::Parts::columns() const {
    const std::set<std::string> sorted = names();
    Columns columns{{sorted.begin(), sorted.end()}, {}};
    for (const ClassId id : learner->classes()) columns.of_class.push_back(columns.find(name_of(id)));
    return columns;
}

Matrix Brain::probabilities(MatrixView x) const {
    const Parts& p = *parts_;
    const Parts::Columns columns = p.columns();
    Matrix result(x.rows, columns.names.size());
    for_blocks(x, rows_at_once(), [&](std::size_t first, MatrixView block) {
        p.named_probabilities(p.scores(block, "probabilities", first), columns,
                              result.view().slice(first, block.rows));
    });
    return result;
}

BrainAnswer Brain::predict(std::span<const float> row) const {
    return predict(MatrixView(row.data(), 1, row.size())).front();
}

std::vector<BrainAnswer> Brain::predict(MatrixView x) const {
    const Parts& p = *parts_;
    Parts::Columns columns = p.columns();
    const auto batch = std::make_shared<BrainAnswer::Batch>();
    batch->probabilities.resize(x.rows, columns.names.size());
    batch->answers.reserve(x.rows);
    batch->unknown_below = settings().unknown;
    for_blocks(x, rows_at_once(), [&](std::size_t first, MatrixView block) {
        const Matrix rows = p.question(block, "predict", first);
        if (rows.empty()) return;
        ScoredRows scored = p.learner->scored(rows);
        const std::vector<std::size_t> answers = p.named_probabilities(
            std::move(scored.scores), columns, batch->probabilities.view().slice(first, block.rows));
        batch->answers.insert(batch->answers.end(), answers.begin(), answers.end());
        batch->familiarity.insert(batch->familiarity.end(), scored.familiarity.begin(),
                                  scored.familiarity.end());
    });
    batch->names = std::move(columns.names);
    std::vector<BrainAnswer> result(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) result[i].batch_ = batch, result[i].row_ = i;
    return result;
}

// A class of several parts fits as well as its best part.
std::vector<std::vector<std::string>> Brain::label_sets(MatrixView x, double confidence) const {
    if (!(confidence >= 0.5) || !(confidence <= 0.999))
        throw Error("Brain::label_sets: a confidence of " + std::to_string(confidence) +
                    "; it must be from 0.5 to 0.999");
    const Parts& p = *parts_;
    const Parts::Columns columns = p.columns();
    std::vector<std::vector<std::string>> result;
    for_blocks(x, rows_at_once(), [&](std::size_t first, MatrixView block) {
        const Matrix rows = p.question(block, "label_sets", first);
        if (rows.empty()) return;
        const Matrix fits = p.learner->class_p_values(rows);
        if (fits.rows() == 0)
            throw Error(
                "Brain::label_sets: the learner " + p.learner->name() +
                " has no sets of classes; fearnet-plus, fearnet, streaming-lda and nearest-mean have them, "
                "after they were taught a class of two rows or more");
        Matrix named(rows.rows(), columns.names.size());
        p.named_probabilities(p.learner->scores_of_checked(rows), columns, named);
        for (std::size_t i = 0; i < rows.rows(); ++i) {
            std::set<std::size_t> chosen;
            for (std::size_t j = 0; j < fits.cols(); ++j)
                if (static_cast<double>(fits(i, j)) > 1 - confidence) chosen.insert(columns.of_class[j]);
            std::vector<std::size_t> order(chosen.begin(), chosen.end());
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t l, std::size_t r) { return named(i, l) > named(i, r); });
            std::vector<std::string> names;
            for (const std::size_t c : order) names.push_back(columns.names[c]);
            result.push_back(std::move(names));
        }
    });
    return result;
}

std::vector<SuspectLabel> Brain::suspect_labels(MatrixView x, const std::vector<std::string>& labels) const {
    const Parts& p = *parts_;
    if (labels.size() != x.rows)
        throw Error("Brain::suspect_labels: " + std::to_string(x.rows) + " rows but " +
                    std::to_string(labels.size()) + " labels");
    const Matrix rows = p.prepared(x, "suspect_labels");
    std::map<std::string, ClassId> ids;
    for (const NamedClass& c : p.content.classes) ids.emplace(c.name, c.id);
    // Names that are not taught get the ids that learn would give them.
    auto next = static_cast<std::int32_t>(p.content.next_class);
    std::map<ClassId, std::string> names;
    for (const NamedClass& c : p.content.classes) names[c.id] = c.name;
    std::vector<ClassId> of_rows;
    for (const std::string& label : labels) {
        if (const std::string problem = name_problem(label); !problem.empty())
            throw Error("Brain::suspect_labels: the class name '" + label.substr(0, kMaxNameBytes) + "' " +
                        problem);
        const auto [at, fresh] = ids.emplace(label, ClassId{next});
        if (fresh) names[ClassId{next++}] = label;
        of_rows.push_back(at->second);
    }
    std::vector<SuspectLabel> result;
    for (const SuspectRow& s : p.learner->suspect_rows({rows, of_rows}))
        if (names.at(s.looks_like) != labels[s.row])
            result.push_back({s.row, labels[s.row], names.at(s.looks_like), s.probability});
    return result;
}

std::vector<std::string> Brain::labels(MatrixView x) const {
    const Parts& p = *parts_;
    const Parts::Columns columns = p.columns();
    const bool merged = columns.names.size() < columns.of_class.size();
    std::vector<std::string> result;
    result.reserve(x.rows);
    Matrix named;
    for_blocks(x, rows_at_once(), [&](std::size_t first, MatrixView block) {
        Matrix scores = p.scores(block, "labels", first);
        if (!merged) {
            for (std::size_t i = 0; i < scores.rows(); ++i)
                result.push_back(columns.names[columns.of_class[largest({scores.row(i), scores.cols()})]]);
            return;
        }
        named.resize(block.rows, columns.names.size());
        for (const std::size_t c : p.named_probabilities(std::move(scores), columns, named))
            result.push_back(columns.names[c]);
    });
    return result;
}

std::optional<BrainExplanation> Brain::explain(std::span<const float> row) const {
    std::vector<BrainExplanation> explained = explain(MatrixView(row.data(), 1, row.size()));
    if (explained.empty()) return std::nullopt;
    return std::move(explained.front());
}

std::vector<BrainExplanation> Brain::explain(MatrixView x) const {
    const Parts& p = *parts_;
    const MemoryRouting* routing = p.learner->routing();
    std::vector<BrainExplanation> result;
    if (routing == nullptr) return result;
    const bool recent = !p.learner->recent_classes().empty();
    for_blocks(x, rows_at_once(), [&](std::size_t first, MatrixView block) {
        for (const Explanation& e : routing->explain(p.prepared(block, "explain", first)))
            result.push_back({p.name_of(e.label), e.memory, recent ? p.name_of(e.recent_label) : "",
                              p.name_of(e.consolidated_label), e.recent_probability,
                              e.consolidated_probability, e.router, e.psi});
    });
    return result;
}

std::ostream& operator<<(std::ostream& out, const BrainExplanation& e) {
    out << e.label << ", from the " << (e.memory == Memory::recent ? "recent" : "consolidated") << " memory";
    if (!e.recent_label.empty())
        out << "; recent: " << e.recent_label << ' ' << e.recent_probability << ", A(x) " << e.router
            << ", psi " << e.psi;
    return out << "; consolidated: " << e.consolidated_label << ' ' << e.consolidated_probability;
}

const std::string& Brain::name_of(ClassId id) const {
    return parts_->name_of(id);
}

std::size_t Brain::width() const {
    if (accepts_text()) return text_width();
    return front_end().name.empty() ? parts_->learner->width() : front_end().width;
}
const FrontEnd& Brain::front_end() const {
    return parts_->content.front_end;
}
bool Brain::accepts_text() const {
    return parts_->content.settings.features == BrainFeatures::text;
}
const BrainSettings& Brain::settings() const {
    return parts_->content.settings;
}
const Learner& Brain::learner() const {
    return *parts_->learner;
}
const std::filesystem::path& Brain::path() const {
    return parts_->path;
}

Matrix Brain::text_rows(const std::vector<std::string>& texts) const {
    if (!accepts_text())
        throw Error(
            "Brain::text_rows: this brain learns from numeric rows; one made with brain.features=text:ngrams "
            "takes text");
    return fearnet::text_rows(texts);
}

std::int64_t Brain::changes() const {
    return parts_->file.changes();
}

BrainInfo Brain::info() const {
    const Parts& p = *parts_;
    const ClassesByMemory memories = classes_by_memory(*p.learner);
    std::map<std::string, BrainInfo::Class> classes;
    for (const NamedClass& c : p.content.classes) {
        BrainInfo::Class& entry = classes[c.name];
        entry.parts = entry.name.empty() ? 1 : entry.parts + 1;
        entry.name = c.name;
        entry.examples += c.examples;
        entry.recent |= memories.recent.count(c.id) != 0;
        entry.consolidated |= memories.consolidated.count(c.id) != 0;
    }
    BrainInfo info;
    for (auto& [name, entry] : classes) info.classes.push_back(std::move(entry));
    p.add_drift(info.classes);
    info.learner = p.learner->name();
    info.width = width();
    info.front_end = front_end();
    info.memory = p.learner->memory();
    std::error_code gone;
    const std::uintmax_t bytes = std::filesystem::file_size(p.path, gone);
    info.file_bytes = gone ? 0 : bytes;
    info.sessions_since_sleep = p.content.sessions_since_sleep;
    info.sleep_due = p.sleep_due();
    info.history = parts_->file.history();
    describe_history(parts_->content.classes, info.history);
    info.options = p.learner->options();
    for (const auto& [name, value] : options_as_text(p.content.settings)) info.options[name] = value;
    return info;
}

std::map<std::string, double> Brain::expected_accuracy() const {
    const std::vector<double> accuracies = parts_->learner->expected_accuracy();
    const std::vector<ClassId> ids = parts_->learner->classes();
    std::map<ClassId, double> by_id;
    for (std::size_t i = 0; i < accuracies.size(); ++i)
        if (accuracies[i] >= 0) by_id[ids[i]] = accuracies[i];
    std::map<std::string, double> sums, examples;
    for (const NamedClass& c : parts_->content.classes)
        if (const auto it = by_id.find(c.id); it != by_id.end()) {
            sums[c.name] += it->second * static_cast<double>(c.examples);
            examples[c.name] += static_cast<double>(c.examples);
        }
    for (auto& [name, sum] : sums) sum /= examples[name];
    return sums;
}

BrainReview Brain::review() const {
    const Parts& p = *parts_;
    BrainReview review;
    review.learner = p.learner->name();
    std::map<ClassId, std::int64_t> examples;
    std::map<std::string, BrainReview::Class> classes;
    for (const NamedClass& c : p.content.classes) {
        examples[c.id] = c.examples;
        classes[c.name].name = c.name;
        classes[c.name].examples += c.examples;
    }
    // The parts of a merged class count by their examples.
    std::map<std::string, double> known;
    std::map<std::string, std::map<std::string, double>> confused;
    for (const ClassReview& part : p.learner->review()) {
        review.estimated = true;
        if (part.accuracy < 0) continue;
        const std::string& name = p.name_of(part.id);
        const double before = known[name], weight = static_cast<double>(examples[part.id]);
        known[name] += weight;
        const auto mix = [&](std::optional<double>& mean, double value) {
            mean = (before * mean.value_or(0) + weight * value) / (before + weight);
        };
        BrainReview::Class& entry = classes[name];
        mix(entry.accuracy, part.accuracy), mix(entry.error, part.error);
        mix(entry.with_half, part.with_half), mix(entry.with_twice, part.with_twice);
        for (const ClassReview::Confusion& c : part.confusions)
            if (p.name_of(c.with) != name) confused[name][p.name_of(c.with)] += weight * c.share;
    }
    for (auto& [name, entry] : classes) {
        for (const auto& [with, sum] : confused[name]) entry.confusions.push_back({with, sum / known[name]});
        std::stable_sort(entry.confusions.begin(), entry.confusions.end(),
                         [](const auto& l, const auto& r) { return l.share > r.share; });
        if (entry.confusions.size() > ClassReview::kMaxConfusions)
            entry.confusions.resize(ClassReview::kMaxConfusions);
        for (BrainReview::Confusion& c : entry.confusions) confused[name][c.with] = c.share;
    }
    const auto of_the_two = [&](const std::string& is, const std::string& other) {
        const auto& mine = confused[is];
        const auto it = mine.find(other);
        if (it == mine.end() || !classes[is].accuracy) return 0.0;
        return it->second / std::max(it->second + *classes[is].accuracy, 1e-9);
    };
    for (const auto& [name, entry] : classes)
        for (const BrainReview::Confusion& c : entry.confusions) {
            if (c.with < name && confused[c.with].contains(name)) continue;  // counted there
            const double share = (of_the_two(name, c.with) + of_the_two(c.with, name)) / 2;
            if (share >= BrainReview::kMaybeOne)
                review.maybe_one.push_back({std::min(name, c.with), std::max(name, c.with), share});
        }
    std::stable_sort(review.maybe_one.begin(), review.maybe_one.end(),
                     [](const auto& l, const auto& r) { return l.confused > r.confused; });
    for (auto& [name, entry] : classes) review.classes.push_back(std::move(entry));
    return review;
}

std::vector<std::string> check_brain(const std::filesystem::path& path,
                                     std::chrono::milliseconds lock_timeout) {
    BrainFile file(path, io::DatabaseAccess::read, lock_timeout);
    std::vector<std::string> problems = file.problems();
    if (!problems.empty()) return problems;
    try {
        const BrainContent content = file.load();
        const std::string wrong = disagreement(*restore_learner(content.learner), content.classes);
        if (!wrong.empty()) problems.push_back(wrong);
    } catch (const std::bad_alloc&) {
        problems.push_back("not enough memory to load it");
    } catch (const Error& error) {
        problems.push_back(error.what());
    }
    return problems;
}

}  // namespace fearnet
