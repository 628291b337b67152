// Pictures of every format and color type, against colors that the formats' rules give.
#include "data/frontends/media/image.hpp"

#include <numeric>

#include "data/frontends/media/exif.hpp"
#include "data/frontends/media/image_formats.hpp"
#include "support/data_files.hpp"
#include "support/media_files.hpp"

namespace fearnet {
namespace {

using test::gradient;
using test::Png;
using Values = std::vector<std::uint8_t>;

Values one_color(std::size_t pixels, const Values& color) {
    Values all;
    for (std::size_t i = 0; i < pixels; ++i) all.insert(all.end(), color.begin(), color.end());
    return all;
}

// The largest difference of two pictures of one size.
int difference(const Values& a, const Values& b) {
    EXPECT_EQ(a.size(), b.size());
    int most = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

// ---- JPEG ----

TEST(JpegImage, colors_survive_every_sampling_and_progressive_files) {
    constexpr int kLoss = 4;  // of quality 95
    const Values color{200, 100, 50}, pixels = one_color(33 * 17, color);
    for (const int sampling : {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411})
        for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
            const Image image = decode_image(test::jpeg_of(pixels, 33, 17, TJPF_RGB, sampling, flags));
            EXPECT_EQ(image.width, 33u);
            EXPECT_EQ(image.height, 17u);
            EXPECT_LE(difference(image.rgb, pixels), kLoss) << sampling << ' ' << flags;
        }
    EXPECT_LE(difference(decode_image(test::jpeg_of(gradient(40, 30))).rgb, gradient(40, 30).rgb), 10);
}

TEST(JpegImage, a_gray_file_has_three_equal_colors) {
    // JFIF: luma is 0.299 red + 0.587 green + 0.114 blue = 124.2.
    const Image image =
        decode_image(test::jpeg_of(one_color(64, {200, 100, 50}), 8, 8, TJPF_RGB, TJSAMP_GRAY));
    EXPECT_LE(difference(image.rgb, one_color(64, {124, 124, 124})), 1);
}

TEST(JpegImage, four_inks_are_stored_inverted_and_darken_each_other) {
    // As Adobe writes them, 255 is no ink: a color is ink * black / 255.
    const auto colors_of = [](const Values& inks) {
        return decode_image(test::jpeg_of(one_color(64, inks), 8, 8, TJPF_CMYK, TJSAMP_444)).rgb;
    };
    EXPECT_LE(difference(colors_of({255, 255, 255, 255}), one_color(64, {255, 255, 255})), 2);
    EXPECT_LE(difference(colors_of({255, 100, 50, 255}), one_color(64, {255, 100, 50})), 3);
    EXPECT_LE(difference(colors_of({200, 100, 50, 51}), one_color(64, {40, 20, 10})), 3);
    EXPECT_LE(difference(colors_of({200, 100, 50, 0}), one_color(64, {0, 0, 0})), 2);
}

TEST(JpegImage, a_large_picture_is_decoded_at_the_smallest_size_that_suffices) {
    const io::Bytes bytes = test::jpeg_of(gradient(67, 33));
    const auto size = [&](std::size_t wanted) {
        const Image image = decode_image(bytes, {}, wanted);
        EXPECT_EQ(image.rgb.size(), 3 * image.width * image.height);
        return std::pair(image.width, image.height);
    };
    using Size = std::pair<std::size_t, std::size_t>;
    // Sides are rounded up.
    EXPECT_EQ(size(kFullSize), Size(67, 33));
    EXPECT_EQ(size(18), Size(67, 33));
    EXPECT_EQ(size(17), Size(34, 17));
    EXPECT_EQ(size(10), Size(34, 17));
    EXPECT_EQ(size(9), Size(17, 9));
    EXPECT_EQ(size(6), Size(17, 9));
    EXPECT_EQ(size(5), Size(9, 5));
    EXPECT_EQ(size(1), Size(9, 5));
}

// ---- PNG ----

Values png_pixels(const Png& png) {
    const Image image = decode_image(png.bytes());
    EXPECT_EQ(image.width, png.width);
    EXPECT_EQ(image.height, png.height);
    return image.rgb;
}
Values gray(const Values& values) {
    Values rgb;
    for (const std::uint8_t v : values) rgb.insert(rgb.end(), 3, v);
    return rgb;
}

TEST(PngImage, gray_of_few_bits_reaches_from_black_to_white) {
    // The largest value of each depth is white, and steps are even.
    EXPECT_EQ(png_pixels({.width = 5, .depth = 1, .color = 0, .lines = std::string("\0\xa8", 2)}),
              gray({255, 0, 255, 0, 255}));
    EXPECT_EQ(png_pixels({.width = 4, .depth = 2, .color = 0, .lines = std::string("\0\x1b", 2)}),
              gray({0, 85, 170, 255}));
    EXPECT_EQ(png_pixels({.width = 3, .depth = 4, .color = 0, .lines = std::string("\0\x01\xf0", 3)}),
              gray({0, 17, 255}));
    EXPECT_EQ(png_pixels({.width = 2, .depth = 8, .color = 0, .lines = std::string("\0\x07\xfe", 3)}),
              gray({7, 254}));
}

TEST(PngImage, sixteen_bits_are_rounded_to_eight) {
    // value * 255 / 65535: 0x00ff is 0.992, 0x0080 0.498, 0x8080 128.
    EXPECT_EQ(png_pixels({.width = 5,
                          .depth = 16,
                          .color = 0,
                          .lines = std::string("\0\0\0\xff\xff\0\xff\0\x80\x80\x80", 11)}),
              gray({0, 255, 1, 0, 128}));
    EXPECT_EQ(png_pixels({.depth = 16, .color = 2, .lines = std::string("\0\x10\x10\x20\x20\x30\x30", 7)}),
              (Values{16, 32, 48}));
}

TEST(PngImage, palettes_of_every_depth_are_looked_up) {
    const std::string palette =
        test::png_chunk("PLTE", std::string("\x01\x02\x03\x0a\x14\x1e\xc8\xd2\xdc", 9));
    const Values zero{1, 2, 3}, one{10, 20, 30}, two{200, 210, 220};
    const auto joined = [](Values a, const Values& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    };
    EXPECT_EQ(png_pixels(
                  {.width = 2, .depth = 1, .color = 3, .before = palette, .lines = std::string("\0\x40", 2)}),
              joined(zero, one));
    for (const auto& [depth, line] : {std::pair(2, "\x90"), std::pair(4, "\x21"), std::pair(8, "\x02\x01")}) {
        const std::string lines = std::string(1, '\0') + line;
        EXPECT_EQ(png_pixels({.width = 2, .depth = depth, .color = 3, .before = palette, .lines = lines}),
                  joined(two, one))
            << depth;
    }
}

TEST(PngImage, transparent_pixels_are_laid_over_white) {
    // color * alpha / 255 + 255 - alpha, rounded: of 100 at 51: 20 + 204.
    const Values expected{224, 204, 255};
    EXPECT_EQ(png_pixels({.color = 6, .lines = std::string("\0\x64\0\xff\x33", 5)}), expected);
    EXPECT_EQ(png_pixels({.color = 4, .lines = std::string("\0\x64\x33", 3)}), gray({224}));
    EXPECT_EQ(png_pixels({.color = 6, .lines = std::string("\0\x64\0\xff\0", 5)}), gray({255}));
    EXPECT_EQ(
        png_pixels({.depth = 16, .color = 6, .lines = std::string("\0\x64\x64\0\0\xff\xff\x33\x33", 9)}),
        expected);
    // tRNS: alphas of palette entries, or one color that is clear.
    const std::string palette = test::png_chunk("PLTE", std::string("\x64\0\xff", 3));
    EXPECT_EQ(
        png_pixels(
            {.color = 3, .before = palette + test::png_chunk("tRNS", "\x33"), .lines = std::string(2, '\0')}),
        expected);
    EXPECT_EQ(png_pixels({.width = 2,
                          .color = 2,
                          .before = test::png_chunk("tRNS", std::string("\0\1\0\2\0\3", 6)),
                          .lines = std::string("\0\1\2\3\1\2\4", 7)}),
              (Values{255, 255, 255, 1, 2, 4}));
    EXPECT_EQ(png_pixels({.width = 2,
                          .color = 0,
                          .before = test::png_chunk("tRNS", std::string("\0\7", 2)),
                          .lines = std::string("\0\7\x08", 3)}),
              gray({255, 8}));
}

TEST(PngImage, interlaced_pictures_are_put_together) {
    // Adam7: where each of the seven passes starts and how far its pixels are apart, from the PNG
    // specification.
    constexpr std::size_t kPasses[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                           {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>(8, 8), {11, 5}, {3, 2}, {1, 1}}) {
        Values values(width * height);
        std::iota(values.begin(), values.end(), std::uint8_t{1});
        Png png{.width = width, .height = height, .color = 0, .interlaced = true};
        for (const auto& [x0, y0, dx, dy] : kPasses)
            for (std::size_t y = y0; y < height; y += dy) {
                if (x0 >= width) continue;
                png.lines += '\0';
                for (std::size_t x = x0; x < width; x += dx)
                    png.lines += static_cast<char>(values[y * width + x]);
            }
        EXPECT_EQ(png_pixels(png), gray(values)) << width << " x " << height;
    }
}

// ---- WebP ----

TEST(WebpImage, lossless_pixels_are_exact_and_lossy_ones_are_near) {
    const Image image = gradient(30, 20);
    EXPECT_EQ(decode_image(test::webp_of(image)).rgb, image.rgb);
    const Values color = one_color(32 * 32, {200, 100, 50});
    EXPECT_LE(difference(decode_image(test::webp_of(color, 32, 32, false, false)).rgb, color), 4);
}

TEST(WebpImage, transparent_pixels_are_laid_over_white) {
    const Values pixels = one_color(64, {100, 0, 255, 51});
    EXPECT_EQ(decode_image(test::webp_of(pixels, 8, 8, true, true)).rgb, one_color(64, {224, 204, 255}));
    EXPECT_LE(difference(decode_image(test::webp_of(pixels, 8, 8, true, false)).rgb,
                         one_color(64, {224, 204, 255})),
              3);
}

// ---- How the camera was held ----

// The letters of a picture of 3 x 2 pixels, stored as "abc" over "def", as they are seen. From the table of
// the EXIF standard: 2 and 4 are mirrored, 3 is upside down, 6 is turned to the right and 8 to the left.
constexpr const char* kSeen[] = {"abc|def",  "cba|fed",  "fed|cba",  "def|abc",
                                 "ad|be|cf", "da|eb|fc", "fc|eb|da", "cf|be|ad"};

std::string letters(const Image& image) {
    std::string text;
    for (std::size_t y = 0; y < image.height; ++y) {
        if (y > 0) text += '|';
        for (std::size_t x = 0; x < image.width; ++x)
            text += static_cast<char>('a' + (image.rgb[3 * (y * image.width + x)] + 20) / 40 - 1);
    }
    return text;
}

// Each letter is a block of `side` x `side` pixels.
Image lettered(std::size_t side) {
    return test::picture(3 * side, 2 * side, [&](std::size_t x, std::size_t y) {
        const int value = static_cast<int>(40 * (y / side * 3 + x / side + 1));
        return std::array<int, 3>{value, value, value};
    });
}

TEST(Orientation, all_eight_are_shown_upright_in_png_and_webp) {
    const Image image = lettered(1);
    for (int o = 1; o <= 8; ++o)
        for (const bool little : {true, false}) {
            const std::string block = test::exif_block(o, little);
            EXPECT_EQ(letters(decode_image(test::png_of(image, {}, test::png_chunk("eXIf", block)))),
                      kSeen[o - 1])
                << o;
            EXPECT_EQ(letters(decode_image(test::png_of(image, test::png_chunk("eXIf", block)))),
                      kSeen[o - 1])
                << o;
            EXPECT_EQ(letters(decode_image(test::webp_with_exif(test::webp_of(image), 3, 2, block))),
                      kSeen[o - 1])
                << o;
        }
}

TEST(Orientation, all_eight_are_shown_upright_in_jpeg_also_when_it_is_scaled_down) {
    const io::Bytes jpeg = test::jpeg_of(lettered(8));
    for (int o = 1; o <= 8; ++o) {
        // At 1/8 of its size each letter is one pixel.
        const Image small = decode_image(test::jpeg_with_exif(jpeg, test::exif_block(o)), {}, 2);
        EXPECT_EQ(letters(small), kSeen[o - 1]) << o;
        const Image whole = decode_image(test::jpeg_with_exif(jpeg, test::exif_block(o, false)));
        EXPECT_EQ(whole.width, o <= 4 ? 24u : 16u) << o;
    }
}

TEST(Orientation, values_that_mean_nothing_leave_the_picture_as_it_is) {
    for (const int o : {0, 9, 255, 65535})
        EXPECT_EQ(exif_orientation(io::as_bytes(test::exif_block(o))), 1) << o;
    EXPECT_EQ(exif_orientation(io::as_bytes(test::exif_block(6))), 6);
    const std::string prefixed = std::string("Exif\0\0", 6) + test::exif_block(6);
    EXPECT_EQ(exif_orientation(io::as_bytes(prefixed)), 6);
}

TEST(Orientation, a_damaged_block_is_no_orientation_and_no_error) {
    const std::string block = test::exif_block(6);
    std::size_t read = 0;
    for (std::size_t length = 0; length < block.size(); ++length)
        read += exif_orientation(io::as_bytes(block.substr(0, length))) == 6 ? 1 : 0;
    EXPECT_EQ(read, block.size() - 32) << "the value stands in bytes 30 and 31";
    for (std::size_t at = 0; at < block.size(); ++at)
        for (const int value : {0, 0xff}) {
            std::string damaged = block;
            damaged[at] = static_cast<char>(value);
            const int orientation = exif_orientation(io::as_bytes(damaged));
            EXPECT_TRUE(orientation >= 1 && orientation <= 8);
        }
}

TEST(ImageLimit, the_number_of_pixels_is_a_limit_in_every_format) {
    const Image image = gradient(16, 16);
    for (const io::Bytes& bytes : {test::jpeg_of(image), test::png_of(image), test::webp_of(image)}) {
        EXPECT_EQ(decode_image(bytes, {.max_pixels = 256}).width, 16u);
        test::expect_error([&] { decode_image(bytes, {.max_pixels = 255}); },
                           {"16 x 16 = 256", "at most 255"});
    }
}

}  // namespace
}  // namespace fearnet
