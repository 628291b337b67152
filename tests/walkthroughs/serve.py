"""docs/serve.md: its commands run, and what it says about the answers is true."""
import atexit
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import numpy as np

import pictures
import texts
from walkthrough import PROMPT, Walkthrough, check

PORTS = ("7077", "7078", "7079")  # of the page
KINDS = ("magpie", "pigeon", "robin")
SUBJECTS = ("network", "password", "printer")
START_SECONDS = 60


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(s.getsockname()[1]) for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Served(Walkthrough):
    """A page whose commands that end with & are servers. They get free ports instead of those of the page."""

    ports = dict(zip(PORTS, free_ports(len(PORTS))))

    def execute(self, command):
        real = command
        if "fearnet serve" in command and "--listen" not in command:
            real = command.replace(" &", f" --listen 127.0.0.1:{PORTS[0]} &")
        for shown, port in self.ports.items():
            real = real.replace(shown, port)
        if variable := re.fullmatch(r"(\w+)=(\S+)", real):
            self.environment[variable.group(1)] = variable.group(2)
        lines = self.start(real[:-1]) if real.endswith("&") else super().execute(real)
        for shown, port in self.ports.items():
            lines = [line.replace(port, shown) for line in lines]
        self.outputs[-1:] = [(command, lines)]
        return lines

    def start(self, command):
        """Starts a server. What it prints before it answers belongs to the page."""
        log = self.folder.parent / f"{self.folder.name}.{len(self.outputs)}.log"
        with log.open("w") as output:
            server = subprocess.Popen(["bash", "-c", "exec " + command], cwd=self.folder, env=self.environment,
                                      stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        atexit.register(log.unlink)
        atexit.register(server.wait)
        atexit.register(server.terminate)
        for _ in range(10 * START_SECONDS):
            if server.poll() is not None:
                sys.exit(f"{command}: exit code {server.returncode}\n{log.read_text()}")
            if "Ctrl-C" in log.read_text():
                break
            time.sleep(0.1)
        else:
            sys.exit(f"{command}: does not serve\n{log.read_text()}")
        lines = log.read_text().splitlines()
        print("\n".join([PROMPT + command + "&", *lines]), flush=True)
        self.outputs.append((command, lines))
        return lines


for tool in ("curl", "jq", "openssl"):
    if not shutil.which(tool):
        print(f"skipped: no {tool}")
        sys.exit(77)

walk = Served("serve.md", ["image"])
folder = walk.folder
for kind in KINDS:
    pictures.write(folder / "birds" / kind, kind, 24, seed=1)
pictures.write(folder / "new", "goldfinch", 3, seed=1)
pictures.write(folder, "robin", 1, seed=9, name="IMG_2041.png")
pictures.write(folder, "goldfinch", 1, seed=12, name="goldfinch.png")
requests = [(text, kind) for kind in SUBJECTS for text in texts.to_learn(kind)]
(folder / "requests.json").write_text(json.dumps(dict(zip(("texts", "labels"), zip(*requests)))))
rng = np.random.default_rng(1)
rows = np.eye(8)[np.repeat([0, 1], 10)] + 0.1 * rng.standard_normal((20, 8))
(folder / "rows.json").write_text(json.dumps({"rows": rows.tolist(), "labels": ["wren"] * 10 + ["owl"] * 10}))
rows[15].astype("<f4").tofile(folder / "row.f32")
walk.run()

curl = [command for command, _ in walk.outputs if command.startswith("curl")]


def printed(part, nth=0):
    """What the nth command with a part of its text printed, as one text."""
    return "\n".join(walk.output([command for command in curl if part in command][nth]))


check(printed("IMG_2041.png") == "robin", "a photograph is recognized", printed("IMG_2041.png"))
check(printed("goldfinch.png") == "goldfinch", "a class that was just taught is recognized", printed("goldfinch.png"))
check(printed("my printer is jammed") == "printer", "a text is recognized", printed("my printer is jammed"))
check(printed("row.f32") == "owl", "a row is recognized", printed("row.f32"))
dry = json.loads(printed("dry_run=1"))
check(dry[0] is True and dry[1][0]["looks_like"] == "robin", "a wrong label is found before it is learned", dry)
check(json.loads(printed('"label": "owl"'))["status"] == 404, "an unknown class is an error")
check(printed("jq -r .title") == "Unauthorized", "without the token there is no answer")
check("fearnet_brain_classes" in printed("/metrics"), "metrics tell the number of classes")

# The Python of the page, where the package is built.
package = walk.program.parent / "python"
if (package / "fearnet/__init__.py").is_file() and list(package.glob("fearnet/_fearnet*.so")):
    (code,) = re.findall(r"```python\n(.*?)```", walk.page.read_text(), re.DOTALL)
    for shown, port in walk.ports.items():
        code = code.replace(shown, port)
    told = subprocess.run([sys.executable, "-B", "-c", code], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(package)})
    check(told.returncode == 0, "the Python of the page runs", told.stderr)
    check(told.stdout.splitlines()[0] == "['goldfinch' 'robin']", "the client is answered", told.stdout)
