#include "fearnet/data/feature_set.hpp"

#include "data/table/labels.hpp"
#include "data/table/split.hpp"
#include "fearnet/error.hpp"
#include "fearnet/matrix.hpp"

namespace fearnet {
namespace {

std::string counted(std::size_t n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

void check_part(const FeatureSet& set, const Examples& part, const char* which) {
    const std::string where = set.name + ": " + which + " rows: ";
    if (part.x.rows() != part.labels.size())
        throw Error(where + counted(part.x.rows(), "row") + " but " + counted(part.labels.size(), "label"));
    if (part.labels.empty()) throw Error(where + "there are none");
    if (part.x.cols() == 0) throw Error(where + "they have no features");
    for (std::size_t i = 0; i < part.size(); ++i) {
        const std::int64_t id = index_of(part.labels[i]);
        if (id < 0 || id >= static_cast<std::int64_t>(set.classes()))
            throw Error(where + "row " + std::to_string(i) + " has class " + std::to_string(id) +
                        " but there are " + counted(set.classes(), "class name"));
    }
    check_finite_rows(part.x, set.name + ": " + which + " rows");
}

void check_every_class_has(const FeatureSet& set, const Examples& part, const char* which) {
    std::vector<bool> seen(set.classes());
    for (const ClassId id : part.labels) seen[static_cast<std::size_t>(index_of(id))] = true;
    for (std::size_t c = 0; c < seen.size(); ++c)
        if (!seen[c]) throw Error(set.name + ": class '" + set.names[c] + "' has no " + which + " rows");
}

}  // namespace

FeatureSet feature_set_of(Table table, double test_fraction, std::uint64_t split_seed) {
    if (!table.has_labels())
        throw Error(table.name + ": no labels in it" +
                    (table.label_source.empty() ? "" : "; they are expected in " + table.label_source));
    MappedLabels labels = map_labels(std::move(table.labels), table.class_names, table.name);
    if (table.is_test.empty())
        table.is_test = hold_out(labels.ids, labels.names, test_fraction, split_seed, table.name);
    FeatureSet set;
    set.name = std::move(table.name);
    set.inputs_are_files = table.embedder && table.embedder->kind() != InputKind::text;
    for (std::size_t i = 0; i < table.inputs.size(); ++i)
        if (table.is_test[i]) set.test_inputs.push_back(std::move(table.inputs[i]));
    split_rows(std::move(table.x), labels.ids, table.is_test, set);
    set.names = std::move(labels.names);
    set.label_source = std::move(table.label_source);
    set.warnings = std::move(table.warnings);
    return set;
}

void check_feature_set(const FeatureSet& set) {
    if (set.train.x.cols() != set.test.x.cols())
        throw Error(set.name + ": training rows have " + counted(set.train.x.cols(), "feature") +
                    " but test rows have " + std::to_string(set.test.x.cols()));
    check_part(set, set.train, "training");
    check_part(set, set.test, "test");
    if (set.classes() < 2)
        throw Error(set.name + ": " + counted(set.classes(), "class") +
                    "; at least 2 are needed to learn from");
    check_every_class_has(set, set.train, "training");
    check_every_class_has(set, set.test, "test");
}

}  // namespace fearnet
