// Pictures and sounds that are truncated, damaged, mislabeled or too large: an Error, and bounded memory.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "data/frontends/media/crop.hpp"
#include "data/frontends/media/kind.hpp"
#include "data/frontends/media/sound.hpp"
#include "support/data_files.hpp"
#include "support/media_files.hpp"

namespace fearnet {
namespace {

using test::expect_error;

struct Sample {
    std::string name;
    io::Bytes bytes;
};

std::vector<Sample> pictures() {
    const Image image = test::gradient(9, 7);
    const std::vector<std::uint8_t> four(9 * 7 * 4, 90);
    return {{"jpeg", test::jpeg_of(image)},
            {"progressive", test::jpeg_of(image.rgb, 9, 7, TJPF_RGB, TJSAMP_420, TJFLAG_PROGRESSIVE)},
            {"png", test::png_of(image, {}, test::png_chunk("eXIf", test::exif_block(6)))},
            {"webp", test::webp_of(image)},
            {"webp_lossy", test::webp_of(image.rgb, 9, 7, false, false)},
            {"webp_alpha", test::webp_of(four, 9, 7, true, true)},
            {"webp_exif", test::webp_with_exif(test::webp_of(image), 9, 7, test::exif_block(6))}};
}

std::vector<Sample> sounds() {
    const std::vector<float> sound = test::sine(440, 8000, 1000);
    const auto as = [&](int format) { return test::encoded_sound(sound, 1, 8000, format); };
    return {{"wav", as(SF_FORMAT_WAV | SF_FORMAT_PCM_16)},
            {"flac", as(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)},
            {"mp3", test::encoded_sound(sound, 1, 16000, SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III)},
            {"ogg", as(SF_FORMAT_OGG | SF_FORMAT_VORBIS)}};
}

void decode_picture(const io::Bytes& bytes) {
    const Image image = decode_image(bytes, {.max_pixels = 100'000});
    EXPECT_EQ(image.rgb.size(), 3 * image.width * image.height);
}
void decode_short_sound(const io::Bytes& bytes) {
    EXPECT_FALSE(decode_sound(bytes, 8000, {.max_seconds = 10}).empty());
}

class HostilePicture : public testing::TestWithParam<Sample> {};
class HostileSound : public testing::TestWithParam<Sample> {};

// The last two bytes of a JPEG are a mark that holds no pixels, and the last chunk of a PNG holds nothing;
// all the same a file without its end is not whole.
TEST_P(HostilePicture, cut_anywhere_is_an_error_and_flipped_bits_end_in_a_picture_or_an_error) {
    EXPECT_EQ(test::read_damaged(GetParam().bytes, decode_picture), 0u);
}

TEST_P(HostileSound, cut_or_flipped_ends_in_a_sound_or_an_error) {
    testing::internal::CaptureStderr();
    const std::size_t read = test::read_damaged(GetParam().bytes, decode_short_sound, 5);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "a library prints nothing";
    // MP3 and OGG are streams; of a FLAC the last frame must be there, and its last two bytes are a checksum.
    const bool whole_only = GetParam().name == "wav" || GetParam().name == "flac";
    EXPECT_TRUE(read == 0 || !whole_only) << read;
}

TEST_P(HostilePicture, is_no_sound) {
    EXPECT_EQ(media_kind(GetParam().bytes), MediaKind::image);
    expect_error([&] { decode_short_sound(GetParam().bytes); }, {"WAV, FLAC, OGG or MP3"});
}
TEST_P(HostileSound, is_no_picture) {
    EXPECT_EQ(media_kind(GetParam().bytes), MediaKind::sound);
    expect_error([&] { decode_picture(GetParam().bytes); }, {"JPEG, PNG or WebP"});
}

// The first bytes of one format before the rest of another.
TEST(HostileMedia, a_file_with_the_first_bytes_of_another_format_is_an_error) {
    for (const Sample& front : pictures())
        for (const Sample& back : pictures()) {
            if (front.name.substr(0, 4) == back.name.substr(0, 4)) continue;
            if (front.name.starts_with("prog") || back.name.starts_with("prog")) continue;
            io::Bytes bytes(front.bytes.begin(), front.bytes.begin() + 12);
            bytes.insert(bytes.end(), back.bytes.begin(), back.bytes.end());
            expect_error([&] { decode_picture(bytes); }, {"cannot be read"});
        }
}

TEST(HostileMedia, bytes_of_no_format_and_no_bytes_are_errors) {
    for (const std::string& text :
         {std::string(), std::string("x"), std::string("GIF89a"), std::string("BM"), std::string("\xff\xd8"),
          std::string("RIFF\0\0\0\0AVI ", 12), std::string("<svg>"), std::string(100, '\0')}) {
        expect_error([&] { decode_image(io::as_bytes(text)); }, {"JPEG, PNG or WebP", "bytes"});
        expect_error([&] { decode_sound(io::as_bytes(text), 16000); }, {"WAV, FLAC, OGG or MP3", "bytes"});
    }
    for (const std::string& start :
         {std::string("\xff\xd8\xff"), std::string("\x89PNG\r\n\x1a\n"), std::string("RIFF\4\0\0\0WEBP", 12)})
        expect_error([&] { decode_image(io::as_bytes(start)); }, {"cannot be read"});
    for (const std::string& start :
         {std::string("RIFF\4\0\0\0WAVE", 12), std::string("fLaC"), std::string("OggS"), std::string("ID3"),
          std::string("\xff\xfb\x90\x64")})
        EXPECT_THROW(decode_sound(io::as_bytes(start), 16000), Error) << start;
}

// Sets the width and height in the header of a file.
void announce(io::Bytes& jpeg_or_png, std::size_t at, std::uint32_t width, std::uint32_t height, int bytes) {
    const std::string size = test::big(height, bytes) + test::big(width, bytes);
    const std::string swapped = test::big(width, bytes) + test::big(height, bytes);
    const std::string& text = bytes == 2 ? size : swapped;  // JPEG has the height first
    std::copy(text.begin(), text.end(), jpeg_or_png.begin() + static_cast<std::ptrdiff_t>(at));
}

io::Bytes huge_jpeg() {
    io::Bytes bytes = test::jpeg_of(test::gradient(16, 16));
    std::size_t at = 0;
    while (bytes[at] != 0xff || bytes[at + 1] != 0xc0) ++at;  // the frame header
    announce(bytes, at + 5, 60'000, 60'000, 2);
    return bytes;
}
io::Bytes huge_png() {
    test::Png png{.width = 60'000, .height = 60'000};
    png.lines = std::string(1000, '\0');
    return png.bytes();
}
io::Bytes huge_webp() {
    // The header of a lossless picture: 14 bits of each side minus one, so 16384 at most.
    io::Bytes bytes = test::webp_of(test::gradient(16, 16));
    const std::size_t at = 12 + 8 + 1;
    const std::string size = test::little(0x3fff | 0x3fffull << 14, 4);
    std::copy(size.begin(), size.begin() + 3, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    bytes[at + 3] = static_cast<std::uint8_t>((bytes[at + 3] & 0xf0) | (size[3] & 0x0f));
    return bytes;
}

// Runs `action` in a process of its own; how many bytes that had in memory at most beyond those at its start.
std::uint64_t peak_growth(const std::function<void()>& action) {
    int ends[2] = {};
    if (::pipe(ends) != 0) throw Error("pipe");
    const pid_t child = ::fork();
    if (child == 0) {
        // "VmHWM" starts anew with the value 5.
        std::ofstream("/proc/self/clear_refs") << 5;
        const auto peak = [] {
            std::ifstream status("/proc/self/status");
            for (std::string line; std::getline(status, line);)
                if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
            return 0ull;
        };
        const std::uint64_t before = peak();
        action();
        const std::uint64_t grown = peak() - before;
        if (::write(ends[1], &grown, sizeof grown) != sizeof grown) ::_exit(1);
        ::_exit(0);
    }
    ::close(ends[1]);
    std::uint64_t grown = ~std::uint64_t{0};
    EXPECT_EQ(::read(ends[0], &grown, sizeof grown), static_cast<ssize_t>(sizeof grown));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return grown;
}

TEST(HostileMedia, headers_of_60000_by_60000_pixels_are_refused_before_memory_is_taken) {
    for (const io::Bytes& bytes : {huge_jpeg(), huge_png(), huge_webp()}) {
        const std::string message =
            expect_error([&] { decode_image(bytes); }, {"pixels; at most 100000000", "scale it down"});
        EXPECT_TRUE(message.find("60000 x 60000 = 3600000000") != std::string::npos ||
                    message.find("WebP") != std::string::npos)
            << message;
        EXPECT_LT(peak_growth([&] { EXPECT_THROW(decode_image(bytes), Error); }), 4'000'000u);
    }
}

TEST(HostileMedia, a_jpeg_that_is_scaled_down_counts_with_its_stored_size) {
    expect_error([&] { decode_image(huge_jpeg(), {}, 8); }, {"60000 x 60000"});
}

TEST(HostileMedia, compressed_texts_in_a_png_take_no_memory) {
    // 200 texts of 4 MB, which unpack from 4 kB each.
    const std::string text =
        test::png_chunk("zTXt", std::string("k\0\0", 3) + test::zlib_packed(std::string(4'000'000, ' ')));
    std::string chunks;
    for (int i = 0; i < 200; ++i) chunks += text;
    const Image image = test::gradient(8, 8);
    for (const io::Bytes& bytes : {test::png_of(image, chunks), test::png_of(image, {}, chunks)}) {
        EXPECT_EQ(decode_image(bytes).rgb, image.rgb);
        EXPECT_LT(peak_growth([&] { decode_image(bytes); }), 20'000'000u);
    }
}

io::Bytes wav_of_hours(double hours, bool streamed) {
    const auto bytes = static_cast<std::int64_t>(hours * 3600 * 8000 * 2);
    return test::wav_of(std::string(16'000, '\1'), 1, 8000, 16, 1, streamed ? 0xffffffff : bytes);
}

io::Bytes flac_of_hours(double hours) {
    io::Bytes bytes =
        test::encoded_sound(test::sine(440, 8000, 4000), 1, 8000, SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    // STREAMINFO holds 36 bits with the number of samples, from byte 21.5 of the file on.
    const auto samples = static_cast<std::uint64_t>(hours * 3600 * 8000);
    const std::string low = test::big(samples, 4);
    bytes[21] = static_cast<std::uint8_t>((bytes[21] & 0xf0) | samples >> 32);
    std::copy(low.begin(), low.end(), bytes.begin() + 22);
    return bytes;
}

TEST(HostileMedia, headers_of_ten_hours_of_sound_are_refused_at_once) {
    expect_error([&] { decode_sound(wav_of_hours(10, false), 16000); },
                 {"16000 of 576000000 bytes", "truncated"});
    expect_error([&] { decode_sound(flac_of_hours(10), 16000); }, {"36000 s", "at most 600 s"});
    for (const io::Bytes& bytes : {wav_of_hours(10, false), flac_of_hours(10)})
        EXPECT_LT(peak_growth([&] { EXPECT_THROW(decode_sound(bytes, 16000), Error); }), 8'000'000u);
}

TEST(HostileMedia, a_sound_from_a_pipe_is_read_as_far_as_it_goes) {
    EXPECT_EQ(decode_sound(wav_of_hours(0, true), 8000).size(), 8000u);
}

TEST(HostileMedia, ten_hours_that_no_header_announces_are_refused_when_the_limit_is_reached) {
    // Silence is short: an hour of it as FLAC has no more than some kilobytes per minute.
    const std::vector<float> silence(static_cast<std::size_t>(8000) * 60 * 12);
    io::Bytes bytes = test::encoded_sound(silence, 1, 8000, SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    EXPECT_LT(bytes.size(), 100'000u);
    bytes[21] = static_cast<std::uint8_t>(bytes[21] & 0xf0);
    std::fill_n(bytes.begin() + 22, 4, std::uint8_t{0});  // 0: unknown
    expect_error([&] { decode_sound(bytes, 16000); }, {"at most 600 s"});
    EXPECT_LT(peak_growth([&] { EXPECT_THROW(decode_sound(bytes, 16000, {.max_seconds = 60}), Error); }),
              16'000'000u);
}

TEST(HostileMedia, numbers_that_are_not_finite_are_refused) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 2e6f}) {
        std::string data(4 * 100, '\0');
        std::memcpy(data.data() + 4 * 50, &bad, 4);
        expect_error([&] { decode_sound(test::wav_of(data, 1, 16000, 32, 3), 16000); }, {"a sample of"});
    }
}

TEST(HostileMedia, headers_out_of_range_are_refused) {
    const std::string data(2 * 17 * 100, '\0');
    expect_error([&] { decode_sound(test::wav_of(data, 17, 16000, 16), 16000); }, {"17 channels", "1 to 16"});
    expect_error([&] { decode_sound(test::wav_of(data, 1, 999, 16), 16000); }, {"999 samples per second"});
    expect_error([&] { decode_sound(test::wav_of(data, 1, 192'001, 16), 16000); }, {"192001"});
    expect_error([&] { decode_sound(test::wav_of(std::string(), 1, 16000, 16), 16000); }, {"0 samples"});
    for (const int channels : {0, 65535})
        EXPECT_THROW(decode_sound(test::wav_of(data, channels, 16000, 16), 16000), Error);
    EXPECT_THROW(decode_sound(test::wav_of(data, 1, 0, 16), 16000), Error);
}

TEST(HostileMedia, a_jpeg_with_bytes_between_its_marks_is_read_and_one_that_ends_there_is_not) {
    // The decoder warns of these bytes, and then no longer says that the end is missing.
    const Image image = test::gradient(16, 16);
    io::Bytes bytes = test::jpeg_of(image);
    constexpr std::ptrdiff_t kBehindFirstSegment = 2 + 18;
    bytes.insert(bytes.begin() + kBehindFirstSegment, {0x11, 0x22, 0x33});
    EXPECT_EQ(decode_image(bytes).width, 16u);
    bytes.resize(bytes.size() - 2);
    expect_error([&] { decode_image(bytes); }, {"truncated"});
    bytes.resize(bytes.size() - 40);
    expect_error([&] { decode_image(bytes); }, {"truncated"});
}

TEST(HostileMedia, an_animation_is_refused) {
    const std::uint64_t animated = 2;
    const std::string frame = std::string(16, '\0');
    const std::string chunks = "VP8X" + test::little(10, 4) + test::little(animated, 4) + test::little(7, 3) +
                               test::little(7, 3) + "ANIM" + test::little(6, 4) + std::string(6, '\0') +
                               "ANMF" + test::little(16, 4) + frame;
    const std::string webp = "RIFF" + test::little(chunks.size() + 4, 4) + "WEBP" + chunks;
    expect_error([&] { decode_image(io::as_bytes(webp)); }, {"animated"});
}

std::string name_of(const testing::TestParamInfo<Sample>& info) {
    return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(every, HostilePicture, testing::ValuesIn(pictures()), name_of);
INSTANTIATE_TEST_SUITE_P(every, HostileSound, testing::ValuesIn(sounds()), name_of);

void PrintTo(const Sample& sample, std::ostream* out) {
    *out << sample.name;
}

}  // namespace
}  // namespace fearnet
