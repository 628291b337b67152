#include "agreement.hpp"
#include "fearnet/data/load.hpp"
#include "formats.hpp"
#include "reading.hpp"

// The contents decide about the delimiter and about gzip, so one name stands for .csv, .tsv and .gz.
void fearnet::fuzz::csv(io::ByteView bytes) {
    static const Folder folder;
    const std::string file = folder.write("data.csv", bytes);
    read_or_refuse([&] { load_feature_set(file); });
    check_agreement(file);
    check_agreement(file, {.only = Split::test, .width = 2, .labels = false});
}
