// From text to the token ids of a BERT model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/byte_view.hpp"

namespace fearnet {

// The uncased WordPiece tokenizer of BERT, as Hugging Face's tokenizers do it: control characters are
// dropped, letters lose case and accents, Chinese characters and punctuation are words of their own, and each
// word is cut into the longest pieces that the vocabulary has. "[SEP]" in a text is text and not a special
// token.
class WordPiece {
  public:
    // `tokenizer` is a file tokenizer.json. Throws Error if it is none, or describes another tokenizer.
    explicit WordPiece(io::ByteView tokenizer);

    // The ids of [CLS], the pieces and [SEP]. Of a text with more than `most_tokens` the first pieces remain.
    // Throws Error when `utf8` is not UTF-8 or `most_tokens` is less than 2.
    std::vector<std::int64_t> encode(std::string_view utf8, std::size_t most_tokens) const;

  private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    using Pieces = std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>>;

    void add_word(std::string_view word, std::vector<std::int64_t>& out) const;

    Pieces first_, later_;  // at the start of a word, and after it, without "##"
    std::size_t longest_ = 0;
    std::int64_t cls_ = 0, sep_ = 0, unknown_ = 0;
};

}  // namespace fearnet
