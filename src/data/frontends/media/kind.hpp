// What untrusted bytes are, judged by the first of them and never by a name.
#pragma once

#include "core/base/byte_view.hpp"

namespace fearnet {

enum class MediaKind { image, sound, neither };
enum class MediaFormat { jpeg, png, webp, wav, flac, ogg, mp3, none };

MediaKind media_kind(io::ByteView bytes);
MediaFormat media_format(io::ByteView bytes);

}  // namespace fearnet
