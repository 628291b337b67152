// What a brain is asked: nothing here changes it.
#include <numeric>
#include <set>

#include "core/brain/brain_parts.hpp"
#include "core/brain/history_rows.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {

std::string Brain::Parts::sleep_due() const {
    const Memories memories = memories_of(*learner);
    if (memories.recent.empty()) return "";
    const auto said = [](const char* one, const char* many, std::int64_t is, const char* option,
                         std::int64_t limit) {
        return std::to_string(is) + " " + (is == 1 ? one : many) + " since the last sleep (" + option +
               " is " + std::to_string(limit) + ")";
    };
    const BrainSettings& s = content.settings;
    if (memories.consolidated.empty() && memories.recent.size() > 1)
        return "nothing is consolidated yet: the first sleep makes the base knowledge";
    if (s.due_sessions > 0 && content.sessions_since_sleep >= s.due_sessions)
        return said("session", "sessions", content.sessions_since_sleep, "due.sessions", s.due_sessions);
    if (s.due_examples > 0 && content.examples_since_sleep >= s.due_examples)
        return said("example", "examples", content.examples_since_sleep, "due.examples", s.due_examples);
    const MemoryUse memory = learner->memory();
    const auto bytes = memory.find("examples");
    if (s.due_bytes > 0 && bytes != memory.end() && static_cast<std::int64_t>(bytes->second) >= s.due_bytes)
        return said("byte of examples", "bytes of examples", static_cast<std::int64_t>(bytes->second),
                    "due.bytes", s.due_bytes);
    return "";
}

Matrix Brain::Parts::prepared(MatrixView x, const char* function, std::size_t first) const {
    check_finite_rows(x, std::string("Brain::") + function, first);  // scaling would spread it over its row
    Matrix rows(x);
    if (content.settings.unit_length) scale_rows_to_unit_length(rows);
    return rows;
}

std::vector<std::string> Brain::class_names() const {
    return parts_->columns().names;
}

std::size_t Brain::rows_at_once() const {
    constexpr std::size_t kNumbers = 8u << 20, kMostRows = 1024;
    const std::size_t per_row = std::max({parts_->content.classes.size(), width(), std::size_t{1}});
    return std::clamp<std::size_t>(kNumbers / per_row, 1, kMostRows);
}

namespace {

// Calls f(first row, some rows) for all rows of x, `most` at a time.
template <class F>
void for_blocks(MatrixView x, std::size_t most, const F& f) {
    // Without rows the learner is asked all the same: it may have something against their width.
    for (std::size_t first = 0; first == 0 || first < x.rows; first += most)
        f(first, x.slice(first, std::min(most, x.rows - first)));
}

// The `top` columns with the largest numbers, largest first; of equal ones `preferred` first, then the
// smaller column.
void largest(std::span<const float> numbers, std::size_t preferred, std::size_t top,
             std::vector<std::size_t>& order) {
    order.resize(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(top, order.size()));
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t l, std::size_t r) {
        if (numbers[l] != numbers[r]) return numbers[l] > numbers[r];
        if ((l == preferred) != (r == preferred)) return l == preferred;
        return l < r;
    });
    order.erase(end, order.end());
}

}  // namespace

// What the learner says of rows that are prepared, with the columns of classes of one name added up.
void Brain::Parts::named_probabilities(const Matrix& rows, const Columns& columns,
                                       MutableMatrixView result) const {
    const Matrix by_id = learner->probabilities(rows);
    for (std::size_t i = 0; i < by_id.rows(); ++i) {
        std::fill_n(result.row(i), result.cols, 0.0f);
        for (std::size_t j = 0; j < by_id.cols(); ++j) result(i, columns.of_class[j]) += by_id(i, j);
    }
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
        p.named_probabilities(p.prepared(block, "probabilities", first), columns,
                              result.view().slice(first, block.rows));
    });
    return result;
}

std::vector<BrainAnswer> Brain::predict(MatrixView x, std::size_t top) const {
    const Parts& p = *parts_;
    const Parts::Columns columns = p.columns();
    const bool recent = !memories_of(*p.learner).recent.empty();
    std::vector<BrainAnswer> answers(x.rows);
    Matrix probable;
    std::vector<std::size_t> order;
    for_blocks(x, rows_at_once(), [&](std::size_t first, MatrixView block) {
        const Matrix rows = p.prepared(block, "predict", first);
        const std::vector<Explanation> explained = p.learner->explain(rows);
        probable.resize(block.rows, columns.names.size());
        p.named_probabilities(rows, columns, probable);
        for (std::size_t i = 0; i < block.rows; ++i) {
            BrainAnswer& a = answers[first + i];
            largest({probable.row(i), probable.cols()}, columns.find(p.name_of(explained[i].label)), top,
                    order);
            for (const std::size_t c : order)
                a.classes.push_back({columns.names[c], static_cast<double>(probable(i, c))});
            a.explanation = explained[i];
            if (recent) a.recent_name = p.name_of(explained[i].recent_label);
            a.consolidated_name = p.name_of(explained[i].consolidated_label);
        }
    });
    return answers;
}

std::vector<std::string> Brain::labels(MatrixView x) const {
    const Parts& p = *parts_;
    std::vector<std::string> result;
    if (class_names().size() == p.content.classes.size()) {  // nothing was merged: no sums to compare
        for_blocks(x, rows_at_once(), [&](std::size_t first, MatrixView block) {
            for (const ClassId id : p.learner->predict(p.prepared(block, "labels", first)))
                result.push_back(p.name_of(id));
        });
        return result;
    }
    for (const BrainAnswer& a : predict(x)) result.push_back(a.classes.front().name);
    return result;
}

const std::string& Brain::name_of(ClassId id) const {
    return parts_->name_of(id);
}

std::size_t Brain::width() const {
    return takes_text() ? text_width() : parts_->learner->width();
}
bool Brain::takes_text() const {
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

Matrix Brain::rows_of(const std::vector<std::string>& texts) const {
    if (!takes_text())
        throw Error(
            "Brain::rows_of: this brain learns from rows of numbers; one made with features text:ngrams "
            "takes text");
    return text_rows(texts);
}

BrainInfo Brain::info() const {
    const Parts& p = *parts_;
    const Memories memories = memories_of(*p.learner);
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
    info.learner = p.learner->name();
    info.width = width();
    info.memory = p.learner->memory();
    std::error_code ignored;
    info.file_bytes = std::filesystem::file_size(p.path, ignored);
    info.sessions_since_sleep = p.content.sessions_since_sleep;
    info.sleep_due = p.sleep_due();
    info.history = parts_->file.history();
    describe_history(parts_->content.classes, info.history);
    info.options = p.learner->options();
    for (const auto& [name, value] : options_as_text(p.content.settings)) info.options[name] = value;
    return info;
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
