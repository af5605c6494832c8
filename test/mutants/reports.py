"""The cases of test/gpu/hang_report*.cu on the machine of test/model, each compiled alone by NVRTC."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re

from cudasync_tools import model, nvrtc, toolchain

FOLDER = toolchain.ROOT / "test/gpu"
CASES = "// --- The cases, and what each must print ---"
OPTIONS = ("-DCUDASYNC_CHECKED=1", "-DCUDASYNC_HANG_TIMEOUT_MS=100", "-lineinfo", "-default-device")

# What the kernels use of headers that NVRTC does not have.
WORDS = (
    "namespace std { template <class Value> constexpr Value&& move(Value& value) { return static_cast<Value&&>(value); } }"
    "namespace gpu_test { __device__ inline void pause(unsigned long long duration) { const auto now = [] {"
    'unsigned long long time; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory"); return time; };'
    "const unsigned long long start = now(); while (now() - start < duration) {} } }"
)


def shape(text):
    """The first five numbers of a gpu_test::shape: blocks, threads, bytes, whether it is cooperative, blocks of a cluster."""
    numbers = [{"false": 0, "true": 1}.get(word) if word in ("false", "true") else int(word) for word in re.findall(r"\w+", text)]
    return numbers + [1, 1, 0, 0, 1][len(numbers) :]


@functools.cache
def cases(stem):
    """{name of a kernel: (its shape, the texts that its report must contain, with a ! not)}, from the table of the file."""
    table = (FOLDER / f"{stem}.cu").read_text(encoding="utf-8").split(CASES)[1]
    shapes = dict(re.findall(r"\b(\w+)\{([^{}]*)\}", " ".join(re.findall(r"constexpr gpu_test::shape [^;]*;", table))))
    default = re.search(r"#define MISUSE\(.*\(gpu_test::shape\{([^}]*)\}\)", table)
    table = re.sub(r"\s//[^\n]*", "", table.split("const misuse cases[]")[1])
    result = {}
    string = r'"(?:[^"\\]|\\.)*"'
    for match in re.finditer(rf"MISUSE(_IN)?\(((?:{string}|\([^()]*(?:\([^()]*\)[^()]*)*\)|[^()\"])*)\)", table):
        parts = [part.strip() for part in re.findall(rf"(?:{string}|\([^()]*\)|\{{[^}}]*\}}|[^,\"(])+", match[2])]
        how = parts.pop(0) if match[1] else default[1]
        how = how.removeprefix("(gpu_test::shape{").removesuffix("})")
        texts = ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', part)) for part in parts[1:]]
        result[parts[0]] = (shape(shapes.get(how, how)), texts)
    return result


def source(stem, name):
    """(the file with this kernel alone, all lines where they were; the numbers of its lines that end with "// <mark>")"""
    text = (FOLDER / f"{stem}.cu").read_text(encoding="utf-8").split(CASES)[0]

    def blank(match):
        return "\n" * match[0].count("\n")

    text = re.sub(r'^#include (?:"|<utility>).*\n', blank, text, flags=re.MULTILINE)
    text = re.sub(r"^(?:inline |static )?void (?:.|\n)*?^}\n", blank, text, flags=re.MULTILINE)  # on the host
    kernels = r"^(?:template <[^\n]*>\n)?__global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\((?:.|\n)*?^}\n"
    marks = {}
    for match in re.finditer(kernels, text, re.MULTILINE):
        if match[1] == name:
            first = text.count("\n", 0, match.start()) + 1
            for number, line in enumerate(match[0].splitlines(), first):
                marks.update((mark, number) for mark in re.findall(r"// (<\w+>)", line))
    text = re.sub(kernels, lambda match: match[0] if match[1] == name else blank(match), text, flags=re.MULTILINE)
    return re.sub(rf"^__global__ void (.*\b{name}\()", r'extern "C" __global__ void \1', text, flags=re.MULTILINE), marks


def missing(stem, name, arch="90"):
    """What the report of this case lacks, or with a ! says too much: a list of texts, empty if it is complete."""
    (blocks, threads, size, _, cluster), texts = cases(stem)[name]
    text, marks = source(stem, name)
    ptx, log = nvrtc.compile(WORDS + text, f"{stem}.cu", arch, OPTIONS)
    assert ptx is not None, log
    kernel = model.Kernel(name, grid=(blocks, 1, 1), block=(threads, 1, 1), cluster=(cluster, 1, 1), shared=size)
    end, _, said = model.Module(ptx, nvrtc.number(arch)).run(kernel, 1, finds_races=False, parameters=(0, 0))
    for mark, line in marks.items():
        texts = [each.replace(mark, f"{stem}.cu:{line}") for each in texts]
    lacks = [each for each in texts if (each[1:] in said if each.startswith("!") else each not in said)]
    return lacks + ([] if end == "trapped" else [f"it {end}\n{said}"])
