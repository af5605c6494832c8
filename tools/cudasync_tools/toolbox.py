"""Finds the tools that build and test cudasync, and installs what is missing into build/tools, without root."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import collections
import concurrent.futures
import ctypes
import functools
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (ROOT / "build/tools").resolve()  # several worktrees may share the folder through a link
LOG = TOOLS / "set-up.log"
PIP_INSTALL = ["-m", "pip", "install", "--quiet", "--no-input", "--no-cache-dir", "--disable-pip-version-check"]
PIP_INSTALL += ["--timeout", "10", "--retries", "1"]
APT_GET = ["apt-get", "--quiet", "--option", "APT::Sandbox::User=", "--option", "Debug::NoLocking=true"]
APT_GET += ["--option", "Acquire::Retries=1", "--option", "APT::Update::Error-Mode=any"]
APT_GET += [word for kind in ("http", "https") for word in ("--option", f"Acquire::{kind}::Timeout=10")]
HEARTBEAT = 10  # seconds between two signs of life from a silent step
STALLED = 30  # seconds after which a silent step that does nothing is ended
LEAST_SPACE = 32  # a disk with fewer free MB counts as full
UNREACHABLE = "connection broken|Failed to establish|Temporary failure|Could not resolve|Could not connect|Unable to connect"
UNREACHABLE += "|Connection failed|Connection timed out|Network is unreachable|No route to host|timed out"

os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # for all that is run from here
durations = []  # (what, seconds) of each step so far
locks = collections.defaultdict(threading.Lock)  # of folders into which something is installed


class Failure(Exception):
    """The program cannot continue; the text is one line for the user that says why."""


def reports_failure(program):
    """Makes a program end with one line on stderr and exit code 1 instead of a traceback."""

    @functools.wraps(program)
    def wrapped():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupt)
        adopt_orphans()
        try:
            return program()
        except Failure as failure:
            print(f"error: {failure}", file=sys.stderr)
        except OSError as error:
            print(f"error: {explained(str(error))}", file=sys.stderr)
        except KeyboardInterrupt:
            print("error: interrupted", file=sys.stderr)
        finally:
            end_processes()
        return 1

    return wrapped


def interrupt(_number, _frame):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # once is enough: the cleanup follows
    raise KeyboardInterrupt


def adopt_orphans():
    """Makes this process the parent of descendants whose own parent ends before them, so that they can be found."""
    set_child_subreaper = 36
    if hasattr(library := ctypes.CDLL(None), "prctl"):
        library.prctl(set_child_subreaper, 1, 0, 0, 0)


def processes():
    """{id: fields of /proc/ID/stat from the third on} of all running processes that this program has started."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(stat.parent.name)] = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
    family = [os.getpid()]
    for parent in family:
        family += [process for process, fields in found.items() if int(fields[1]) == parent]
    return {process: found[process] for process in family[1:] if found[process][0] != "Z"}


def end_processes():
    """Ends all processes that this program has started, gently at first, in less than two seconds."""
    for number, seconds in ((signal.SIGTERM, 1), (signal.SIGKILL, 0.5)):
        for process in processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                continue
        deadline = time.monotonic() + seconds
        while processes() and time.monotonic() < deadline:
            time.sleep(0.02)


def work_done():
    """(1/100 s of CPU time used, bytes written) by the processes that this program has started."""
    ticks, written = 0, 0
    for process, fields in processes().items():
        ticks += sum(map(int, fields[11:15]))  # of the process and of its children that have ended
        try:
            written += int(re.search(r"wchar: (\d+)", Path(f"/proc/{process}/io").read_text(encoding="utf-8"))[1])
        except OSError:
            continue
    return ticks, written


def full_folder():
    """The folder whose disk is full, or None."""
    folders = (ROOT, Path(tempfile.gettempdir()))
    return next((folder for folder in folders if shutil.disk_usage(folder).free < LEAST_SPACE * 2**20), None)


