#!/usr/bin/env bash
# Uses a brain from the shell: creates it, teaches it three languages, predicts, sleeps, inspects and checks it.
#   usage: examples/everyday.sh [PROGRAM]      (default: build/release/fearnet)
set -euo pipefail
fearnet=$(readlink -f "${1:-$(dirname "$0")/../build/release/fearnet}")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT

cat >base.txt <<'TEXT'
English	all human beings are born free and equal
English	everyone has the right to life and liberty
English	no one shall be held in slavery
English	where is the nearest station
German	alle Menschen sind frei und gleich geboren
German	jeder hat das Recht auf Leben und Freiheit
German	niemand darf in Sklaverei gehalten werden
German	wo ist der naechste Bahnhof
TEXT
cat >french.txt <<'TEXT'
tous les hommes naissent libres et egaux
chacun a droit a la vie et a la liberte
nul ne sera tenu en esclavage
TEXT

"$fearnet" new languages.brain --features text:ngrams
"$fearnet" learn languages.brain base.txt --quiet
"$fearnet" learn languages.brain french.txt --label French --quiet
"$fearnet" predict languages.brain --text "la liberte est un droit" --top 2
"$fearnet" sleep languages.brain --quiet
"$fearnet" info languages.brain
answer=$("$fearnet" predict languages.brain --text "la liberte est un droit" | cut -f2)
echo "after sleep it says: $answer"
[ "$answer" = French ]
"$fearnet" check languages.brain
