#!/usr/bin/python3
"""Builds the Debian package, unpacks it, checks what is in it, and runs the commands of its unit in the unpacked tree.

usage: debian_package.py BUILD. Exit code 77: Debian's tools are missing, or this build makes no package.
"""
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

UNIT = "fearnet@.service"
EXPECTED = [
    "etc/default/fearnet",
    "usr/bin/fearnet",
    f"usr/lib/systemd/system/{UNIT}",
    "usr/lib/systemd/system/fearnet@.socket",
    "usr/share/bash-completion/completions/fearnet",
    "usr/share/doc/fearnet/README.md",
    "usr/share/doc/fearnet/changelog.Debian.gz",
    "usr/share/doc/fearnet/changelog.gz",
    "usr/share/doc/fearnet/copyright",
    "usr/share/doc/fearnet/docs/brain.md",
    "usr/share/fish/vendor_completions.d/fearnet.fish",
    "usr/share/man/man1/fearnet-learn.1.gz",
    "usr/share/man/man1/fearnet.1.gz",
    "usr/share/zsh/site-functions/_fearnet",
]
FOLDERS = {"etc", "usr"}


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(claim, *facts):
    if not claim:
        sys.exit(" ".join(map(str, facts)))


def check_contents(package, tree):
    listing = [line.split(None, 5) for line in run("dpkg-deb", "-c", package).splitlines()]
    for mode, owner, _, _, _, name in listing:
        check(owner == "root/root", name, "belongs to", owner)
        program = name.startswith("./usr/bin/") or mode.startswith("d")
        check(mode[1:] == ("rwxr-xr-x" if program else "rw-r--r--"), name, "has the mode", mode)
    for name in EXPECTED:
        check((tree / name).is_file(), name, "is missing")
    check({p.name for p in tree.iterdir()} == FOLDERS, "unexpected folders:", *tree.iterdir())
    check(not list(tree.rglob("*.a")) and not list(tree.rglob("*.hpp")), "there are parts of the library")
    pages = list((tree / "usr/share/man/man1").iterdir())
    check(all(p.name.endswith(".1.gz") for p in pages), "manual pages are not compressed")


def check_control(package, control):
    field = {name: run("dpkg-deb", "-f", package, name).strip() for name in ("Package", "Version", "Depends")}
    check(field["Package"] == "fearnet" and re.fullmatch(r"\d+\.\d+\.\d+-1", field["Version"]), field)
    for library in ("libc6", "libstdc++6", "libsqlite3-0", "passwd"):
        check(re.search(rf"\b{re.escape(library)}(,| |$)", field["Depends"]), "no", library, "in", field["Depends"])
    check((control / "conffiles").read_text() == "/etc/default/fearnet\n", "conffiles")
    for script in ("postinst", "prerm", "postrm"):
        check((control / script).stat().st_mode & 0o111, script, "cannot be run")
        run("sh", "-n", control / script)
        text = (control / script).read_text()
        check(not re.search(r"\brm\b", text), script, "deletes files")


class Unit:
    """The service of the brain pets, with the paths of the unpacked tree and a free port."""

    def __init__(self, tree, state, port):
        self.tree, self.state, self.port = tree, state, port
        text = (tree / "usr/lib/systemd/system" / UNIT).read_text()
        self.values = re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)
        self.environment = {**os.environ, **dict(v.split("=", 1) for v in self.all("Environment"))}
        for line in (tree / "etc/default/fearnet").read_text().splitlines():
            if line and not line.startswith("#"):
                name, value = line.split("=", 1)
                self.environment[name] = shlex.split(value)[0].replace(":7077", f":{port}")

    def all(self, name):
        return [value for key, value in self.values if key == name]

    def command(self, name):
        (line,) = self.all(name)
        words = []
        for word in shlex.split(line.replace("%i", "pets")):
            word = word.replace("/var/lib/fearnet", str(self.state)).replace("/usr/bin/", f"{self.tree}/usr/bin/")
            words += self.environment[word[1:]].split() if word.startswith("$") else [word]
        return words


