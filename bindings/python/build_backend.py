"""A PEP 517 build backend without dependencies: CMake builds the extension module, this makes a wheel of it.

Environment variables:
FEARNET_BUILD_DIR   a configured CMake build folder to build the module in; default: build/python of the repository,
                    which is configured here
CMAKE_ARGS          additional arguments for configuring the default folder
"""

import base64
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def _version():
    return re.search(r"project\(fearnet VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def _metadata():
    return (
        f"Metadata-Version: 2.1\nName: fearnet\nVersion: {_version()}\n"
        "Summary: Class-incremental learning without stored data (FearNet)\n"
        "Requires-Python: >=3.9\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n"
        + (HERE / "README.md").read_text()
    )


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def _build():
    """Builds the module. Returns the folder that contains it."""
    folder = Path(os.environ.get("FEARNET_BUILD_DIR", ROOT / "build" / "python"))
    if "FEARNET_BUILD_DIR" not in os.environ:
        configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DFEARNET_TESTS=OFF"]
        configure += ["-DFEARNET_BENCHMARKS=OFF", "-DFEARNET_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        subprocess.run(configure + shlex.split(os.environ.get("CMAKE_ARGS", "")), check=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", str(folder), "--target", "fearnet_python", "-j", jobs], check=True)
    return folder / "python" / "fearnet"


def _info_folder():
    return f"fearnet-{_version()}.dist-info"


def _record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / _info_folder()
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata())
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    sources = [p for p in sorted((HERE / "fearnet").iterdir()) if p.suffix in (".py", ".pyi") or p.name == "py.typed"]
    sources.append(_build() / f"_fearnet{suffix}")
    info = _info_folder()
    wheel = f"Wheel-Version: 1.0\nGenerator: fearnet\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    files = {f"fearnet/{p.name}": p.read_bytes() for p in sources}
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = wheel.encode()
    record = "".join(_record_line(name, data) for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"fearnet-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise RuntimeError("the sources of this package are the whole repository; there is no sdist")
