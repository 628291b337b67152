// The files of experiments/ inside the program; cmake/embed_experiments.cmake writes the source.
#pragma once

#include <vector>

namespace fearnet::lab {

struct EmbeddedFile {
    const char* name;
    const char* text;
};
const std::vector<EmbeddedFile>& embedded_experiments();

}  // namespace fearnet::lab
