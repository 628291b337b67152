// libFuzzer's way in, for the format that FEARNET_FUZZ_FORMAT names.
#include "formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fearnet::fuzz::FEARNET_FUZZ_FORMAT({data, size});
    return 0;
}
