#include "data/frontends/media/wordpiece.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/utf8.hpp"
#include "data/frontends/media/unicode.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kLater = "##";
constexpr std::size_t kMostCharacters = 100;  // of a word; longer ones are unknown

[[noreturn]] void refuse(const std::string& why) {
    throw Error("tokenizer.json: " + why + "; expected the tokenizer of an uncased BERT model");
}

// The member of an object; null when there is none.
const Json& member(const Json& object, const std::string& name) {
    static const Json none;
    if (!object.is_object()) return none;
    const auto found = object.find(name);
    return found == object.end() ? none : *found;
}

void expect(const Json& object, const std::string& where, const std::string& name, const Json& value) {
    const Json& found = member(object, name);
    if (found == value) return;
    const std::string text = found.is_primitive() ? found.dump() : found.type_name();
    refuse(where + "." + name + " is " + text.substr(0, 100) + " and not " + value.dump());
}

Json parse(io::ByteView bytes) {
    constexpr std::size_t kMostBytes = 16 << 20;
    if (bytes.size() > kMostBytes)
        refuse(std::to_string(bytes.size()) + " bytes, more than " + std::to_string(kMostBytes));
    Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
    if (json.is_discarded()) refuse(std::to_string(bytes.size()) + " bytes that are not JSON");
    return json;
}

void check_kind(const Json& json) {
    const Json& normalizer = member(json, "normalizer");
    expect(normalizer, "normalizer", "type", "BertNormalizer");
    for (const char* name : {"clean_text", "handle_chinese_chars", "lowercase"})
        expect(normalizer, "normalizer", name, true);
    if (member(normalizer, "strip_accents") != nullptr)
        expect(normalizer, "normalizer", "strip_accents", true);
    expect(member(json, "pre_tokenizer"), "pre_tokenizer", "type", "BertPreTokenizer");
    const Json& model = member(json, "model");
    expect(model, "model", "type", "WordPiece");
    expect(model, "model", "continuing_subword_prefix", kLater);
    expect(model, "model", "max_input_chars_per_word", kMostCharacters);
}

std::int64_t id_of(const Json& vocabulary, const std::string& token) {
    const Json& id = member(vocabulary, token);
    constexpr std::int64_t kMost = 10'000'000;
    if (!id.is_number_integer() || id < 0 || id > kMost)
        refuse("the id of " + token.substr(0, 100) + " is no whole number from 0 to " +
               std::to_string(kMost));
    return id.get<std::int64_t>();
}

// Removes the last character of valid UTF-8.
void drop_last(std::string_view& text) {
    while ((text.back() & 0xc0) == 0x80) text.remove_suffix(1);
    text.remove_suffix(1);
}

// The words of a text, one after the other.
class Words {
  public:
    explicit Words(std::string_view text) : text_(text) {}

    // Puts the next word into `word`; empty for a word of too many characters. False at the end.
    bool next(std::string& word) {
        word.clear();
        std::size_t characters = 0;
        while (!pending_.empty() || fill()) {
            const char32_t c = pending_.front();
            const bool space = c == ' ', alone = unicode::is_punctuation(c);
            if (characters > 0 && (space || alone)) break;
            pending_.erase(0, 1);
            if (space) continue;
            if (++characters <= kMostCharacters) append_utf8(word, c);
            if (alone) break;
        }
        if (characters > kMostCharacters) word.clear();
        return characters > 0;
    }

  private:
    // Normalizes characters until there is something to see. False at the end of the text.
    bool fill() {
        char32_t c = 0;
        while (pending_.empty() && next_code_point(text_, c)) {
            constexpr char32_t kReplacement = 0xfffd;
            const bool line = c == '\t' || c == '\n' || c == '\r';
            if (c == kReplacement || (!line && unicode::is_control(c))) continue;
            if (unicode::is_space(c))
                pending_.assign(1, U' ');
            else if (unicode::is_chinese(c))
                pending_ = U' ' + unicode::fold(c) + U' ';
            else
                pending_ = unicode::fold(c);
        }
        return !pending_.empty();
    }

    std::string_view text_;
    std::u32string pending_;  // normalized, not yet part of a word
};

}  // namespace

WordPiece::WordPiece(io::ByteView tokenizer) {
    const Json json = parse(tokenizer);
    check_kind(json);
    const Json& model = member(json, "model");
    const Json& vocabulary = member(model, "vocab");
    if (!vocabulary.is_object()) refuse("model.vocab is missing");
    for (const auto& [token, unused] : vocabulary.items()) {
        const std::int64_t id = id_of(vocabulary, token);
        longest_ = std::max(longest_, token.size());
        if (token.starts_with(kLater)) later_[token.substr(kLater.size())] = id;
        first_[token] = id;
    }
    cls_ = id_of(vocabulary, "[CLS]");
    sep_ = id_of(vocabulary, "[SEP]");
    const Json& unknown = member(model, "unk_token");
    unknown_ = id_of(vocabulary, unknown.is_string() ? unknown.get<std::string>() : "[UNK]");
}

// Greedily, the longest piece first. A word with a part that has no piece is unknown as a whole.
void WordPiece::add_word(std::string_view word, std::vector<std::int64_t>& out) const {
    const std::size_t before = out.size();
    for (std::string_view rest = word; !rest.empty();) {
        const Pieces& pieces = rest.size() == word.size() ? first_ : later_;
        std::string_view piece = rest;
        auto found = pieces.end();
        for (; !piece.empty(); drop_last(piece)) {
            if (piece.size() > longest_) continue;
            found = pieces.find(piece);
            if (found != pieces.end()) break;
        }
        if (found == pieces.end()) {
            out.resize(before);
            break;
        }
        out.push_back(found->second);
        rest.remove_prefix(piece.size());
    }
    if (out.size() == before) out.push_back(unknown_);
}

std::vector<std::int64_t> WordPiece::encode(std::string_view utf8, std::size_t most_tokens) const {
    if (most_tokens < 2)
        throw Error("WordPiece::encode: at most " + std::to_string(most_tokens) +
                    " tokens; at least 2 are needed, for [CLS] and [SEP]");
    if (!is_utf8(utf8))
        throw Error("WordPiece::encode: " + std::to_string(utf8.size()) +
                    " bytes that are not UTF-8; convert the text");
    std::vector<std::int64_t> out{cls_};
    Words words(utf8);
    for (std::string word; out.size() + 1 < most_tokens && words.next(word);) add_word(word, out);
    out.resize(std::min(out.size(), most_tokens - 1));
    out.push_back(sep_);
    return out;
}

}  // namespace fearnet