def check_with_systemd(tree, folder):
    if not shutil.which("systemd-analyze"):
        return
    for name in (UNIT, "fearnet@.socket"):
        text = (tree / "usr/lib/systemd/system" / name).read_text()
        (folder / name).write_text(text.replace("/usr/bin/fearnet", str(tree / "usr/bin/fearnet")))
    told = subprocess.run(["systemd-analyze", "verify", "--man=no", folder / "fearnet@pets.socket", folder / UNIT],
                          capture_output=True, text=True)
    check(told.returncode == 0 and not told.stderr, "systemd-analyze verify:", told.stdout, told.stderr)
    told = run("systemd-analyze", "security", "--offline=true", "--no-pager", folder / UNIT)
    exposure = float(re.search(r"Overall exposure level.*: ([\d.]+)", told).group(1))
    check(exposure < 2.5, "the service is exposed:", exposure)


@contextlib.contextmanager
def started(unit, notifications, listening=None):
    """Runs ExecStart as systemd does, until it says that it is ready, and ends it with SIGTERM."""
    environment = {**unit.environment, "NOTIFY_SOCKET": notifications.getsockname()}
    command = unit.command("ExecStart")
    more = {}
    if listening is not None:
        environment["LISTEN_FDS"] = "1"
        command = ["sh", "-c", 'exec env LISTEN_PID=$$ "$@"', "sh", *command]
        more = {"preexec_fn": lambda: os.dup2(listening.fileno(), 3), "pass_fds": [3]}
    server = subprocess.Popen(command, env=environment, cwd=unit.state, **more)
    try:
        while "READY=1" not in notifications.recv(4096).decode().splitlines():
            pass  # the last server has said that it stops
        yield
        server.send_signal(signal.SIGTERM)
        check(server.wait(60) == 0, "SIGTERM: exit code", server.returncode)
    finally:
        server.kill()
        server.wait()


def check_service(unit, folder):
    run(*unit.command("ExecStartPre"), env=unit.environment)
    run(*unit.command("ExecStartPre"), env=unit.environment)  # an existing brain is left alone
    check((unit.state / "pets.brain").is_file(), "ExecStartPre has not made the brain")
    if "--listen" not in run(unit.tree / "usr/bin/fearnet", "serve", "--help"):
        print("skipped: this program cannot serve")
        return
    notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notifications.bind(str(folder / "notify"))
    notifications.settimeout(60)
    with started(unit, notifications):
        with urllib.request.urlopen(f"http://127.0.0.1:{unit.port}/v1/brains/pets/info", timeout=10) as answer:
            check(b'"pets"' in answer.read(), "info is not about pets")
        with urllib.request.urlopen(f"http://127.0.0.1:{unit.port}/", timeout=10) as answer:
            check(b"<title>FearNet</title>" in answer.read(), "there is no page")
    with socket.create_server(("127.0.0.1", 0)) as listening, started(unit, notifications, listening):
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/readyz"
        with urllib.request.urlopen(url, timeout=10) as answer:
            check(answer.status == 200, "/readyz through the socket:", answer.status)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not all(shutil.which(tool) for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps")):
        print("skipped: no cpack, dpkg-deb or dpkg-shlibdeps (dpkg-dev)")
        sys.exit(77)
    if not (build / "CPackConfig.cmake").exists():
        print("skipped: this build makes no package (shared libraries)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="fearnet-package-") as temporary:
        folder = pathlib.Path(temporary)
        # With the generator of Makefiles, cpack would first build all that is out of date.
        run("cpack", "--config", build / "CPackConfig.cmake", "-B", folder / "out", "-D",
            "CPACK_CMAKE_GENERATOR=Ninja", cwd=build)
        (package,) = (folder / "out").glob("fearnet_*.deb")
        tree, state = folder / "tree", folder / "state"
        state.mkdir()
        run("dpkg-deb", "-x", package, tree)
        run("dpkg-deb", "-e", package, folder / "control")
        check_contents(package, tree)
        check_control(package, folder / "control")
        check_with_systemd(tree, folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        check_service(Unit(tree, state, port), folder)


if __name__ == "__main__":
    main()