def explained(text):
    """What went wrong in a step, in one line; if the disk or the network is the cause, with the cause and the remedy."""
    if folder := full_folder() or ("No space left" in text and ROOT):
        return f"the disk of {folder} is full: please free some space; all tests need 8 GB ({text})"
    if re.search(UNREACHABLE, text, re.IGNORECASE):
        return f"the network or the package index cannot be reached: please check the connection and the proxy ({text})"
    return text


def positive(text):
    """The type of a command-line argument that is an integer from 1 to 2^31 - 1."""
    if not re.fullmatch("[0-9]{1,10}", text) or not 1 <= int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 1 to {2**31 - 1}")
    return int(text)


def check(build_folder):
    """Fails if nothing can be built, so that the user learns this before anything is installed."""
    cxx()
    if full_folder():
        raise Failure(explained("nothing was built"))
    for folder in (TOOLS, build_folder):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise Failure(f"{folder} cannot be written to: {error.strerror}") from error


def say(text):
    print(text, flush=True)


def show(what, *command, **options):
    """Runs a step whose output is its progress; returns the exit code."""
    say(f"== {what}")
    start = time.monotonic()
    code = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, **options).wait()
    durations.append((what, time.monotonic() - start))
    return code


def step(what, *command, **options):
    """Runs a silent step: says what the step does and, now and then, that it is still running. Its output goes to the log."""
    say(f"== {what}")
    start = time.monotonic()
    TOOLS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=TOOLS) as output:
        words = [str(word) for word in command]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **options)
        try:
            await_step(what, process, start)
        finally:
            output.seek(0)
            said = output.read()
            with LOG.open("ab") as log:  # in one piece: several steps may run at once
                log.write(f"== {what}\n".encode() + said)
    durations.append((what, time.monotonic() - start))
    if process.returncode:
        lines = [line.strip() for line in said.decode(errors="replace").split("\n") if line.strip()]
        telling = [line for line in lines if re.search(UNREACHABLE, line, re.IGNORECASE)]  # pip goes on to guess
        lines = telling[:1] or lines[-1:] or [f"exit code {process.returncode}"]
        raise Failure(explained(f"{what}: {lines[0]}; all output: {LOG}"))


def await_step(what, process, start):
    """Waits for a silent step to end; ends it when nothing has been done for too long."""
    before, since = work_done(), start
    while process.poll() is None:
        try:
            process.wait(HEARTBEAT)
        except subprocess.TimeoutExpired:
            now, done = time.monotonic(), work_done()
            say(f"   ... {what}: {now - start:.0f} s")
            if done[0] - before[0] not in range(20) or done[1] - before[1] not in range(1000):
                before, since = done, now
            elif now - since >= STALLED:
                end_processes()
                text = explained(f"{what}: nothing happened for {now - since:.0f} s")
                raise Failure(f"{text}; please check the network and the disk" if "please" not in text else text) from None


