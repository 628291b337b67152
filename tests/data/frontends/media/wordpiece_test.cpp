// The tokenizer of BERT, with a vocabulary of a few pieces.
#include "data/frontends/media/wordpiece.hpp"

#include <nlohmann/json.hpp>

#include "data/frontends/media/unicode.hpp"
#include "support/data_files.hpp"

namespace fearnet {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<std::int64_t>;
using test::expect_error;

enum : std::int64_t { kUnknown = 10, kCls, kSep, kUn, kAff, kAble, kA, kDot, kHan, kSepWord, kBracket };

Json tokenizer() {
    return {{"normalizer",
             {{"type", "BertNormalizer"},
              {"clean_text", true},
              {"handle_chinese_chars", true},
              {"strip_accents", nullptr},
              {"lowercase", true}}},
            {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
            {"model",
             {{"type", "WordPiece"},
              {"unk_token", "[UNK]"},
              {"continuing_subword_prefix", "##"},
              {"max_input_chars_per_word", 100},
              {"vocab",
               {{"[UNK]", kUnknown},
                {"[CLS]", kCls},
                {"[SEP]", kSep},
                {"un", kUn},
                {"##aff", kAff},
                {"##able", kAble},
                {"a", kA},
                {".", kDot},
                {"\u4e2d", kHan},
                {"sep", kSepWord},
                {"[", kBracket}}}}}};
}
WordPiece made(const Json& json) {
    const std::string text = json.dump();
    return WordPiece(io::as_bytes(text));
}
// The ids between [CLS] and [SEP].
Ids ids(std::string_view text) {
    static const WordPiece words = made(tokenizer());
    const Ids all = words.encode(text, 1000);
    EXPECT_EQ(all.front(), kCls);
    EXPECT_EQ(all.back(), kSep);
    return {all.begin() + 1, all.end() - 1};
}

TEST(WordPieceTest, words_are_cut_into_the_longest_pieces) {
    EXPECT_EQ(ids("unaffable"), (Ids{kUn, kAff, kAble}));
    EXPECT_EQ(ids("un"), (Ids{kUn}));
    EXPECT_EQ(ids("a un  a"), (Ids{kA, kUn, kA}));
    EXPECT_EQ(ids(""), Ids{});
    EXPECT_EQ(ids(" \t\r\n"), Ids{});
}

TEST(WordPieceTest, a_word_with_a_part_that_has_no_piece_is_unknown_as_a_whole) {
    EXPECT_EQ(ids("unaffx"), (Ids{kUnknown}));
    EXPECT_EQ(ids("aff a"), (Ids{kUnknown, kA})) << "a piece from inside a word does not start one";
    EXPECT_EQ(ids(std::string(100, 'a')), (Ids{kUnknown}));
    EXPECT_EQ(ids(std::string(101, 'a') + " a"), (Ids{kUnknown, kA}));
}

TEST(WordPieceTest, case_accents_and_controls_are_dropped_and_punctuation_stands_alone) {
    EXPECT_EQ(ids("UNAFFABLE"), (Ids{kUn, kAff, kAble}));
    EXPECT_EQ(ids("\u00c0"), (Ids{kA})) << "A with grave accent";
    EXPECT_EQ(ids("a\u0301"), (Ids{kA})) << "a with a combining accent";
    EXPECT_EQ(ids("u\u200bn\u00ad"), (Ids{kUn})) << "characters without width";
    EXPECT_EQ(ids(std::string("u\0n", 3)), (Ids{kUn}));
    EXPECT_EQ(ids("u\ufffdn"), (Ids{kUn}));
    EXPECT_EQ(ids("un.a..a"), (Ids{kUn, kDot, kA, kDot, kDot, kA}));
    EXPECT_EQ(ids("a\u00a0un\u3000a"), (Ids{kA, kUn, kA})) << "spaces of other kinds";
    EXPECT_EQ(ids("a\u4e2da"), (Ids{kA, kHan, kA})) << "an ideograph is a word";
}

TEST(WordPieceTest, special_tokens_in_a_text_are_text) {
    EXPECT_EQ(ids("[SEP]"), (Ids{kBracket, kSepWord, kUnknown}));
}

TEST(WordPieceTest, of_a_long_text_the_first_pieces_remain) {
    const WordPiece words = made(tokenizer());
    EXPECT_EQ(words.encode("unaffable a", 5), (Ids{kCls, kUn, kAff, kAble, kSep}));
    EXPECT_EQ(words.encode("unaffable a", 4), (Ids{kCls, kUn, kAff, kSep}));
    EXPECT_EQ(words.encode("unaffable", 2), (Ids{kCls, kSep}));
    expect_error([&] { words.encode("a", 1); }, {"at most 1 tokens", "at least 2"});
    std::string endless;
    for (int i = 0; i < 100'000; ++i) endless += "a ";
    EXPECT_EQ(words.encode(endless, 64).size(), 64u);
}

TEST(WordPieceTest, bytes_that_are_not_utf8_are_refused) {
    for (const std::string& text : {std::string("\xff"), std::string("a\xc3"), std::string("\xc0\x80"),
                                    std::string("\xed\xa0\x80"), std::string("\xf5\x80\x80\x80")})
        expect_error([&] { ids(text); }, {"not UTF-8"});
}

TEST(WordPieceTest, a_tokenizer_of_another_kind_is_refused_by_key) {
    const std::vector<std::pair<const char*, Json>> changes{{"/normalizer/type", "NFC"},
                                                            {"/normalizer/lowercase", false},
                                                            {"/normalizer/clean_text", false},
                                                            {"/normalizer/handle_chinese_chars", false},
                                                            {"/normalizer/strip_accents", false},
                                                            {"/pre_tokenizer/type", "Whitespace"},
                                                            {"/model/type", "BPE"},
                                                            {"/model/continuing_subword_prefix", "@@"},
                                                            {"/model/max_input_chars_per_word", 200},
                                                            {"/model", nullptr},
                                                            {"/normalizer", Json::array()}};
    for (const auto& [path, value] : changes) {
        Json json = tokenizer();
        json[Json::json_pointer(path)] = value;
        expect_error([&] { made(json); }, {"tokenizer.json: ", "uncased BERT"});
    }
}

TEST(WordPieceTest, a_vocabulary_that_is_damaged_is_refused) {
    for (const Json& id : {Json(-1), Json(10'000'001), Json(1.5), Json("1"), Json(nullptr)}) {
        Json json = tokenizer();
        json["model"]["vocab"]["un"] = id;
        expect_error([&] { made(json); }, {"the id of un"});
    }
    for (const char* token : {"[CLS]", "[SEP]", "[UNK]"}) {
        Json json = tokenizer();
        json["model"]["vocab"].erase(token);
        expect_error([&] { made(json); }, {token});
    }
    Json json = tokenizer();
    json["model"]["vocab"] = Json::array({"a"});
    expect_error([&] { made(json); }, {"vocab"});
    const std::string text = tokenizer().dump();
    test::read_damaged(
        {text.begin(), text.end()}, [](const io::Bytes& bytes) { WordPiece(bytes).encode("unaffable.", 9); },
        3);
    expect_error([] { const WordPiece words(io::Bytes((16 << 20) + 1, ' ')); }, {"16777217 bytes"});
}

// Beside reference/compare_wordpiece.py, which compares every character with Python's tables.
TEST(Unicode, characters_have_the_classes_of_the_standard) {
    for (const char32_t c : {U' ', U'\n', U'\u0085', U'\u00a0', U'\u2028', U'\u3000'})
        EXPECT_TRUE(unicode::is_space(c));
    for (const char32_t c : {U'a', U'\u200b', U'\u180e'}) EXPECT_FALSE(unicode::is_space(c));
    for (const char32_t c :
         {U'\0', U'\u001b', U'\u007f', U'\u00ad', U'\u200b', U'\u202e', U'\ue000', U'\U0010fffd'})
        EXPECT_TRUE(unicode::is_control(c)) << static_cast<std::uint32_t>(c);
    for (const char32_t c : {U'a', U' ', U'\u4e2d', U'\U0010ffff'}) EXPECT_FALSE(unicode::is_control(c));
    for (const char32_t c : {U'.', U'$', U'`', U'~', U'\u00bf', U'\u3001', U'\u2014'})
        EXPECT_TRUE(unicode::is_punctuation(c));
    for (const char32_t c : {U'a', U'0', U' ', U'\u20ac', U'\u00b1'})
        EXPECT_FALSE(unicode::is_punctuation(c));
    for (const char32_t c : {U'\u4e00', U'\u9fff', U'\u3400', U'\U00020000', U'\uf900'})
        EXPECT_TRUE(unicode::is_chinese(c));
    for (const char32_t c : {U'\u3042', U'\uac00', U'\u4dff', U'a'}) EXPECT_FALSE(unicode::is_chinese(c));
}

TEST(Unicode, folding_takes_case_and_marks_but_leaves_letters) {
    using namespace std::string_literals;
    EXPECT_EQ(unicode::fold(U'Z'), U"z"s);
    EXPECT_EQ(unicode::fold(U'\u00c9'), U"e"s);
    EXPECT_EQ(unicode::fold(U'\u1ea4'), U"a"s) << "A with circumflex and acute";
    EXPECT_EQ(unicode::fold(U'\u00df'), U"\u00df"s) << "sharp s has no decomposition";
    EXPECT_EQ(unicode::fold(U'\ufb01'), U"\ufb01"s) << "a ligature decomposes only by compatibility";
    EXPECT_EQ(unicode::fold(U'\u0301'), U""s) << "a mark alone";
    EXPECT_EQ(unicode::fold(U'\u0416'), U"\u0436"s);
    EXPECT_EQ(unicode::fold(U'\u03a3'), U"\u03c3"s);
    EXPECT_EQ(unicode::fold(U'\uac00'), U"\u1100\u1161"s) << "a syllable of two parts";
    EXPECT_EQ(unicode::fold(U'\uac01'), U"\u1100\u1161\u11a8"s) << "and of three";
    EXPECT_EQ(unicode::fold(U'\ud7a3'), U"\u1112\u1175\u11c2"s) << "the last syllable";
}

}  // namespace
}  // namespace fearnet
