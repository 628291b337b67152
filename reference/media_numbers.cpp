// Writes what the front ends make of files, for comparisons with other software.
//
// usage: fearnet_media_numbers image FILE OUT              width, height (int32), then RGB
//        fearnet_media_numbers tensor FILE OUT SHORT W H   3 x H x W floats of the picture's center, 0 to 255
//        fearnet_media_numbers sound FILE OUT RATE         floats
//        fearnet_media_numbers mel FILE OUT                floats of the first 5 s; FILE holds floats, 16 kHz
//        fearnet_media_numbers tokens FILE OUT TOKENIZER   a line of ids per line of FILE
// An Error is printed and ends the program with 1.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>

#include "data/frontends/media/crop.hpp"
#include "data/frontends/media/mel.hpp"
#include "data/frontends/media/sound.hpp"
#include "data/frontends/media/wordpiece.hpp"
#include "data/io/files.hpp"
#include "fearnet/error.hpp"

namespace {

using namespace fearnet;

template <class T>
void write(std::ofstream& out, const T* values, std::size_t count) {
    out.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
}

void image(const io::Bytes& bytes, std::ofstream& out) {
    const Image picture = decode_image(bytes);
    const std::int32_t size[] = {static_cast<std::int32_t>(picture.width),
                                 static_cast<std::int32_t>(picture.height)};
    write(out, size, 2);
    write(out, picture.rgb.data(), picture.rgb.size());
}

void tensor(const io::Bytes& bytes, std::ofstream& out, char** numbers) {
    ImageInput input{.deviation = {1, 1, 1}};
    input.short_side = std::stoul(numbers[0]);
    input.width = std::stoul(numbers[1]);
    input.height = std::stoul(numbers[2]);
    std::vector<float> values(3 * input.width * input.height);
    image_tensor(decode_image(bytes), input, ImagePart::center, values.data());
    write(out, values.data(), values.size());
}

void mel(const io::Bytes& bytes, std::ofstream& out) {
    const MelSpectrogram spectrogram{SoundInput{}};
    std::vector<float> samples(std::min(bytes.size() / sizeof(float), spectrogram.window_samples()));
    std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
    std::vector<float> values(spectrogram.mels() * spectrogram.frames());
    spectrogram(samples, values.data());
    write(out, values.data(), values.size());
}

void tokens(const io::Bytes& bytes, std::ofstream& out, const char* tokenizer) {
    const WordPiece words(io::read_file(tokenizer));
    std::string_view text = io::as_text(bytes);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        for (const std::int64_t id : words.encode(text.substr(0, end), 1 << 20)) out << id << ' ';
        out << '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void run(const std::string& what, int count, char** arguments) {
    const io::Bytes bytes = io::read_file(arguments[0]);
    std::ofstream out(arguments[1], std::ios::binary);
    if (what == "image")
        image(bytes, out);
    else if (what == "tensor" && count == 5)
        tensor(bytes, out, arguments + 2);
    else if (what == "mel")
        mel(bytes, out);
    else if (what == "tokens" && count == 3)
        tokens(bytes, out, arguments[2]);
    else if (what == "sound" && count == 3) {
        const std::vector<float> samples = decode_sound(bytes, std::stod(arguments[2]));
        write(out, samples.data(), samples.size());
    } else
        throw Error("usage: see reference/media_numbers.cpp");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 4) throw Error("usage: see reference/media_numbers.cpp");
        run(argv[1], argc - 2, argv + 2);
    } catch (const Error& error) {
        std::cout << error.what() << '\n';
        return 1;
    }
}
