#!/usr/bin/python3
"""BERT's tokenizer in plain Python, with Python's Unicode data, beside ours.

usage: compare_wordpiece.py PROGRAM [TOKENIZER [TEXT...]]    (PROGRAM: fearnet_media_numbers)

TOKENIZER is a tokenizer.json; without it a small vocabulary is used. Every line of the TEXT files is a text; without
them, and beside them, there are lines with every character of Unicode and random lines. Exits 1 when ids differ.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
              (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
# The property White_Space, without the characters that are controls.
SPACES = {chr(i) for i in (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)}


def normalized(text):
    out = []
    for c in text:
        if c in "\t\n\r" or c in SPACES:
            out.append(" ")
        elif c == "\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Co"):
            continue
        elif any(first <= ord(c) <= last for first, last in IDEOGRAPHS):
            out.append(f" {c} ")
        else:
            out.append(c)
    decomposed = unicodedata.normalize("NFD", "".join(out))
    return "".join(c.lower() for c in decomposed if unicodedata.category(c) != "Mn")


def is_punctuation(c):
    return (c.isascii() and c.isprintable() and not c.isalnum() and c != " ") or unicodedata.category(c)[0] == "P"


def words(text):
    word = ""
    for c in normalized(text):
        if c == " " or is_punctuation(c):
            yield from filter(None, [word])
            yield from c.strip(" ")
            word = ""
        else:
            word += c
    yield from filter(None, [word])


def pieces(word, vocabulary):
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocabulary:
                break
        else:
            return ["[UNK]"]
        found.append(piece)
        start = end
    return found


def reference(text, vocabulary):
    tokens = ["[CLS]"]
    for word in words(text):
        tokens += pieces(word, vocabulary) if len(word) <= 100 else ["[UNK]"]
    return [vocabulary[token] for token in tokens + ["[SEP]"]]


def small_tokenizer():
    letters = [chr(i) for i in (*range(33, 127), *range(0xDF, 0x250), *range(0x370, 0x500), *range(0x1100, 0x1200),
                                *range(0x4E00, 0x4E80), 0x9C7, 0x9BE)]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "un", "##aff", "##able", "##ing"]
    tokens += letters + ["##" + c for c in letters]
    return {"normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                           "strip_accents": None, "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": {token: i for i, token in enumerate(tokens)}}}


def texts(paths):
    # Marks that are not nonspacing keep their order in ours; the standard sorts a few of them.
    for block in range(0, 0x110000, 16):
        yield " ".join(f"a{chr(i)}a" for i in range(block, block + 16) if not 0xD800 <= i < 0xE000 and i != 10)
    rng = random.Random(0)
    for _ in range(300):
        yield "".join(rng.choice("aeiouUN \t.,-'\u00e9\u00c5\u0301\u4e2d\ud55c\u01c5\u0130\u00df\u200d") + "un" * rng.randrange(2)
                      for _ in range(rng.randrange(60)))
    for length in (99, 100, 101, 5000):
        yield "a" * length + " un"
    yield "[SEP] [CLS] unaffable THE"
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield from file.read().split("\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        given, out, tokenizer = (os.path.join(folder, name) for name in ("in", "out", "tokenizer.json"))
        if len(sys.argv) > 2:
            tokenizer = sys.argv[2]
        else:
            with open(tokenizer, "w", encoding="utf-8") as file:
                json.dump(small_tokenizer(), file)
        with open(tokenizer, encoding="utf-8") as file:
            vocabulary = json.load(file)["model"]["vocab"]
        lines = list(texts(sys.argv[3:]))
        with open(given, "w", encoding="utf-8", newline="") as file:
            file.write("".join(line + "\n" for line in lines))
        subprocess.run([sys.argv[1], "tokens", given, out, tokenizer], check=True)
        with open(out, encoding="utf-8") as file:
            ours = [[int(i) for i in line.split()] for line in file]
    assert len(ours) == len(lines), (len(ours), len(lines))
    bad = [line for line, ids in zip(lines, ours) if ids != reference(line, vocabulary)]
    print(f"{len(lines)} texts, Unicode {unicodedata.unidata_version}: {len(lines) - len(bad)} equal")
    if bad:
        sys.exit("\n".join(ascii(line)[:200] for line in bad[:10]))


main()
