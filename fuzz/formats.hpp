// Every format whose reader is fuzzed. A new one is a file NAME.cpp with its function, a line in the table
// below, NAME in CMakeLists.txt, and seeds.
#pragma once

#include "data/io/files.hpp"

namespace fearnet::fuzz {

// Each gives `bytes` to the public reader as a file of its format and comes back whether or not the reader
// takes them. fearnet::Error is caught; anything else leaves, which is a finding. Rows are read at once and
// in blocks, with the same result. A state is also written, read again, and made a learner that answers; a
// brain is checked, asked and changed. Pictures, sounds, texts and models go to the functions that come
// before the network. The last three are what clients send to `fearnet serve`: bodies, and whole requests
// that are refused or answered once.
void npz(io::ByteView bytes);
void npy(io::ByteView bytes);
void csv(io::ByteView bytes);
void idx(io::ByteView bytes);
void state(io::ByteView bytes);
void brain(io::ByteView bytes);
void images(io::ByteView bytes);
void sounds(io::ByteView bytes);
void texts(io::ByteView bytes);
void models(io::ByteView bytes);
void multipart(io::ByteView bytes);
void json_body(io::ByteView bytes);
void request(io::ByteView bytes);

struct Format {
    const char* name;  // also of its folder in fuzz/corpus
    void (*read)(io::ByteView bytes);
};
inline constexpr Format kFormats[] = {
    {"npz", npz},
    {"npy", npy},
    {"csv", csv},
    {"idx", idx},
    {"state", state},
    {"brain", brain},
    {"images", images},
    {"sounds", sounds},
    {"texts", texts},
    {"models", models},
    {"multipart", multipart},
    {"json_body", json_body},
    {"request", request},
};

}  // namespace fearnet::fuzz
