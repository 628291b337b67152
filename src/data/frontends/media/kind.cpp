#include "data/frontends/media/kind.hpp"

namespace fearnet {
namespace {

bool has(std::string_view text, std::size_t at, std::string_view magic) {
    return text.size() >= at + magic.size() && text.substr(at, magic.size()) == magic;
}

// The header of a frame of MPEG audio, layer III. A byte order mark of UTF-16 (FF FE) is none.
bool starts_mp3_frame(io::ByteView bytes) {
    if (bytes.size() < 4 || bytes[0] != 0xff || (bytes[1] & 0xe0) != 0xe0) return false;
    const int version = bytes[1] >> 3 & 3, layer = bytes[1] >> 1 & 3;
    const int bit_rate = bytes[2] >> 4, sample_rate = bytes[2] >> 2 & 3;
    return version != 1 && layer == 1 && bit_rate != 15 && sample_rate != 3;
}

}  // namespace

MediaFormat media_format(io::ByteView bytes) {
    const std::string_view text = io::as_text(bytes);
    if (has(text, 0, "\xff\xd8\xff")) return MediaFormat::jpeg;
    if (has(text, 0, "\x89PNG\r\n\x1a\n")) return MediaFormat::png;
    if (has(text, 0, "RIFF") && has(text, 8, "WEBP")) return MediaFormat::webp;
    if (has(text, 0, "RIFF") && has(text, 8, "WAVE")) return MediaFormat::wav;
    if (has(text, 0, "fLaC")) return MediaFormat::flac;
    if (has(text, 0, "OggS")) return MediaFormat::ogg;
    if (has(text, 0, "ID3") || starts_mp3_frame(bytes)) return MediaFormat::mp3;
    return MediaFormat::none;
}

MediaKind media_kind(io::ByteView bytes) {
    const MediaFormat format = media_format(bytes);
    if (format == MediaFormat::none) return MediaKind::neither;
    return format <= MediaFormat::webp ? MediaKind::image : MediaKind::sound;
}

}  // namespace fearnet
