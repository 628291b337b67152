"""pip install into an environment of its own, without a network."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "bindings" / "python"
PROGRAM = """
import numpy as np, fearnet
x = np.eye(4, dtype=np.float32).repeat(5, axis=0)
right = fearnet.FearNetClassifier(learner="nearest-mean").fit(x, np.arange(20) // 5).score(x, np.arange(20) // 5)
print(fearnet.__file__, right)
"""

try:
    import ensurepip  # noqa: F401
    import venv  # noqa: F401
except ImportError:
    print("skipped: no venv with pip; apt-get install python3-venv")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PIP_NO_INDEX"] = "1"
    python = os.path.join(folder, "bin", "python")

    def run(*command):
        done = subprocess.run(command, env=environment, cwd=folder, check=True, text=True, stdout=subprocess.PIPE)
        return done.stdout

    run(sys.executable, "-m", "venv", "--system-site-packages", folder)
    print(run(python, "-m", "pip", "install", str(PACKAGE)))
    told = run(python, "-c", PROGRAM)
    print(told)
    assert told.startswith(folder) and told.split()[-1] == "1.0"
