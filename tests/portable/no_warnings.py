#!/usr/bin/python3
"""Compiles the files with vector code and Eigen once more: for AVX-512, where g++ 12 warns about Eigen, and with clang.

Takes the commands of the build from BUILD/compile_commands.json. Any warning is an error. A build with clang has no flags
for g++, which is then left out.   usage: no_warnings.py BUILD
"""
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

EIGEN = ["core/math/solve.cpp", "core/math/gemm_eigen.cpp", "lab/outliers/minimum_covariance.cpp",
         "lab/outliers/elliptic_envelope.cpp"]
VECTORS = ["core/math/distances.cpp", "core/math/moments.cpp", "core/math/vectorized.cpp", "core/nn/kernels.cpp",
           "core/nn/nadam.cpp"]


def parts(command):
    """The compiler of a command, and its flags without files, precompiled header and CPU."""
    words = shlex.split(command)
    first = next(i for i, word in enumerate(words) if re.search(r"(\+\+|cc|clang)[-.\d]*$", word))
    kept, skip = [], False
    for word in words[first + 1:]:
        if skip or word in ("-o", "-c", "-include", "-Xclang"):
            skip = not skip
        elif not word.startswith(("-march=", "-Winvalid-pch", "-fpch")):
            kept.append(word)
    return words[first], kept


def main():
    build = pathlib.Path(sys.argv[1])
    commands = {c["file"].partition("/src/")[2]: c for c in json.loads((build / "compile_commands.json").read_text())}
    checks = [("g++", ["-march=skylake-avx512"], EIGEN + VECTORS), ("clang++", ["-fsyntax-only"], VECTORS)]
    failed = False
    for compiler, extra, files in checks:
        if not shutil.which(compiler):
            print(f"skipped: no {compiler}")
            continue
        for name in files:
            if name not in commands:
                continue  # the other GEMM
            entry = commands[name]
            built_with, options = parts(entry["command"])
            if compiler == "g++" and "clang" in pathlib.Path(built_with).name:
                continue
            if compiler == "clang++":
                options = [o for o in options if o != "-Wno-restrict" and o != "-Wno-maybe-uninitialized"]
            run = subprocess.run([compiler, *options, *extra, "-Werror", "-S", "-o", "/dev/null", entry["file"]],
                                 cwd=entry["directory"], capture_output=True, text=True, check=False)
            print(f"{compiler} {' '.join(extra)} {name}: {'ok' if run.returncode == 0 else 'failed'}")
            if run.returncode != 0:
                print(run.stderr[:4000])
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
