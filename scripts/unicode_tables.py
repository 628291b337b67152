#!/usr/bin/python3
"""Prints src/data/frontends/media/unicode_tables.cpp from Python's unicodedata.

usage: unicode_tables.py > src/data/frontends/media/unicode_tables.cpp

The tables change with the version of Unicode that Python knows; the first line of the output names it.
"""
import sys
import textwrap
import unicodedata

SURROGATES, HANGUL = range(0xD800, 0xE000), range(0xAC00, 0xD7A4)


def characters():
    return (chr(i) for i in range(0x110000) if i not in SURROGATES)


def folded(c):
    """Canonical decomposition, then no nonspacing marks, then lower case."""
    parts = [x for x in unicodedata.normalize("NFD", c) if unicodedata.category(x) != "Mn"]
    return "".join(x.lower() for x in parts)


def ranges(categories):
    """First and last of each range of characters whose category starts so; the first as a distance."""
    found = []
    for c in characters():
        if not unicodedata.category(c).startswith(categories):
            continue
        if found and found[-1][1] == ord(c) - 1:
            found[-1][1] = ord(c)
        else:
            found.append([ord(c), ord(c)])
    return [number for pair in found for number in pair]


def foldings():
    """Distance from the previous character and what it folds to, 0 for nothing; then those of several parts."""
    single, several, last = [], [], 0
    for c in characters():
        to = folded(c)
        if to == c or ord(c) in HANGUL:
            continue
        if len(to) > 1:
            several += [ord(c), *[ord(x) for x in to.ljust(3, "\0")]]
            assert len(to) <= 3
        else:
            single += [ord(c) - last, ord(to) if to else 0]
            last = ord(c)
    return single, several


def table(name, numbers):
    lines = textwrap.wrap(", ".join(map(str, numbers)), 150)
    body = "\n".join(line.replace(" ", "") for line in lines)
    return f"constexpr std::uint32_t {name}Numbers[] = {{\n{body}}};\n"


def main():
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    single, several = foldings()
    tables = {"kPunctuation": ranges("P"), "kControls": ranges(("Cc", "Cf", "Co")), "kFoldings": single,
              "kLongFoldings": several}
    print(f"// Unicode {unicodedata.unidata_version}; printed by scripts/unicode_tables.py.")
    print("// clang-format off")
    print('#include "data/frontends/media/unicode.hpp"\n\nnamespace fearnet::unicode {\nnamespace {\n')
    print("\n".join(table(name, numbers) for name, numbers in tables.items()))
    print("}  // namespace\n")
    for name in tables:
        print(f"const std::span<const std::uint32_t> {name}{{{name}Numbers}};")
    print("\n}  // namespace fearnet::unicode")


main()
