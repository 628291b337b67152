// Pictures that tests make.
#pragma once

#include <png.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "fearnet/error.hpp"

namespace fearnet::test {

// A PNG file of `side` x `side` pixels; `color(x, y)` is red, green and blue.
template <class Color>
void write_png(const std::filesystem::path& path, unsigned side, const Color& color) {
    std::filesystem::create_directories(path.parent_path());
    std::vector<std::uint8_t> rgb;
    for (unsigned y = 0; y < side; ++y)
        for (unsigned x = 0; x < side; ++x)
            for (const int value : std::array<int, 3>(color(x, y)))
                rgb.push_back(static_cast<std::uint8_t>(value));
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = side;
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, path.c_str(), 0, rgb.data(), 0, nullptr))
        throw Error(path.string() + ": " + image.message);
}

}  // namespace fearnet::test
