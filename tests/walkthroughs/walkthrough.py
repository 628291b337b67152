"""Runs the commands of a page as a reader would type them, and compares what they print with the page.

A page shows commands in blocks that begin with ```console: lines that begin with "$ " are commands, and lines that begin with
"> " continue them; the lines below each are what it prints. Numbers may differ, and of an answer, which has tabs, only the name of its input must agree: the tests that
use this module check the answers themselves. With --write, the page receives what the commands print.

usage of a test: NAME.py FEARNET [--write]. Exit code 77: a model is missing, the test is skipped.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMPT = "$ "
CONTINUED = "> "  # the next line of a command
CONFUSIONS = "most frequent confusions"
PROGRESS = re.compile(r" *\d+ %  .*")  # a command that takes longer than ten seconds prints such lines


def masked(lines):
    """What must agree of an output."""
    if CONFUSIONS in lines:  # which single examples are confused may differ from processor to processor
        lines = lines[:lines.index(CONFUSIONS)]
    result = [masked_line(line) for line in lines]
    while result and not result[-1]:
        result.pop()
    return result


def masked_line(line):
    if "\t" in line:
        line = line.split("\t")[0]
    line = re.sub(r"\b[0-9a-f]{64}\b", "HASH", line)
    line = re.sub(r"\d+(\.\d+)?", "N", line.replace(",", ""))
    line = re.sub(r"#+ *$", "", line)
    return re.sub(r"\s+", " ", line).strip()


class Walkthrough:
    """A page and the folder in which its commands run."""

    def __init__(self, page, models):
        if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
            sys.exit(__doc__)
        self.program = pathlib.Path(sys.argv[1]).resolve()
        self.page = ROOT / "docs" / page
        self.write = len(sys.argv) == 3
        self.environment = {**os.environ, "PATH": f"{self.program.parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
        self.temporary = tempfile.TemporaryDirectory(prefix="walkthrough-")
        self.folder = pathlib.Path(self.temporary.name)
        self.outputs = []  # (command, output) in the order of the page
        self.require(models)

    def require(self, models):
        present = {model["kind"]: model["present"] for model in self.fearnet_json("models") if model["default"]}
        for kind in models:
            if not (present[kind] and (present["runtime"] or os.environ.get("FEARNET_ONNXRUNTIME"))):
                print(f"skipped: the model for {kind} is not on this machine; 'fearnet models fetch {kind}' gets it")
                sys.exit(77)

    def fearnet_json(self, *arguments):
        """The result of a command, with --json."""
        command = [str(self.program), *arguments, "--json"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)

    def run(self):
        """Runs all commands of the page and compares."""
        new_page, wrong, in_block = [], [], False
        lines = iter([*self.page.read_text().splitlines(), None])
        line = next(lines)
        while line is not None:
            new_page.append(line)
            in_block = line == "```console" or in_block and line != "```"
            is_command = in_block and line.startswith(PROMPT)
            command, line = line[len(PROMPT):], next(lines)
            if not is_command:
                continue
            while line.startswith(CONTINUED):
                new_page.append(line)
                command, line = command + "\n" + line[len(CONTINUED):], next(lines)
            shown = []
            while line != "```" and not line.startswith(PROMPT):
                shown.append(line)
                line = next(lines)
            printed = self.execute(command)
            new_page += printed
            wrong += self.compare(command, printed, shown)
        if self.write:
            self.page.write_text("\n".join(new_page) + "\n")
        elif wrong:
            sys.exit("\n".join(wrong) + f"\n{self.page}: the output differs; check it, then run the test with --write")

    def execute(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = [line.rstrip() for line in done.stdout.splitlines() if not PROGRESS.fullmatch(line)]
        print("\n".join([PROMPT + command, *lines]), flush=True)
        if done.returncode != 0:
            sys.exit(f"{command}: exit code {done.returncode}")
        self.outputs.append((command, lines))
        return lines

    def compare(self, command, printed, shown):
        if masked(shown) == masked(printed):
            return []
        difference = difflib.unified_diff(shown, printed, "page", "printed", lineterm="", n=0)
        return [f"{PROMPT}{command}", *difference]

    def output(self, command, nth=0):
        """What a command of the page printed, when it stood there the nth time."""
        found = [lines for text, lines in self.outputs if text == command]
        if len(found) <= nth:
            sys.exit(f"{self.page}: has no command {command}")
        return found[nth]

    def answers(self, command, nth=0):
        """The first answers of a command that prints lines of input, class and probability."""
        rows = [line.split("\t") for line in self.output(command, nth)]
        return {row[0]: row[1] for row in rows if len(row) > 2}

    def accuracy(self, command, nth=0):
        """The percentage that an evaluation prints."""
        return float(re.search(r"accuracy ([\d.]+) %", "\n".join(self.output(command, nth))).group(1))


def check(claim, *facts):
    """Ends the test if a claim of the page is wrong."""
    if not claim:
        sys.exit("a claim of the page does not hold: " + " ".join(map(str, facts)))
