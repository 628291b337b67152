// The one tag of EXIF that matters here: how the camera was held.
#pragma once

#include "core/base/byte_view.hpp"

namespace fearnet {

// The orientation 1 to 8 in a block of EXIF, which may start with "Exif\0\0"; 1 when there is none or the
// block is damaged.
int exif_orientation(io::ByteView block);

// The block of EXIF in a JPEG or WebP file; empty when there is none.
io::ByteView exif_in_jpeg(io::ByteView bytes);
io::ByteView exif_in_webp(io::ByteView bytes);

}  // namespace fearnet
