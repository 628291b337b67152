// What bytes are, told by the first of them.
#include "data/frontends/media/kind.hpp"

#include "support/media_files.hpp"

#include <gtest/gtest.h>

namespace fearnet {
namespace {

MediaFormat format(const std::string& text) {
    return media_format(io::as_bytes(text));
}

TEST(MediaKind, the_first_bytes_that_the_formats_define_are_recognized) {
    EXPECT_EQ(format("\xff\xd8\xff\xe0"), MediaFormat::jpeg);
    EXPECT_EQ(format("\x89PNG\r\n\x1a\n"), MediaFormat::png);
    EXPECT_EQ(format("RIFF....WEBPVP8 "), MediaFormat::webp);
    EXPECT_EQ(format("RIFF....WAVEfmt "), MediaFormat::wav);
    EXPECT_EQ(format("fLaC"), MediaFormat::flac);
    EXPECT_EQ(format("OggS"), MediaFormat::ogg);
    EXPECT_EQ(format("ID3\x04"), MediaFormat::mp3);
}

TEST(MediaKind, an_mp3_without_tag_starts_with_a_frame_of_layer_three) {
    // 11 bits of ones, then version, layer 01 and whether there is a checksum; bit rate 15 and rate 3 are
    // reserved.
    for (const char* frame : {"\xff\xfb\x90\x64", "\xff\xfa\x90\x64", "\xff\xf3\x40\xc4", "\xff\xe3\x40\xc4"})
        EXPECT_EQ(format(frame), MediaFormat::mp3) << frame;
    for (const std::string& other :
         {std::string("\xff\xfd\x90\x64"), std::string("\xff\xff\x90\x64"), std::string("\xff\xf9\x90\x64"),
          std::string("\xff\xeb\x90\x64"), std::string("\xff\xfb\xf0\x64"), std::string("\xff\xfb\x9c\x64"),
          std::string("\xff\xfe") + "h" + std::string(1, '\0'), std::string("\xff\xfb\x90")})
        EXPECT_EQ(format(other), MediaFormat::none);
}

TEST(MediaKind, other_and_incomplete_beginnings_are_neither) {
    for (const std::string& text :
         {std::string(), std::string("\xff\xd8"), std::string("\x89PNG\n\x1a\n"), std::string("RIFF....AVI "),
          std::string("RIFF....WEB"), std::string("fLa"), std::string("GIF89a"), std::string("text")})
        EXPECT_EQ(media_kind(io::as_bytes(text)), MediaKind::neither) << text;
}

TEST(MediaKind, files_of_encoders_are_pictures_or_sounds) {
    const Image image = test::gradient(8, 8);
    for (const io::Bytes& bytes : {test::jpeg_of(image), test::png_of(image), test::webp_of(image)})
        EXPECT_EQ(media_kind(bytes), MediaKind::image);
    const std::vector<float> sound = test::sine(440, 16000, 1600);
    for (const int f : {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_FLAC | SF_FORMAT_PCM_16,
                        SF_FORMAT_OGG | SF_FORMAT_VORBIS, SF_FORMAT_OGG | SF_FORMAT_OPUS,
                        SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III})
        EXPECT_EQ(media_kind(test::encoded_sound(sound, 1, 16000, f)), MediaKind::sound) << std::hex << f;
}

}  // namespace
}  // namespace fearnet
