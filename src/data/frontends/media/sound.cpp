#include "data/frontends/media/sound.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <string>

#include "data/frontends/media/kind.hpp"
#include "data/frontends/media/resampler.hpp"
#include "data/io/little_endian.hpp"
#include "fearnet/error.hpp"

namespace fearnet {
namespace {

constexpr float kLoudest = 1e6f;

[[noreturn]] void refuse(const std::string& why) {
    throw Error("decode_sound: " + why);
}

// libsndfile's view of the bytes as a file.
struct MemoryFile {
    io::ByteView bytes;
    sf_count_t at = 0;
};

sf_count_t length(void* user) {
    return static_cast<sf_count_t>(static_cast<MemoryFile*>(user)->bytes.size());
}

sf_count_t seek(sf_count_t offset, int whence, void* user) {
    auto& file = *static_cast<MemoryFile*>(user);
    const sf_count_t end = length(user);
    const sf_count_t from = whence == SEEK_CUR ? file.at : whence == SEEK_END ? end : 0;
    // `from` is within the file; the sum of it and any offset could overflow.
    if (offset < -from || offset > end - from) return -1;
    return file.at = from + offset;
}

sf_count_t read(void* to, sf_count_t count, void* user) {
    auto& file = *static_cast<MemoryFile*>(user);
    count = std::clamp<sf_count_t>(count, 0, length(user) - file.at);
    std::copy_n(file.bytes.data() + file.at, count, static_cast<std::uint8_t*>(to));
    file.at += count;
    return count;
}

sf_count_t write(const void*, sf_count_t, void*) {
    return 0;
}

sf_count_t tell(void* user) {
    return static_cast<MemoryFile*>(user)->at;
}

struct Close {
    void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundFile = std::unique_ptr<SNDFILE, Close>;

// libsndfile knows many more formats, which are of no use here and a risk.
void check_format(io::ByteView bytes) {
    if (media_kind(bytes) == MediaKind::sound) return;
    refuse(std::to_string(bytes.size()) +
           " bytes that do not start as a WAV, FLAC, OGG or MP3 sound; convert the sound");
}

// libsndfile takes a WAV whose end is missing for a shorter one. Programs that write to a pipe announce the
// largest numbers there are.
void check_wav_is_whole(io::ByteView bytes) {
    constexpr std::size_t kHeader = 12, kChunkHeader = 8;
    constexpr std::uint32_t kUnknown = 0x7fff0000;
    for (std::uint64_t at = kHeader; at + kChunkHeader <= bytes.size();) {
        const io::ByteView rest = bytes.subspan(static_cast<std::size_t>(at));
        const auto announced = io::read_little<std::uint32_t>(rest.data() + 4);
        if (io::as_text(rest).starts_with("data")) {
            if (announced < kUnknown && announced > rest.size() - kChunkHeader)
                refuse("the WAV is truncated: " + std::to_string(rest.size() - kChunkHeader) + " of " +
                       std::to_string(announced) + " bytes of sound; copy it again");
            return;
        }
        at += kChunkHeader + std::uint64_t{announced} + announced % 2;
    }
}

void check_header(const SF_INFO& info, const SoundLimits& limits) {
    const int type = info.format & SF_FORMAT_TYPEMASK;
    if (type != SF_FORMAT_WAV && type != SF_FORMAT_WAVEX && type != SF_FORMAT_FLAC && type != SF_FORMAT_OGG &&
        type != SF_FORMAT_MPEG)
        refuse("a sound of an unexpected format; convert it to WAV");
    if (info.channels < 1 || info.channels > limits.max_channels)
        refuse(std::to_string(info.channels) + " channels; expected 1 to " +
               std::to_string(limits.max_channels));
    if (info.samplerate < limits.min_rate || info.samplerate > limits.max_rate)
        refuse(std::to_string(info.samplerate) + " samples per second; expected " +
               std::to_string(limits.min_rate) + " to " + std::to_string(limits.max_rate) +
               "; convert the sound");
}

std::string seconds(double value) {
    return std::to_string(std::llround(value)) + " s";
}

// One sound while it is read.
class Reading {
  public:
    Reading(SoundFile file, const SF_INFO& info, double rate, const SoundLimits& limits)
        : file_(std::move(file)),
          info_(info),
          most_frames_(static_cast<sf_count_t>(limits.max_seconds * info.samplerate)),
          limits_(limits),
          resampler_(info.samplerate, rate) {
        if (info.frames != SF_COUNT_MAX && info.frames > most_frames_)
            too_long(static_cast<double>(info.frames) / info.samplerate);
    }

    std::vector<float> samples() {
        constexpr sf_count_t kBlock = 4096;
        const auto channels = static_cast<std::size_t>(info_.channels);
        std::vector<float> frames(kBlock * channels), mono;
        std::vector<float> out;
        sf_count_t total = 0;
        for (sf_count_t got; (got = sf_readf_float(file_.get(), frames.data(), kBlock)) > 0;) {
            if ((total += got) > most_frames_) too_long(static_cast<double>(total) / info_.samplerate);
            mono.resize(static_cast<std::size_t>(got));
            for (std::size_t i = 0; i < mono.size(); ++i) mono[i] = mean(frames.data() + i * channels);
            resampler_.add(mono, out);
        }
        check_end(total);
        resampler_.finish(out);
        return out;
    }

  private:
    [[noreturn]] void too_long(double found) const {
        refuse("a sound of " + seconds(found) + " or more; at most " + seconds(limits_.max_seconds) +
               " are read; cut it");
    }

    float mean(const float* frame) const {
        float sum = 0;
        for (int c = 0; c < info_.channels; ++c) {
            if (!(std::abs(frame[c]) <= kLoudest))
                refuse("a sample of " + std::to_string(frame[c]) + "; expected -1 to 1; convert the sound");
            sum += frame[c];
        }
        return sum / static_cast<float>(info_.channels);
    }

    void check_end(sf_count_t total) const {
        if (sf_error(file_.get()) != SF_ERR_NO_ERROR)
            refuse(std::string("the sound is damaged: ") + sf_error_number(sf_error(file_.get())));
        const bool announces = (info_.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_FLAC;
        if (announces && info_.frames != SF_COUNT_MAX && total < info_.frames)
            refuse("the FLAC is truncated or damaged: " + std::to_string(total) + " of " +
                   std::to_string(info_.frames) + " samples; copy it again");
        if (total == 0) refuse("a sound with 0 samples; expected at least 1");
    }

    SoundFile file_;
    SF_INFO info_;
    sf_count_t most_frames_;
    SoundLimits limits_;
    Resampler resampler_;
};

}  // namespace

std::vector<float> decode_sound(io::ByteView bytes, double rate, const SoundLimits& limits) {
    check_format(bytes);
    if (media_format(bytes) == MediaFormat::wav) check_wav_is_whole(bytes);
    MemoryFile memory{bytes};
    SF_VIRTUAL_IO functions{length, seek, read, write, tell};
    SF_INFO info{};
    SoundFile file(sf_open_virtual(&functions, SFM_READ, &info, &memory));
    if (!file) refuse(std::string("a sound that cannot be read: ") + sf_error_number(sf_error(nullptr)));
    check_header(info, limits);
    try {
        return Reading(std::move(file), info, rate, limits).samples();
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("decode_sound: not enough memory for a sound of up to " +
                          seconds(limits.max_seconds));
    }
}

}  // namespace fearnet
