// Pictures and sounds as bytes, written by the encoders of their formats or by hand.
#pragma once

#include <sndfile.h>
#include <turbojpeg.h>
#include <webp/encode.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "data/frontends/media/image.hpp"
#include "data/io/files.hpp"
#include "fearnet/error.hpp"

namespace fearnet::test {

inline std::string little(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
    return out;
}
inline std::string big(std::uint64_t value, int bytes) {
    std::string out = little(value, bytes);
    std::reverse(out.begin(), out.end());
    return out;
}
inline io::Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

// ---- Pictures ----

// A picture whose pixels are `color(x, y)`: red, green and blue.
template <class Color>
Image picture(std::size_t width, std::size_t height, const Color& color) {
    Image image{width, height, {}};
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x)
            for (const int value : std::array<int, 3>(color(x, y)))
                image.rgb.push_back(static_cast<std::uint8_t>(value));
    return image;
}

// Red grows to the right, green downwards.
inline Image gradient(std::size_t width, std::size_t height) {
    return picture(width, height, [&](std::size_t x, std::size_t y) {
        return std::array<int, 3>{static_cast<int>(255 * x / width), static_cast<int>(255 * y / height), 60};
    });
}

// `pixels`: of the TJPF format, row by row.
inline io::Bytes jpeg_of(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t height,
                         int format = TJPF_RGB, int sampling = TJSAMP_444, int flags = 0) {
    const tjhandle encoder = tjInitCompress();
    unsigned char* out = nullptr;
    unsigned long size = 0;
    const int result =
        tjCompress2(encoder, pixels.data(), static_cast<int>(width), 0, static_cast<int>(height), format,
                    &out, &size, sampling, 95, flags | TJFLAG_ACCURATEDCT);
    const std::string problem = result == 0 ? "" : tjGetErrorStr2(encoder);
    io::Bytes bytes(out, out + (result == 0 ? size : 0));
    tjFree(out);
    tjDestroy(encoder);
    if (result != 0) throw Error("tjCompress2: " + problem);
    return bytes;
}
inline io::Bytes jpeg_of(const Image& image) {
    return jpeg_of(image.rgb, image.width, image.height);
}

// `pixels` has three or, with alpha, four values per pixel.
inline io::Bytes webp_of(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t height,
                         bool alpha, bool lossless) {
    const int w = static_cast<int>(width), h = static_cast<int>(height), stride = w * (alpha ? 4 : 3);
    std::uint8_t* out = nullptr;
    const std::size_t size =
        lossless ? (alpha ? WebPEncodeLosslessRGBA : WebPEncodeLosslessRGB)(pixels.data(), w, h, stride, &out)
                 : (alpha ? WebPEncodeRGBA : WebPEncodeRGB)(pixels.data(), w, h, stride, 95, &out);
    io::Bytes bytes(out, out + size);
    WebPFree(out);
    if (size == 0) throw Error("WebPEncode failed");
    return bytes;
}
inline io::Bytes webp_of(const Image& image) {
    return webp_of(image.rgb, image.width, image.height, false, true);
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
    const std::string body = type + data;
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return big(data.size(), 4) + body + big(sum, 4);
}

inline std::string zlib_packed(const std::string& data) {
    uLongf size = compressBound(static_cast<uLong>(data.size()));
    std::string out(size, '\0');
    compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
              static_cast<uLong>(data.size()), 6);
    out.resize(size);
    return out;
}

// A PNG by hand. `lines` holds the rows of all passes, each after its filter byte.
struct Png {
    std::size_t width = 1, height = 1;
    int depth = 8, color = 2;  // color: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA
    bool interlaced = false;
    std::string before = {};  // whole chunks before the pixels: PLTE, tRNS
    std::string lines = {};
    std::string after = {};  // whole chunks behind the pixels

    io::Bytes bytes() const {
        std::string header = big(width, 4) + big(height, 4);
        for (const int value : {depth, color, 0, 0, interlaced ? 1 : 0}) header += static_cast<char>(value);
        return bytes_of("\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + before +
                        png_chunk("IDAT", zlib_packed(lines)) + after + png_chunk("IEND", ""));
    }
};

inline io::Bytes png_of(const Image& image, const std::string& before = {}, const std::string& after = {}) {
    Png png{.width = image.width, .height = image.height, .before = before, .after = after};
    for (std::size_t y = 0; y < image.height; ++y) {
        png.lines += '\0';
        const auto row = image.rgb.begin() + static_cast<std::ptrdiff_t>(3 * y * image.width);
        png.lines.append(row, row + static_cast<std::ptrdiff_t>(3 * image.width));
    }
    return png.bytes();
}

// EXIF with an orientation, without the prefix "Exif\0\0" that JPEG has.
inline std::string exif_block(int orientation, bool little_endian = true) {
    const auto number = [&](std::uint64_t value, int size) {
        return little_endian ? little(value, size) : big(value, size);
    };
    std::string block(little_endian ? "II" : "MM");
    block += number(42, 2) + number(8, 4);  // the directory starts at byte 8
    // Two entries of 12 bytes: tag, type 3 (16 bits), one value.
    block += number(2, 2);
    block += number(0x0100, 2) + number(3, 2) + number(1, 4) + number(77, 2) + number(0, 2);
    block += number(0x0112, 2) + number(3, 2) + number(1, 4) +
             number(static_cast<std::uint64_t>(orientation), 2) + number(0, 2);
    return block + number(0, 4);
}

