#include <cstdio>
#include <cstring>

#include "fearnet/data/feature_set.hpp"

namespace fearnet {
namespace {

// Not cryptographic: detects accidental differences between data sets.
class Hash {
  public:
    void add(std::uint64_t word) {
        state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
        state_ ^= state_ >> 29;
    }
    void add(const void* data, std::size_t bytes) {
        add(bytes);
        const char* at = static_cast<const char*>(data);
        for (; bytes > 0;) {
            std::uint64_t word = 0;
            const std::size_t n = bytes < sizeof word ? bytes : sizeof word;
            std::memcpy(&word, at, n);
            add(word);
            at += n, bytes -= n;
        }
    }
    void add(const Examples& e) {
        add(e.x.cols());
        add(e.x.data(), e.x.bytes());
        add(e.labels.data(), e.labels.size() * sizeof(ClassId));
    }
    std::string text() const {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
        return digits;
    }

  private:
    std::uint64_t state_ = 0x66656172;  // "fear"
};

}  // namespace

std::string fingerprint(const FeatureSet& set) {
    Hash hash;
    hash.add(set.train);
    hash.add(set.test);
    for (const std::string& name : set.names) hash.add(name.data(), name.size());
    return hash.text();
}

}  // namespace fearnet
