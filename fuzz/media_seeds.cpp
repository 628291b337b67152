// Seeds for the fuzzers of pictures, sounds, texts and models.
//   usage: fuzz_media_seeds FOLDER        (writes FOLDER/images/..., FOLDER/sounds/..., FOLDER/texts/...,
//   FOLDER/models/...)
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "data/frontends/models/onnx_builder.hpp"
#include "support/media_files.hpp"
#include "support/tflite_files.hpp"

namespace {

using namespace fearnet;
using namespace fearnet::test;

class Folder {
  public:
    explicit Folder(const std::filesystem::path& path) : path_(path) {
        std::filesystem::create_directories(path_);
    }
    void write(const std::string& name, io::ByteView bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << io::as_text(bytes);
    }
    void write(const std::string& name, std::string_view text) const { write(name, io::as_bytes(text)); }

  private:
    std::filesystem::path path_;
};

void write_images(const Folder& folder) {
    const Image image = gradient(11, 7);
    const std::vector<std::uint8_t> four(11 * 7 * 4, 100);
    const auto jpeg = [&](const std::vector<std::uint8_t>& pixels, int format, int sampling, int flags = 0) {
        return jpeg_of(pixels, 11, 7, format, sampling, flags);
    };
    folder.write("444.jpg", jpeg(image.rgb, TJPF_RGB, TJSAMP_444));
    folder.write("420.jpg", jpeg_with_exif(jpeg(image.rgb, TJPF_RGB, TJSAMP_420), exif_block(6)));
    folder.write("progressive.jpg", jpeg(image.rgb, TJPF_RGB, TJSAMP_422, TJFLAG_PROGRESSIVE));
    folder.write("gray.jpg", jpeg(image.rgb, TJPF_RGB, TJSAMP_GRAY));
    folder.write("inks.jpg", jpeg(four, TJPF_CMYK, TJSAMP_444));
    folder.write("large.jpg", jpeg_of(gradient(170, 90)));
    for (const bool alpha : {false, true})
        for (const bool lossless : {false, true})
            folder.write(std::string(alpha ? "alpha" : "rgb") + (lossless ? "_lossless.webp" : ".webp"),
                         webp_of(alpha ? four : image.rgb, 11, 7, alpha, lossless));
    folder.write("exif.webp", webp_with_exif(webp_of(image), 11, 7, exif_block(3)));
    folder.write("rgb.png", png_of(image, {}, png_chunk("eXIf", exif_block(8, false))));
    const std::string palette = png_chunk("PLTE", std::string("\xff\0\0\0\xff\0", 6));
    for (const int depth : {1, 2, 4, 8}) {
        Png png{.width = 3, .height = 2, .depth = depth, .color = 3};
        png.before = palette + png_chunk("tRNS", "\x80");
        png.lines.assign(2 * (1 + static_cast<std::size_t>(3 * depth + 7) / 8), '\0');
        folder.write("palette" + std::to_string(depth) + ".png", png.bytes());
        png.color = 0, png.before = "";
        folder.write("gray" + std::to_string(depth) + ".png", png.bytes());
    }
    for (const int color : {0, 2, 4, 6}) {
        constexpr int kChannels[] = {1, 0, 3, 0, 2, 0, 4};
        Png png{.width = 2, .height = 1, .depth = 16, .color = color};
        png.lines.assign(1 + 2 * 2 * static_cast<std::size_t>(kChannels[color]), '\0');
        folder.write("deep" + std::to_string(color) + ".png", png.bytes());
    }
    Png interlaced{.width = 2, .height = 2, .color = 0, .interlaced = true};
    interlaced.lines = std::string("\0\x10\0\x20\0\x30\x40", 7);
    folder.write("interlaced.png", interlaced.bytes());
}

void write_sounds(const Folder& folder) {
    const std::vector<float> samples = sine(440, 8000, 1600);
    const auto write = [&](const std::string& name, int rate, int format) {
        folder.write(name, encoded_sound(samples, name.starts_with("two") ? 2 : 1, rate, format));
    };
    write("16.wav", 8000, SF_FORMAT_WAV | SF_FORMAT_PCM_16);
    write("two_24.wav", 11025, SF_FORMAT_WAV | SF_FORMAT_PCM_24);
    write("8.wav", 8000, SF_FORMAT_WAV | SF_FORMAT_PCM_U8);
    write("float.wav", 44100, SF_FORMAT_WAV | SF_FORMAT_FLOAT);
    write("double.wav", 8000, SF_FORMAT_WAV | SF_FORMAT_DOUBLE);
    write("wavex.wav", 8000, SF_FORMAT_WAVEX | SF_FORMAT_PCM_16);
    write("ulaw.wav", 8000, SF_FORMAT_WAV | SF_FORMAT_ULAW);
    write("adpcm.wav", 8000, SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM);
    write("ima.wav", 8000, SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM);
    write("gsm.wav", 8000, SF_FORMAT_WAV | SF_FORMAT_GSM610);
    write("16.flac", 8000, SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    write("two_24.flac", 44100, SF_FORMAT_FLAC | SF_FORMAT_PCM_24);
    write("vorbis.ogg", 8000, SF_FORMAT_OGG | SF_FORMAT_VORBIS);
    write("opus.ogg", 8000, SF_FORMAT_OGG | SF_FORMAT_OPUS);
    write("layer3.mp3", 16000, SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III);
    write("two_layer3.mp3", 44100, SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III);
}

void write_texts(const Folder& folder) {
    folder.write("words", "A ab. Ab, aab \xc3\x84 \xe4\xb8\xad\xe6\x96\x87 \xea\xb0\x80 \xef\xbf\xbd");
    const std::string tokenizer =
        R"({"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"lowercase":true},)"
        R"("pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","unk_token":"[UNK]",)"
        R"("continuing_subword_prefix":"##","max_input_chars_per_word":100,)"
        R"("vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3,"##b":4,"\u00e4":5}}})";
    folder.write("tokenizer", tokenizer + std::string(1, '\0') + "ab \xc3\xa4");
}

