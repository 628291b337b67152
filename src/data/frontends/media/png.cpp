#include <png.h>

#include <algorithm>

#include "data/frontends/media/exif.hpp"
#include "data/frontends/media/image_formats.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

// All that libpng's callbacks touch. libpng reports errors with longjmp, over functions that therefore hold
// no objects with destructors: whatever owns memory is here or in decode_png.
struct Reading {
    io::ByteView rest;
    std::string error;
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::vector<std::uint8_t> pixels;
    std::vector<png_bytep> rows;
    int orientation = 1;

    ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }
};

void keep_error(png_structp png, png_const_charp message) {
    static_cast<Reading*>(png_get_error_ptr(png))->error = message;
    png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
    auto* reading = static_cast<Reading*>(png_get_io_ptr(png));
    if (count > reading->rest.size()) png_error(png, "it is truncated");
    std::copy_n(reading->rest.data(), count, out);
    reading->rest = reading->rest.subspan(count);
}

// Each step returns false when libpng has reported an error.

// Of the chunks that a picture can do without, only transparency and EXIF are read: compressed texts and
// color profiles would take memory for a thousand times their bytes.
bool choose_chunks(Reading& reading) {
    if (setjmp(png_jmpbuf(reading.png))) return false;
    constexpr int kAllKnown = -1;
    png_set_keep_unknown_chunks(reading.png, PNG_HANDLE_CHUNK_NEVER, nullptr, kAllKnown);
    png_set_keep_unknown_chunks(reading.png, PNG_HANDLE_CHUNK_AS_DEFAULT,
                                reinterpret_cast<png_const_bytep>("eXIf"), 1);
    return true;
}

bool read_header(Reading& reading) {
    if (setjmp(png_jmpbuf(reading.png))) return false;
    png_read_info(reading.png, reading.info);
    return true;
}

// From here on every pixel is RGB or, with transparency, RGBA, of 8 bits.
bool choose_layout(Reading& reading) {
    if (setjmp(png_jmpbuf(reading.png))) return false;
    png_set_expand(reading.png);
    png_set_scale_16(reading.png);
    png_set_gray_to_rgb(reading.png);
    png_set_interlace_handling(reading.png);
    png_read_update_info(reading.png, reading.info);
    return true;
}

bool read_pixels(Reading& reading) {
    if (setjmp(png_jmpbuf(reading.png))) return false;
    png_read_image(reading.png, reading.rows.data());
    png_read_end(reading.png, reading.info);
    png_bytep exif = nullptr;
    png_uint_32 size = 0;
    if (png_get_eXIf_1(reading.png, reading.info, &size, &exif) != 0)
        reading.orientation = exif_orientation({exif, size});
    return true;
}

void require(bool done, const Reading& reading) {
    if (!done)
        throw Error("decode_image: a PNG picture that cannot be read: " + reading.error + "; save it again");
}

}  // namespace

StoredImage decode_png(io::ByteView bytes, const ImageLimits& limits) {
    Reading reading;
    reading.rest = bytes;
    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, keep_error, ignore_warning);
    if (reading.png) reading.info = png_create_info_struct(reading.png);
    if (!reading.info) throw OutOfMemory("decode_image: not enough memory for a PNG decoder");
    png_set_read_fn(reading.png, &reading, read_bytes);
    require(choose_chunks(reading), reading);
    require(read_header(reading), reading);
    const std::size_t width = png_get_image_width(reading.png, reading.info);
    const std::size_t height = png_get_image_height(reading.png, reading.info);
    check_pixels("PNG", width, height, limits);
    require(choose_layout(reading), reading);

    const std::size_t channels = png_get_channels(reading.png, reading.info);
    reading.pixels.resize(width * height * channels);
    reading.rows.resize(height);
    for (std::size_t y = 0; y < height; ++y) reading.rows[y] = reading.pixels.data() + y * width * channels;
    require(read_pixels(reading), reading);
    if (channels == 4) {
        lay_over_white(reading.pixels.data(), width * height, reading.pixels.data());
        reading.pixels.resize(width * height * 3);
    }
    return {.image = {width, height, std::move(reading.pixels)}, .orientation = reading.orientation};
}

}  // namespace fearnet
