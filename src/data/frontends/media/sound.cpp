#include "data/frontends/media/sound.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <string>

#include "data/frontends/media/kind.hpp"
#include "data/frontends/media/mp3.hpp"
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

// As in a file, places behind the end can be reached, and hold nothing: decoders that skip a damaged frame go
// there.
sf_count_t seek(sf_count_t offset, int whence, void* user) {
    constexpr sf_count_t kFarthest = sf_count_t{1} << 40;
    auto& file = *static_cast<MemoryFile*>(user);
    const sf_count_t from = whence == SEEK_CUR ? file.at : whence == SEEK_END ? length(user) : 0;
    // The sum of `from` and any offset could overflow.
    if (offset < -from || offset > kFarthest - from) return -1;
    return file.at = from + offset;
}

sf_count_t read_bytes(void* to, sf_count_t count, void* user) {
    auto& file = *static_cast<MemoryFile*>(user);
    count = std::clamp<sf_count_t>(count, 0, std::max<sf_count_t>(length(user) - file.at, 0));
    if (count > 0) std::copy_n(file.bytes.data() + file.at, count, static_cast<std::uint8_t*>(to));
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

void check_type(const SF_INFO& info) {
    const int type = info.format & SF_FORMAT_TYPEMASK;
    if (type != SF_FORMAT_WAV && type != SF_FORMAT_WAVEX && type != SF_FORMAT_FLAC && type != SF_FORMAT_OGG)
        refuse("a sound of an unexpected format; convert it to WAV");
}

void check_header(int channels, int rate, const SoundLimits& limits) {
    if (channels < 1 || channels > limits.max_channels)
        refuse(std::to_string(channels) + " channels; expected 1 to " + std::to_string(limits.max_channels));
    if (rate < limits.min_rate || rate > limits.max_rate)
        refuse(std::to_string(rate) + " samples per second; expected " + std::to_string(limits.min_rate) +
               " to " + std::to_string(limits.max_rate) + "; convert the sound");
}

std::string seconds(double value) {
    return std::to_string(std::llround(value)) + " s";
}

// A sound that libsndfile reads.
class File {
  public:
    explicit File(io::ByteView bytes) : memory_{bytes} {
        file_.reset(sf_open_virtual(&functions_, SFM_READ, &info_, &memory_));
        if (!file_) refuse(std::string("a sound that cannot be read: ") + sf_error_number(sf_error(nullptr)));
        check_type(info_);
    }
    int channels() const { return info_.channels; }
    int rate() const { return info_.samplerate; }
    // What the header says; 0: nothing.
    sf_count_t announced() const { return info_.frames == SF_COUNT_MAX ? 0 : info_.frames; }
    std::size_t read(float* out, std::size_t frames) {
        const sf_count_t got = sf_readf_float(file_.get(), out, static_cast<sf_count_t>(frames));
        total_ += got;
        if (got == 0) check_end();
        return static_cast<std::size_t>(got);
    }

  private:
    void check_end() const {
        if (sf_error(file_.get()) != SF_ERR_NO_ERROR)
            refuse(std::string("the sound is damaged: ") + sf_error_number(sf_error(file_.get())));
        if ((info_.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_FLAC && total_ < announced())
            refuse("the FLAC is truncated or damaged: " + std::to_string(total_) + " of " +
                   std::to_string(info_.frames) + " samples; copy it again");
    }

    MemoryFile memory_;
    SF_VIRTUAL_IO functions_{length, seek, read_bytes, write, tell};
    SF_INFO info_{};
    SoundFile file_;
    sf_count_t total_ = 0;
};

[[noreturn]] void refuse_length(double found, const SoundLimits& limits) {
    refuse("a sound of " + seconds(found) + " or more; at most " + seconds(limits.max_seconds) +
           " are read; cut it");
}

// The mean of the channels.
float mean(const float* frame, int channels) {
    float sum = 0;
    for (int c = 0; c < channels; ++c) {
        if (!(std::abs(frame[c]) <= kLoudest))
            refuse("a sample of " + std::to_string(frame[c]) + "; expected -1 to 1; convert the sound");
        sum += frame[c];
    }
    return sum / static_cast<float>(channels);
}

// `Source` is a File or an Mp3.
template <class Source>
std::vector<float> all_samples(Source& source, double rate, const SoundLimits& limits) {
    constexpr std::size_t kBlock = 4096;
    const auto most = static_cast<std::size_t>(limits.max_seconds * source.rate());
    const auto channels = static_cast<std::size_t>(source.channels());
    Resampler resampler(source.rate(), rate);
    std::vector<float> frames(kBlock * channels), mono, out;
    std::size_t total = 0;
    while (const std::size_t got = source.read(frames.data(), kBlock)) {
        if ((total += got) > most) refuse_length(static_cast<double>(total) / source.rate(), limits);
        mono.resize(got);
        for (std::size_t i = 0; i < got; ++i) mono[i] = mean(frames.data() + i * channels, source.channels());
        resampler.add(mono, out);
    }
    if (total == 0) refuse("a sound with 0 samples; expected at least 1");
    resampler.finish(out);
    return out;
}

std::vector<float> decode(io::ByteView bytes, double rate, const SoundLimits& limits) {
    if (media_format(bytes) == MediaFormat::mp3) {
        Mp3 sound(bytes);
        check_header(sound.channels(), sound.rate(), limits);
        return all_samples(sound, rate, limits);
    }
    if (media_format(bytes) == MediaFormat::wav) check_wav_is_whole(bytes);
    File sound(bytes);
    check_header(sound.channels(), sound.rate(), limits);
    const double announced = static_cast<double>(sound.announced()) / sound.rate();
    if (announced > limits.max_seconds) refuse_length(announced, limits);
    return all_samples(sound, rate, limits);
}

}  // namespace

std::vector<float> decode_sound(io::ByteView bytes, double rate, const SoundLimits& limits) {
    check_format(bytes);
    try {
        return decode(bytes, rate, limits);
    } catch (const std::bad_alloc&) {
        throw OutOfMemory("decode_sound: not enough memory for a sound of up to " +
                          seconds(limits.max_seconds));
    }
}

}  // namespace fearnet
