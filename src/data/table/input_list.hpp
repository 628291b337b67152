// Which photographs, sounds and texts a path stands for, with their labels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fearnet/data/embedder.hpp"

namespace fearnet {

struct InputList {
    std::vector<EmbedderInput> inputs;
    std::vector<std::string> labels;    // one per input; empty for unlabeled inputs
    std::vector<bool> is_test;          // one per input; empty if there is no split
    std::string label_source;           // "the folders"
    std::vector<SkippedInput> skipped;  // entries of a folder that are not read, with the reason
};

// The files of a folder, ascending by path. With `labels`, the name of a folder inside it is the label of all
// files below that folder, and files outside of such folders are skipped; without such folders the files are
// unlabeled. If the folder holds the folders train and test, each of them is read in this way.
//
// Hidden files are passed over. Links are read only if they lead to a regular file inside the folder.
InputList list_folder(const std::filesystem::path& folder, bool labels);

// True for a list of inputs: a .jsonl file, and a CSV or TSV file whose header names a column "path" or
// "text".
bool is_input_list(const std::string& path);

// The inputs of such a file, in its order. Each has a path, relative to the folder of the file, or a text,
// and a label if the file has a column or key "label"; so does "split", which is train or test. Throws Error
// naming file and line.
InputList read_input_list(const std::string& path, bool labels, std::uint64_t max_bytes);

}  // namespace fearnet
