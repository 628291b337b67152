#include "agreement.hpp"
#include "fearnet/data/load.hpp"
#include "formats.hpp"
#include "reading.hpp"

void fearnet::fuzz::npz(io::ByteView bytes) {
    static const Folder folder;
    const std::string file = folder.write("data.npz", bytes);
    read_or_refuse([&] { load_feature_set(file); });
    check_agreement(file, {.only = Split::train});
}