def at_once(tasks, jobs):
    """Calls functions without arguments, so many at the same time; returns their results, or ends all steps if one fails."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            concurrent.futures.wait(futures, return_when=concurrent.futures.FIRST_EXCEPTION)
            failed = next((each for each in futures if each.done() and each.exception()), None)
            return failed.result() if failed else [each.result() for each in futures]
        finally:
            if not all(each.done() for each in futures):
                pool.shutdown(wait=False, cancel_futures=True)
                end_processes()


def requirements(group):
    return ROOT / "tools/requirements" / f"{group}.txt"


def install(groups, folder, interpreter, *options):
    """Installs requirement files from PyPI, but for those of which exactly this text is already installed in the folder."""
    with locks[folder]:
        wanted = {group: hashlib.sha256(requirements(group).read_bytes()).hexdigest() for group in groups}
        stamps = {group: folder / f".installed-{group}" for group in groups}
        missing = [
            group for group in groups
            if not stamps[group].exists() or stamps[group].read_text(encoding="utf-8") != wanted[group]
        ]
        if missing:
            files = [word for group in missing for word in ("--requirement", requirements(group))]
            step(f"installing {', '.join(missing)} from PyPI", interpreter, *PIP_INSTALL, *options, *files)
        for group in missing:
            stamps[group].write_text(wanted[group], encoding="utf-8")


def python(*groups):
    """The Python of a private virtual environment that has the packages of the named requirement files."""
    folder = TOOLS / "python"
    interpreter = folder / "bin/python"
    stamp = folder / ".created"  # at this path: the programs in bin contain the path of their interpreter
    if not interpreter.exists() or not stamp.exists() or stamp.read_text(encoding="utf-8") != str(folder):
        earlier = [path.name.removeprefix(".installed-") for path in sorted(folder.glob(".installed-*"))]
        groups += tuple(group for group in earlier if requirements(group).exists() and group not in groups)  # --clear removes all
        if importlib.util.find_spec("ensurepip"):
            step("creating a virtual environment", sys.executable, "-m", "venv", "--clear", folder)
        else:  # Debian without python3-venv
            wheel = next(debian("python3-pip-whl").glob("usr/share/python-wheels/pip-*.whl"))
            step("creating a virtual environment", sys.executable, "-m", "venv", "--clear", "--without-pip", folder)
            step("installing pip", interpreter, wheel / "pip", "install", "--no-index", wheel)
        stamp.write_text(str(folder), encoding="utf-8")
    if groups:  # without them, there is no reason to wait for what another thread installs
        install(groups, folder, interpreter)
    return interpreter


def wheels(group):
    """The folder into which the wheels of a requirement file are unpacked."""
    folder = TOOLS / group
    install([group], folder, python(), "--upgrade", "--target", folder)
    return folder


def wheel(specification):
    """The folder into which one wheel, `name==version`, is unpacked without its dependencies."""
    folder = TOOLS / specification
    if not folder.exists():
        unpacked = TOOLS / f"{specification}.part"
        options = ["--no-deps", "--upgrade", "--target", unpacked]
        step(f"installing {specification} from PyPI", python(), *PIP_INSTALL, *options, specification)
        unpacked.rename(folder)
    return folder


def other_release(release, components, state):
    """Options that make apt read a release other than the system's, from the same mirror."""
    if not release:
        return []
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    mirrors = [mirror for mirror in found if "security" not in mirror]
    if not mirrors:
        raise Failure("apt-get lists no mirror: packages of another Debian release cannot be fetched")
    keys = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    signed = f"[signed-by={keys}] " if keys.exists() else ""
    (state / "sources.list").write_text(f"deb {signed}{mirrors[0]} {release} {components}\n", encoding="utf-8")
    return ["--option", f"Dir::Etc::SourceList={state}/sources.list", "--option", "Dir::Etc::SourceParts=-"]


@functools.cache
def read_lists(release, components, architecture=None):
    """(the folder of apt's private lists and archives, the apt-get command with its options), once the lists are there."""
    state = TOOLS / "-".join(word for word in ("apt", release, release and components, architecture) if word)
    (state / "lists/partial").mkdir(parents=True, exist_ok=True)
    apt = [*APT_GET, "--option", f"Dir::State::Lists={state}/lists", "--option", f"Dir::Cache={state}"]
    apt += other_release(release, components, state)
    if architecture:
        apt += ["--option", f"APT::Architecture={architecture}", "--option", f"APT::Architectures={architecture}"]
    step("reading the lists of Debian packages", *apt, "update")
    return state, apt


def debian(package, release=None, components="main", architecture=None):
    """The folder into which a Debian package is unpacked. apt's lists and archives are private: no root is needed."""
    folder = TOOLS / "debian" / (f"{package}-{architecture}" if architecture else package)
    if not folder.exists():
        if not shutil.which("apt-get"):
            raise Failure(f"{package} is missing, and can be fetched only on Debian and Ubuntu: please install it")
        state, apt = read_lists(release, components, architecture)
        step(f"downloading {package}", *apt, "download", package, cwd=state)
        unpacked = state / package
        step(f"unpacking {package}", "dpkg-deb", "--extract", next(state.glob(f"{package}_*.deb")), unpacked)
        folder.parent.mkdir(exist_ok=True)
        unpacked.rename(folder)
    return folder


