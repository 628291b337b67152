#include <algorithm>
#include <stdexcept>

#include "data/frontends/media/wordpiece.hpp"
#include "formats.hpp"
#include "reading.hpp"

// The bytes before the first zero are tokenizer.json, those behind it a text. Without a zero all are the
// text.
void fearnet::fuzz::texts(io::ByteView bytes) {
    static const std::string_view kSmall =
        R"({"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "##b": 4, "ab": 5, ".": 6}}})";
    static const WordPiece small(io::as_bytes(kSmall));
    constexpr std::size_t kMostTokens = 64;
    const auto encode = [&](const WordPiece& words, io::ByteView text) {
        const std::size_t tokens = words.encode(io::as_text(text), kMostTokens).size();
        if (tokens < 2 || tokens > kMostTokens) throw std::logic_error("more tokens than wanted");
    };
    const auto zero = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
    if (zero == bytes.end()) return read_or_refuse([&] { encode(small, bytes); });
    const auto size = static_cast<std::size_t>(zero - bytes.begin());
    read_or_refuse([&] { encode(WordPiece(bytes.first(size)), bytes.subspan(size + 1)); });
}
