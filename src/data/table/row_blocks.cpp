#include "fearnet/data/row_blocks.hpp"

#include "data/table/labels.hpp"
#include "data/table/row_source.hpp"

namespace fearnet {

struct RowBlocks::Reading {
    std::string what;
    std::unique_ptr<RowSource> source;
    std::optional<Split> only = {};
    // Of all rows read so far, also those of the other split: text is numbers only if all of it is.
    Table seen = {};
    std::size_t given = 0;
};

RowBlocks::RowBlocks(const std::string& file, const TableOptions& options) {
    const std::string what = file == "-" ? "standard input" : file;
    reading_ = with_errors_about(what, [&] {
        return std::make_unique<Reading>(Reading{what, open_rows(file, options, false), options.only});
    });
    reading_->seen.name = what;
}

RowBlocks::RowBlocks(Table table) {
    const std::string what = table.name;
    reading_ = std::make_unique<Reading>(Reading{what, std::make_unique<WholeTable>(std::move(table))});
    reading_->seen.name = what;
}

RowBlocks::RowBlocks(RowBlocks&& other) noexcept = default;
RowBlocks::~RowBlocks() = default;

Matrix RowBlocks::next(std::size_t most) {
    Reading& r = *reading_;
    return with_errors_about(r.what, [&] {
        for (;;) {
            Table block = r.source->next(most);
            const bool end = block.x.rows() == 0;
            if (end && r.seen.has_labels()) r.source->check_labels(r.seen.labels);
            if (end && r.given == 0)
                throw Error(r.what + ": the selected split has 0 rows; at least one is needed");
            append(r.seen.labels, std::move(block.labels), r.what);
            r.seen.is_test.insert(r.seen.is_test.end(), block.is_test.begin(), block.is_test.end());
            append_inputs(r.seen, block);
            if (!block.class_names.empty()) r.seen.class_names = std::move(block.class_names);
            if (r.only && !block.is_test.empty()) keep_split(block.x, block.is_test, *r.only);
            if (!end && block.x.rows() == 0) continue;
            if (!end && block.x.cols() == 0) throw Error(r.what + ": rows have no features");
            check_finite_rows(block.x, r.what, r.given);
            r.given += block.x.rows();
            return std::move(block.x);
        }
    });
}

std::vector<std::string> RowBlocks::labels() const {
    const Reading& r = *reading_;
    if (!r.seen.has_labels()) return {};
    Table all = r.seen;
    r.source->settle_labels(all.labels);
    std::vector<std::string> names = label_names(all);
    if (!r.only || r.seen.is_test.empty()) return names;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (r.seen.is_test[i] == (*r.only == Split::test)) std::swap(names[kept++], names[i]);
    names.resize(kept);
    return names;
}

const std::vector<std::string>& RowBlocks::inputs() const {
    return reading_->seen.inputs;
}
const std::vector<SkippedInput>& RowBlocks::skipped() const {
    return reading_->seen.skipped;
}
const std::shared_ptr<const Embedder>& RowBlocks::embedder() const {
    return reading_->seen.embedder;
}

std::size_t RowBlocks::total() const {
    return reading_->source->total();
}

}  // namespace fearnet