def missing_libraries(package):
    """The Debian packages that a package needs and that the system does not have."""
    _, apt = read_lists(None, "main")
    command = [*apt, "install", "--print-uris", "--yes", "--no-install-recommends", package]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return re.findall(r"^'\S+' ([^_\s]+)_\S+\.deb ", listed, re.MULTILINE)  # 'ADDRESS' NAME_VERSION_ARCHITECTURE.deb SIZE HASH


def debian_compiler(name, packages, scripts, release=None):
    """A program from Debian packages that a function names, unpacked into one folder, with scripts in bin that start it."""
    folder = TOOLS / name
    if not folder.exists():
        part = TOOLS / f"{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        for package in packages():
            shutil.copytree(debian(package, release), part, symlinks=True, copy_function=os.link, dirs_exist_ok=True)
        (part / "bin").mkdir()
        for program, text in scripts.items():
            (part / "bin" / program).write_text(f'#!/bin/sh\nhere=$(dirname "$(dirname "$0")")\n{text}\n', encoding="utf-8")
            (part / "bin" / program).chmod(0o755)
        part.rename(folder)
    return folder / "bin" / name


def clang_19():
    """A clang++ that compiles CUDA C++, to PTX only: it comes without ptxas."""
    def packages():
        return {"clang-19", "libclang-common-19-dev", "libclang-cpp19", "libllvm19", *missing_libraries("libclang-cpp19")}

    libraries = "$here/usr/lib/llvm-19/lib:$here/usr/lib/x86_64-linux-gnu"
    script = f'LD_LIBRARY_PATH={libraries} exec "$here/usr/lib/llvm-19/bin/clang++" "$@"'
    return debian_compiler("clang-19", packages, {"clang-19": script})


def gxx_14():
    """A g++ newer than the system's, for compiling, not for linking; the C library's headers are the system's."""
    packages = ["g++-14-x86-64-linux-gnu", "gcc-14-x86-64-linux-gnu", "libstdc++-14-dev", "libgcc-14-dev", "libc6"]
    packages += ["libstdc++6", "libgcc-s1", "libgmp10", "libisl23", "libmpc3", "libmpfr6", "libzstd1", "zlib1g"]
    start = 'exec "$here/usr/lib64/ld-linux-x86-64.so.2" --library-path "$here/usr/lib/x86_64-linux-gnu"'
    scripts = {
        "g++-14": f'{start} "$here/usr/bin/x86_64-linux-gnu-g++-14" -B"$here/bin/" "$@"',
        "cc1plus": f'{start} "$here/usr/libexec/gcc/x86_64-linux-gnu/14/cc1plus" "$@"',
    }
    return debian_compiler("g++-14", lambda: packages, scripts, "trixie")


def gxx_aarch64():
    """A g++ that compiles for aarch64, from Debian 12. Next to it is qemu-aarch64, which runs its programs."""
    packages = ["binutils-aarch64-linux-gnu", "libc6-arm64-cross", "libc6-dev-arm64-cross", "linux-libc-dev-arm64-cross"]
    packages += [f"{part}-12-aarch64-linux-gnu" for part in ("cpp", "g++", "gcc")]
    packages += [f"lib{part}-arm64-cross" for part in ("gcc-12-dev", "gcc-s1", "stdc++-12-dev", "stdc++6")]
    packages += ["libatomic1-arm64-cross", "libubsan1-arm64-cross", "qemu-user-static"]
    libraries = 'LD_LIBRARY_PATH="$here/usr/lib/x86_64-linux-gnu"'
    scripts = {
        "aarch64-linux-gnu-g++": f'{libraries} exec "$here/usr/bin/aarch64-linux-gnu-g++-12" --sysroot="$here" "$@"',
        "qemu-aarch64": 'exec "$here/usr/bin/qemu-aarch64-static" -L "$here/usr/aarch64-linux-gnu" "$@"',
    }
    return debian_compiler("aarch64-linux-gnu-g++", lambda: packages, scripts, "bookworm")