void write_models(const Folder& folder) {
    folder.write("small.tflite", small_tflite());
    OnnxBuilder onnx;
    const std::vector<float> table(8, 0.5f);
    onnx.input("image", OnnxType::float32, {1, 3, 4, 4});
    onnx.constant("table", {4, 2}, table);
    onnx.node("Flatten", {"image"}, "features", {{"axis", {1}}, {"p*", {1, 2}}});
    onnx.output("features", OnnxType::float32, {1, 48});
    onnx.output("other", OnnxType::float32, {1, 48});
    folder.write("small.onnx", onnx.model("small"));
    const std::string hash(64, 'a');
    folder.write("image.json",
                 R"({"name":"m","kind":"image","summary":"s","license":"MIT","files":[{"as":"model.tflite",)"
                 R"("package":"@a/p@1.0.0","path":"x/y","sha256":")" +
                     hash +
                     R"(","bytes":9,"machine":"x86_64"}],)"
                     R"("conversion":{"type":"tflite","map":"sum1","sha256":")" +
                     hash +
                     R"(","bytes":9},)"
                     R"("input":{"name":"i","width":8,"height":8,"short_side":9,"mean":[0,1,2],)"
                     R"("deviation":[1,1,1],"bgr":true,"channels_first":false},)"
                     R"("output":{"name":"o","pooling":"mean_and_deviation","unit_length":true,"width":4}})");
    folder.write("sound.json",
                 R"({"kind":"sound","input":{"name":"i","rate":16000,"seconds":5,"fft":400,"hop":160,)"
                 R"("mels":80},"output":{"name":"o","pooling":"mean","width":4}})");
    folder.write("text.json",
                 R"({"kind":"text","files":[{"as":"tokenizer.json","path":"t.json"}],"input":{"ids":"i",)"
                 R"("mask":"m","types":"t","tokens":9},"output":{"name":"o","pooling":"first","ngrams":true,)"
                 R"("width":9000}})");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: fuzz_media_seeds FOLDER\n", stderr);
        return 1;
    }
    const std::filesystem::path folder = argv[1];
    write_images(Folder(folder / "images"));
    write_sounds(Folder(folder / "sounds"));
    write_texts(Folder(folder / "texts"));
    write_models(Folder(folder / "models"));
}
