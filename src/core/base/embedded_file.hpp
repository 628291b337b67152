// Files of the repository inside the library; cmake/embed_files.cmake writes the sources that hold them.
#pragma once

namespace fearnet {

struct EmbeddedFile {
    const char* name;  // without ".json"
    const char* text;
};

}  // namespace fearnet
