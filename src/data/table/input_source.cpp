// Photographs, sounds and texts: a file, a folder or a list of them, embedded block by block.
#include <algorithm>

#include "data/table/input_list.hpp"
#include "data/table/row_source.hpp"
#include "fearnet/brain.hpp"

namespace fearnet {
namespace {

template <class Value>
void keep(std::vector<Value>& values, const std::vector<bool>& is_test, bool test) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (is_test[i] == test) std::swap(values[kept++], values[i]);
    values.resize(kept);
}

void keep_inputs(InputList& list, Split split) {
    const bool test = split == Split::test;
    keep(list.inputs, list.is_test, test);
    if (!list.labels.empty()) keep(list.labels, list.is_test, test);
    list.is_test.assign(list.inputs.size(), test);
}

void check_holds_inputs(const InputList& list, const std::string& what) {
    if (!list.inputs.empty()) return;
    std::string first;
    if (!list.skipped.empty())
        first = "; the first of " + std::to_string(list.skipped.size()) +
                " that are skipped: " + list.skipped.front().name + ": " + list.skipped.front().reason;
    throw Error(what + ": holds no photograph, sound or text" + first);
}

InputKind known_kind(const InputList& list, const std::string& what) {
    if (const std::optional<InputKind> kind = kind_of(list.inputs)) return *kind;
    throw Error(what + ": holds no photograph, sound or text that can be read; the first of " +
                std::to_string(list.inputs.size()) + " files is " + list.inputs.front().name);
}

class InputSource : public RowSource {
  public:
    InputSource(const std::string& what, InputList list, const TableOptions& options)
        : what_(what), list_(std::move(list)), embedder_(options.embedder), progress_(options.progress) {
        check_holds_inputs(list_, what_);
        if (options.only && !list_.is_test.empty()) keep_inputs(list_, *options.only);
        if (embedder_ || list_.inputs.empty()) return;
        const InputKind kind = known_kind(list_, what_);
        if (kind != InputKind::text) embedder_ = std::make_shared<Embedder>(kind_name(kind));
    }

    Table next(std::size_t most) override {
        Table block;
        block.skipped = std::exchange(list_.skipped, {});
        while (done_ < list_.inputs.size() && block.x.rows() == 0) {
            const std::size_t count = std::min(most, list_.inputs.size() - done_);
            add(std::span(list_.inputs).subspan(done_, count), block);
            done_ += count;
        }
        rows_ += block.x.rows();
        if (rows_ == 0 && !list_.inputs.empty()) throw none_can_be_used(block.skipped.front());
        return block;
    }
    std::size_t total() const override { return list_.inputs.size(); }
    void settle_labels(RawLabels&) const override {}  // the names of folders are names

  private:
    void add(std::span<const EmbedderInput> inputs, Table& block) {
        EmbeddedInputs made = embedder_ ? embedder_->embed(inputs, progress()) : hashed(inputs);
        block.x = std::move(made.rows);
        block.embedder = embedder_;
        for (SkippedInput& skipped : made.skipped) block.skipped.push_back(std::move(skipped));
        std::vector<std::string> labels;
        for (const std::size_t i : made.of_input) {
            block.inputs.push_back(inputs[i].name);
            if (!list_.labels.empty()) labels.push_back(list_.labels[done_ + i]);
            if (!list_.is_test.empty()) block.is_test.push_back(list_.is_test[done_ + i]);
        }
        block.labels = std::move(labels);
        block.label_source = list_.label_source;
    }
    // Texts as hashed n-grams.
    static EmbeddedInputs hashed(std::span<const EmbedderInput> inputs) {
        EmbeddedInputs made;
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < inputs.size(); ++i) try {
                texts.push_back(read_text(inputs[i]));
                made.of_input.push_back(i);
            } catch (const Error& error) {
                made.skipped.push_back({inputs[i].name, error.what()});
            }
        made.rows = text_rows(texts);
        return made;
    }
    // Counts all inputs, not only those of a block.
    Progress progress() const {
        if (!progress_) return {};
        return [this](ProgressEvent event) {
            event.done += done_;
            event.total = list_.inputs.size();
            return progress_(event);
        };
    }
    Error none_can_be_used(const SkippedInput& first) const {
        if (list_.inputs.size() == 1) return Error(first.name + ": " + first.reason);
        return Error(what_ + ": none of its " + std::to_string(list_.inputs.size()) +
                     " inputs can be used; the first: " + first.name + ": " + first.reason);
    }

    std::string what_;
    InputList list_;
    std::shared_ptr<const Embedder> embedder_;  // none: texts, as hashed n-grams
    Progress progress_;
    std::size_t done_ = 0, rows_ = 0;
};

// Not a folder, a list, or a file of rows.
bool is_one_file(const std::string& path) {
    std::error_code none;
    return !std::filesystem::is_directory(path, none) && !is_list_or_rows(path);
}

InputList list_of(const std::string& path, bool labels, std::uint64_t limit) {
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) return list_folder(path, labels);
    if (is_input_list(path)) return read_input_list(path, labels, limit);
    InputList list;
    list.inputs.push_back({path, {}});
    return list;
}

}  // namespace

std::unique_ptr<RowSource> open_inputs(const std::string& path, const TableOptions& options,
                                       std::uint64_t limit) {
    InputList list = list_of(path, options.labels, limit);
    for (const std::string& file : options.more_files) {
        if (!is_one_file(path) || !is_one_file(file))
            throw Error((is_one_file(path) ? file : path) +
                        ": only several files can be read at once, each a photograph, a sound or a text; "
                        "folders, lists "
                        "and rows are read alone");
        list.inputs.push_back({file, {}});
    }
    return std::make_unique<InputSource>(path, std::move(list), options);
}

void append_inputs(Table& table, Table& more) {
    if (more.embedder) table.embedder = std::move(more.embedder);
    table.inputs.insert(table.inputs.end(), std::make_move_iterator(more.inputs.begin()),
                        std::make_move_iterator(more.inputs.end()));
    table.skipped.insert(table.skipped.end(), std::make_move_iterator(more.skipped.begin()),
                         std::make_move_iterator(more.skipped.end()));
}

std::optional<InputKind> input_kind(const std::string& file) {
    if (file == "-") return std::nullopt;
    if (is_text_file(file)) return InputKind::text;
    if (!is_inputs(file)) return std::nullopt;
    return with_errors_about(file, [&] {
        const InputList list = list_of(file, false, io::kNoLimit);
        check_holds_inputs(list, file);
        return std::optional(known_kind(list, file));
    });
}

bool inputs_have_labels(const std::string& file) {
    if (file == "-" || is_text_file(file) || !is_inputs(file)) return true;
    return with_errors_about(file, [&] { return !list_of(file, true, io::kNoLimit).labels.empty(); });
}

}  // namespace fearnet