def cmake():
    """The cmake on PATH if it is 3.25 or newer, else one from PyPI; ctest is next to it."""
    found = shutil.which("cmake")
    if found:
        text = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.search(r"version (\d+)\.(\d+)", text)
        if version and tuple(map(int, version.groups())) >= (3, 25):
            return Path(found)
    try:
        return python("build").with_name("cmake")
    except Failure as failure:
        which = f"{found} is older than 3.25" if found else "cmake is not on PATH"
        raise Failure(f"{which}, and cmake could not be installed: {failure}") from failure


def newer_cmakes():
    """The cmake programs with which the package is tested, in addition to cmake(), which may be the newest itself."""
    groups = ["cmake-3.31"] if cmake().parent == TOOLS / "python/bin" else ["cmake-3.31", "cmake-4.4"]
    programs = [wheels(group) / "cmake/data/bin/cmake" for group in groups]
    for program in programs:
        program.chmod(0o755)
    return programs


def cccl():
    """The folder of the CMake package of a CCCL that is not part of a toolkit."""
    folder = wheels("cccl-3.5") / "nvidia/cu13"
    include = folder / "cccl/include"  # where CCCL's CMake files look for headers
    if not include.exists():
        include.symlink_to("../include/cccl")
    return folder / "cccl/lib/cmake/cccl"


def ninja():
    return Path(shutil.which("ninja") or python("build").with_name("ninja"))


def cxx():
    name = os.environ.get("CXX", "g++")
    found = shutil.which(name)
    if not found:
        raise Failure(f"no C++ compiler: {name} is not on PATH (Debian: apt install g++)")
    return Path(found)


def nvcc():
    """The nvcc of $CUDACXX, on PATH or in /usr/local/cuda; otherwise one from PyPI (about 500 MB)."""
    for candidate in (os.environ.get("CUDACXX"), "nvcc", "/usr/local/cuda/bin/nvcc"):
        found = candidate and shutil.which(candidate)
        if found:
            return Path(found)
    return cuda_13("cuda-13.0")


def cuda_13(group):
    """The nvcc of a toolkit that consists of wheels."""
    toolkit = wheels(group) / "nvidia/cu13"
    for link, target in (("lib64", "lib"), ("lib/libcudart.so", "libcudart.so.13"), ("lib/libnvrtc.so", "libnvrtc.so.13")):
        if (toolkit / link).parent.joinpath(target).exists() and not (toolkit / link).exists():
            (toolkit / link).symlink_to(target)  # CMake looks for it
    for program in (*toolkit.glob("bin/*"), *toolkit.glob("nvvm/bin/*")):
        program.chmod(0o755)
    return toolkit / "bin/nvcc"


CUDA_12_PROFILE = """\
TOP = $(_HERE_)/..
CICC_PATH = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64" $(_SPACE_)
"""


def cuda_12():
    """The nvcc of CUDA 12.4: the programs come from a Debian 13 package, the headers and libraries from wheels."""
    toolkit = TOOLS / "cuda-12.4-toolkit"
    if not toolkit.exists():
        headers = wheels("cuda-12.4") / "nvidia"
        programs = debian("nvidia-cuda-toolkit", "trixie", "non-free") / "usr"
        part = TOOLS / "cuda-12.4-toolkit.part"
        shutil.rmtree(part, ignore_errors=True)
        for folder in ("bin", "nvvm/bin", "lib64"):
            (part / folder).mkdir(parents=True)
        for name in ("cudafe++", "ptxas", "fatbinary", "nvlink", "bin2c", "__nvcc_device_query"):
            shutil.copy(programs / "bin" / name, part / "bin")
        private = programs / "lib/nvidia-cuda-toolkit"
        shutil.copy(private / "bin/nvcc", part / "bin")
        shutil.copy(private / "bin/cicc", part / "nvvm/bin")
        shutil.copytree(private / "libdevice", part / "nvvm/libdevice")
        for package in ("cuda_runtime", "cuda_nvcc"):
            shutil.copytree(headers / package / "include", part / "include", dirs_exist_ok=True)
        shutil.copy(headers / "cuda_runtime/lib/libcudart.so.12", part / "lib64")
        (part / "lib64/libcudart.so").symlink_to("libcudart.so.12")
        (part / "bin/nvcc.profile").write_text(CUDA_12_PROFILE, encoding="utf-8")
        part.rename(toolkit)
    return toolkit / "bin/nvcc"


