#include "fearnet/brain.hpp"

#include "formats.hpp"
#include "reading.hpp"

namespace fearnet::fuzz {

void brain(io::ByteView bytes) {
    static const Folder folder;
    const std::string file = folder.write("data", bytes);
    read_or_refuse([&] { check_brain(file); });
    read_or_refuse([&] {
        Brain brain(file, BrainAccess::write, std::chrono::milliseconds(0));
        brain.info();
        if (brain.width() > 0) brain.predict(MatrixView(Matrix(2, brain.width())));
        // Changing a brain that could be opened works or is refused, like everything else.
        if (!brain.class_names().empty()) brain.rename(brain.class_names().front(), "renamed");
    });
    std::error_code ignored;
    std::filesystem::remove(file + "-journal", ignored);
}

}  // namespace fearnet::fuzz
