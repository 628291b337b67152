#include "data_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "everyday/brain_arguments.hpp"
#include "fearnet/error.hpp"

namespace fearnet::cli {

void add_data_options(Command& command, DataArguments& a) {
    command
        .option("--label-column", a.label_column,
                "Label column of a CSV file: name, or number counted from 1")
        .value_name("NAME|N");
    command.option("--drop", a.drop, "Columns of a CSV file to ignore: names, or numbers counted from 1")
        .value_name("NAME,..")
        .repeatable();
    command
        .option("--max-bytes", a.max_bytes,
                "Refuse files and arrays larger than this; default: half of the machine's memory")
        .value_name("BYTES");
}

void add_features_option(Command& command, DataArguments& a) {
    command
        .option("--features", a.features,
                "Model for photographs, sounds and texts ('fearnet models'); default: that of their kind")
        .value_name("MODEL");
}

Progress embedding_progress(ProgressDisplay& display) {
    return [&display](const ProgressEvent& event) {
        display.update(static_cast<double>(event.done) / static_cast<double>(event.total),
                       std::string(event.phase));
        if (event.done == event.total) display.clear();
        return true;
    };
}

TableOptions table_options(const DataArguments& a) {
    TableOptions options;
    if (!a.features.empty()) options.embedder = std::make_shared<Embedder>(a.features);
    options.label_column = a.label_column;
    for (const std::string& columns : a.drop)
        for (std::size_t start = 0; start <= columns.size();) {
            const std::size_t end = std::min(columns.find(',', start), columns.size());
            if (end == start) throw Error(fmt::format("--drop '{}': a column name is empty", columns));
            options.drop.push_back(columns.substr(start, end - start));
            start = end + 1;
        }
    if (!a.max_bytes.empty())
        options.max_bytes = static_cast<std::uint64_t>(parse_bytes("--max-bytes", a.max_bytes));
    return options;
}

void print_warnings(const std::string& data, const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings)
        fmt::print(stderr, "warning: {}: {}\n", printable(data), printable(warning));
}

}  // namespace fearnet::cli