def nvrtc():
    return wheels("nvrtc-13.0") / "nvidia/cu13/lib/libnvrtc.so.13"


def nvrtc_12():
    return wheels("nvrtc-12.9") / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"


def nvrtcs():
    """The NVRTC libraries with which every public header is compiled, from 12.0 to 13.5."""
    oldest = wheels("nvrtc-12.0") / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"
    newest = wheels("nvrtc-13.5") / "nvidia/cu13/lib/libnvrtc.so.13"
    return [oldest, nvrtc_12(), nvrtc(), newest]


def nvdisasm():
    program = wheels("nvdisasm") / "nvidia/cu13/bin/nvdisasm"
    program.chmod(0o755)
    return program


def catch2():
    """The folder of Catch2's CMake package if it had to be downloaded, None if CMake finds one by itself."""
    with tempfile.TemporaryDirectory() as folder:
        probe = "cmake_minimum_required(VERSION 3.25)\nproject(probe LANGUAGES CXX)\nfind_package(Catch2 REQUIRED)\n"
        Path(folder, "CMakeLists.txt").write_text(probe, encoding="utf-8")
        generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja()}"]
        command = [cmake(), "-S", folder, "-B", folder, *generator, f"-DCMAKE_CXX_COMPILER={cxx()}"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return None
    return next(debian("catch2").glob("usr/**/Catch2Config.cmake")).parent


def catch2_aarch64():
    return next(debian("catch2", "bookworm", architecture="arm64").glob("usr/**/Catch2Config.cmake")).parent


def relacy():
    """The folder of relacy's headers if they had to be downloaded, None if CMake finds them or their tests will be skipped."""
    if Path("/usr/include/relacy/relacy.hpp").exists() or not shutil.which("apt-get"):
        return None
    try:
        return debian("relacy-dev") / "usr/include"
    except Failure as failure:
        say(f"   the tests with relacy are skipped: {failure}")
        return None


def has_gpu():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def is_outdated(folder, variables):
    """Whether CMake has configured the folder for other sources or compilers, which CMake cannot change afterwards."""
    cache = folder / "CMakeCache.txt"
    if not cache.exists():
        return False
    cached = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(encoding="utf-8"), re.MULTILINE))
    wanted = {"CMAKE_HOME_DIRECTORY": ROOT, "CMAKE_CACHEFILE_DIR": folder}
    wanted |= {name: value for name, value in variables.items() if name.endswith("_COMPILER")}
    return any(name in cached and cached[name] != str(value) for name, value in wanted.items())


def build(folder, jobs, definitions, *targets):
    """Configures the project with the given cache variables, and builds the targets, or all of them."""
    variables = {
        "CMAKE_MAKE_PROGRAM": ninja(),
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_COMPILER": cxx(),
        "CMAKE_CUDA_ARCHITECTURES": "native" if has_gpu() else "90",
        **definitions,
    }
    words = [f"-D{name}={value}" for name, value in variables.items()]
    mark = folder / ".configuring"  # until CMake has finished: what it found before an interruption may be wrong
    if mark.exists() or is_outdated(folder, variables):
        words.append("--fresh")
    folder.mkdir(parents=True, exist_ok=True)
    mark.touch()
    if show("configuring", cmake(), "-S", ROOT, "-B", folder, "-G", "Ninja", *words):
        raise Failure(explained("configuring failed: see CMake's message above"))
    mark.unlink()
    if show("building", cmake(), "--build", folder, "--parallel", jobs, "--target", *(targets or ["all"]), "--", "-k", "0"):
        raise Failure(explained("building failed: see the compiler's message above"))