inline io::Bytes jpeg_with_exif(const io::Bytes& jpeg, const std::string& block) {
    const std::string data = std::string("Exif\0\0", 6) + block;
    const std::string segment = "\xff\xe1" + big(data.size() + 2, 2) + data;
    io::Bytes out(jpeg.begin(), jpeg.begin() + 2);
    out.insert(out.end(), segment.begin(), segment.end());
    out.insert(out.end(), jpeg.begin() + 2, jpeg.end());
    return out;
}

// `webp` is a simple file: one chunk VP8 or VP8L.
inline io::Bytes webp_with_exif(const io::Bytes& webp, std::size_t width, std::size_t height,
                                const std::string& block) {
    constexpr std::uint64_t kHasExif = 8;
    std::string chunks =
        "VP8X" + little(10, 4) + little(kHasExif, 4) + little(width - 1, 3) + little(height - 1, 3);
    chunks.append(webp.begin() + 12, webp.end());
    chunks += "EXIF" + little(block.size(), 4) + block + std::string(block.size() % 2, '\0');
    return bytes_of("RIFF" + little(chunks.size() + 4, 4) + "WEBP" + chunks);
}

// ---- Sounds ----

// A WAV by hand. `format`: 1 whole numbers, 3 floating point. `announced`: the bytes of sound in the header.
inline io::Bytes wav_of(const std::string& data, int channels, std::uint32_t rate, int bits, int format = 1,
                        std::int64_t announced = -1) {
    const auto frame = static_cast<std::uint64_t>(channels * bits / 8);
    const std::uint64_t size = announced < 0 ? data.size() : static_cast<std::uint64_t>(announced);
    const std::string fmt = little(static_cast<std::uint64_t>(format), 2) +
                            little(static_cast<std::uint64_t>(channels), 2) + little(rate, 4) +
                            little(rate * frame, 4) + little(frame, 2) +
                            little(static_cast<std::uint64_t>(bits), 2);
    return bytes_of("RIFF" + little(std::min<std::uint64_t>(36 + size, 0xffffffff), 4) + "WAVEfmt " +
                    little(16, 4) + fmt + "data" + little(size, 4) + data);
}
inline io::Bytes wav_of(const std::vector<int>& samples, int channels = 1, std::uint32_t rate = 16000) {
    std::string data;
    for (const int sample : samples) data += little(static_cast<std::uint16_t>(sample), 2);
    return wav_of(data, channels, rate, 16);
}

// Samples, channel after channel for each moment, written by libsndfile; `format` is its number of a format.
inline io::Bytes encoded_sound(const std::vector<float>& samples, int channels, int rate, int format) {
    struct Memory {
        io::Bytes bytes;
        std::size_t at = 0;
    } memory;
    SF_VIRTUAL_IO functions{
        [](void* m) { return static_cast<sf_count_t>(static_cast<Memory*>(m)->bytes.size()); },
        [](sf_count_t offset, int whence, void* m) {
            auto& file = *static_cast<Memory*>(m);
            const std::size_t from = whence == SEEK_CUR   ? file.at
                                     : whence == SEEK_END ? file.bytes.size()
                                                          : 0;
            file.at = from + static_cast<std::size_t>(offset);
            return static_cast<sf_count_t>(file.at);
        },
        [](void* to, sf_count_t count, void* m) {
            auto& file = *static_cast<Memory*>(m);
            const std::size_t n = std::min(static_cast<std::size_t>(count), file.bytes.size() - file.at);
            std::copy_n(file.bytes.data() + file.at, n, static_cast<std::uint8_t*>(to));
            file.at += n;
            return static_cast<sf_count_t>(n);
        },
        [](const void* from, sf_count_t count, void* m) {
            auto& file = *static_cast<Memory*>(m);
            const auto n = static_cast<std::size_t>(count);
            file.bytes.resize(std::max(file.bytes.size(), file.at + n));
            std::copy_n(static_cast<const std::uint8_t*>(from), n, file.bytes.data() + file.at);
            file.at += n;
            return count;
        },
        [](void* m) { return static_cast<sf_count_t>(static_cast<Memory*>(m)->at); }};
    SF_INFO info{};
    info.channels = channels;
    info.samplerate = rate;
    info.format = format;
    SNDFILE* file = sf_open_virtual(&functions, SFM_WRITE, &info, &memory);
    if (!file) throw Error(std::string("sf_open_virtual: ") + sf_strerror(nullptr));
    sf_writef_float(file, samples.data(), static_cast<sf_count_t>(samples.size()) / channels);
    sf_close(file);
    return memory.bytes;
}

inline std::vector<float> sine(double hertz, double rate, std::size_t count, double height = 0.5) {
    std::vector<float> samples(count);
    for (std::size_t i = 0; i < count; ++i)
        samples[i] = static_cast<float>(height * std::sin(2 * M_PI * hertz * static_cast<double>(i) / rate));
    return samples;
}

}  // namespace fearnet::test
