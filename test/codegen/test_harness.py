"""The harnesses must be able to fail: each kind of mistake in a test or in the code that it tests is red here."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cudasync_tools import atomic_matrix, directives, headers, nvrtc, operand_audit, order_audit, progress_audit, sass, toolchain
from cudasync_tools.codegen_format import Codegen
from cudasync_tools.compile_fail_format import CompileFail
from cudasync_tools.directives import DirectiveError
from cudasync_tools.lit_format import Failure
from cudasync_tools.planted import planted

SHORT = 'extern "C" __global__ void hand_add(int* out) { out[threadIdx.x] = 1; }\n'
EQUAL = 'extern "C" __global__ void ours_add(int* out) { out[threadIdx.x] = 1; }\n'
LONG = 'extern "C" __global__ void ours_add(int* out) { out[threadIdx.x] += out[0] * out[1]; }\n'


@pytest.fixture
def write(tmp_path):
    def write_file(text):
        path = tmp_path / "test.cu"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    return write_file


def fails(form, path, variant, text):
    with pytest.raises(Failure, match=text):
        form.run(path, variant)


def test_equal_twins_pass(write):
    report = Codegen().run(write(SHORT + EQUAL), "sm_90")
    assert "ours_add" in report and "registers" in report


@pytest.mark.parametrize("variant", ["sm_75", "sm_90", "sm_100", "nvcc-sm_90"])
def test_longer_twin_fails(write, variant):
    fails(Codegen(), write(SHORT + LONG), variant, r"ours_add: \d+ instructions, hand_add: \d+")


def test_twin_with_more_registers_fails(write):
    body = " ".join(f"int r{i} = out[{i} * 32];" for i in range(24))
    many = f'extern "C" __global__ void ours_add(int* out) {{ {body} __syncthreads(); out[0] = r0' + "".join(f" ^ r{i}" for i in range(24))
    fails(Codegen(), write(SHORT + many + "; }\n"), "sm_90", r"ours_add: \d+ registers, hand_add: \d+")


def test_function_out_of_line_counts_for_the_twin(write):
    called = "__device__ __noinline__ void add(int* out) { out[threadIdx.x] = 1; }\n"
    ours = 'extern "C" __global__ void ours_add(int* out) { add(out); }\n'
    fails(Codegen(), write(called + SHORT + ours), "sm_90", "instructions")


FENCED = """
    extern "C" __global__ void hand_send(unsigned* flag, int* data) {
      data[threadIdx.x] = 1;
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
      asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
    }
    extern "C" __global__ void ours_send(unsigned* flag, int* data) {
      data[threadIdx.x] = 1;
      asm volatile("fence.acq_rel.gpu;" ::: "memory");
      asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
    }
    """
FENCE = '      asm volatile("fence.acq_rel.gpu;" ::: "memory");\n'


def test_twin_without_a_fence_fails(write):
    Codegen().run(write(FENCED), "sm_90")
    before, middle, after = FENCED.split(FENCE)
    fails(Codegen(), write(before + FENCE + middle + after), "sm_90", "ours_send lacks fence.acq_rel.gpu, which hand_send has")


def test_twin_whose_fence_comes_late_fails(write):
    before, middle, after = FENCED.split(FENCE)
    late = FENCE.join(after.rsplit("    }\n", 1)[:1] + ["    }\n"])
    fails(Codegen(), write(before + FENCE + middle + late), "sm_90", "another order")


def test_lone_twin_fails(write):
    fails(Codegen(), write(SHORT), "sm_90", "without a twin: add")


def test_limit(write):
    kernel = 'extern "C" __global__ void fill(int* out) { out[threadIdx.x] = 1; }\n'
    Codegen().run(write("// LIMIT: fill sm_90+ 20\n" + kernel), "sm_90")
    fails(Codegen(), write("// LIMIT: fill sm_90+ 3\n" + kernel), "sm_100", "the limit is 3")
    Codegen().run(write("// LIMIT: fill sm_90+ 64 registers\n" + kernel), "sm_90")
    fails(Codegen(), write("// LIMIT: fill sm_90+ 1 registers\n" + kernel), "sm_90", "registers, the limit is 1")
    fails(Codegen(), write("// LIMIT: gone sm_90+ 3\n" + kernel), "sm_90", "no kernel gone")


def test_count(write):
    try:
        toolchain.nvdisasm()
    except toolchain.ToolMissing as missing:
        pytest.skip(str(missing))
    kernel = 'extern "C" __global__ void fill(int* out) { out[threadIdx.x] = 1; if (out[0]) __syncthreads(); }\n'
    Codegen().run(write("// COUNT: fill sm_90+ STG 1\n// COUNT: fill sm_90 BAR.SYNC 1\n" + kernel), "sm_90")
    fails(Codegen(), write("// COUNT: fill sm_90 STG 2\n" + kernel), "sm_90", "fill: 1 STG, expected 2")
    fails(Codegen(), write("// COUNT: fill sm_90 ST 1\n" + kernel), "sm_90", "fill: 0 ST, expected 1")
    fails(Codegen(), write("// COUNT: gone sm_90 STG 1\n" + kernel), "sm_90", "no kernel gone")


def test_architecture_without_any_check_fails(write):
    fails(Codegen(), write("// LIMIT: fill sm_90 20\n__global__ void fill() {}\n"), "sm_80", "nothing is checked")


def test_missing_check_text_fails(write):
    kernel = 'extern "C" __global__ void fill(int* out) { out[threadIdx.x] = 1; }\n'
    Codegen().run(write("// PTX-LABEL: .entry fill\n// PTX: st.global.{{.}}32\n" + kernel), "sm_90")
    fails(Codegen(), write("// PTX: mbarrier.init\n" + kernel), "sm_90", r"Couldn't match \"mbarrier.init\"")
    fails(Codegen(), write("// PTX: st\n// PTX-NOT: ret\n" + kernel), "sm_90", "excluded string")


def test_missing_sass_text_fails(write):
    try:
        toolchain.nvdisasm()
    except toolchain.ToolMissing as missing:
        pytest.skip(str(missing))
    kernel = 'extern "C" __global__ void fill(int* out) { out[threadIdx.x] = 1; }\n'
    Codegen().run(write("// SASS-LABEL: fill:\n// SASS: STG.E\n// SASS: EXIT\n" + kernel), "sm_90")
    fails(Codegen(), write("// SASS: SYNCS\n" + kernel), "sm_90", "Couldn't match")


def test_listing_and_count_agree():
    try:
        toolchain.nvdisasm()
    except toolchain.ToolMissing as missing:
        pytest.skip(str(missing))
    source = "__device__ __noinline__ void add(int* out) { out[threadIdx.x] = 1; }\n"
    source += 'extern "C" __global__ void call(int* out) { if (out[7]) add(out); }\n' + SHORT
    source += 'extern "C" __global__ void spin(volatile int* out) { while (out[0]); }\n'
    for arch in ("75", "80", "90", "100", "120"):
        cubin, _ = nvrtc.compile(source, "test.cu", arch, cubin=True)
        listing = sass.lines(cubin, arch)
        kernels = sass.kernels(cubin)
        assert any(re.search(r"CALL.*add", line) for line in listing["call"])
        assert {name: len(text) for name, text in listing.items()} == {name: kernel.instructions + kernel.called for name, kernel in kernels.items()}
        assert kernels["call"].called > 0 and kernels["hand_add"].called == 0
    texts = ("\n".join(itertools.chain(*code.values())) for code in (listing, sass.disassemble(cubin)))
    without_places = [re.sub(r"(-?0x|`)\S+$", "", text, flags=re.MULTILINE) for text in texts]
    assert without_places[0] == without_places[1]


@pytest.mark.parametrize(
    ("right", "wrong", "text"),
    [
        ("// The kernels", "#define memory_order_acquire memory_order_seq_cst\n//", "PTX: found .*fence.sc"),
        ("// The kernels", "#define thread_scope_block thread_scope_system\n//", "expected st.relaxed.cta"),
        ("return *static_cast", "__threadfence();\n  return *static_cast", "1 MEMBAR"),
        ("*static_cast<cuda::atomic<Value, Scope>*>", "**static_cast<cuda::atomic<Value, Scope>**>", "isspacep.*\n.*\n.* 1 LD"),
    ],
)
def test_matrix_of_atomics_finds(right, wrong, text):
    try:
        toolchain.nvdisasm()
    except toolchain.ToolMissing as missing:
        pytest.skip(str(missing))
    source = (toolchain.ROOT / "test/codegen/atomic_matrix.cu").read_text(encoding="utf-8")
    types = [type for type in atomic_matrix.TYPES if type.name == "eight"]
    atomic_matrix.run(source, "matrix.cu", ["90"], types)
    with pytest.raises(Failure, match=text):
        atomic_matrix.run(source.replace(right, wrong), "matrix.cu", ["90"], types)


def test_check_holds_only_on_its_targets(write):
    path = write(
        """\
        // PTX-SM80: sm80
        // PTX-SM90+: sm90
        extern "C" __global__ void fill() {
        #if __CUDA_ARCH__ >= 900
          asm volatile("// sm90");
        #elif __CUDA_ARCH__ >= 800
          asm volatile("// sm80");
        #endif
        }
        """
    )
    for variant in ("sm_80", "sm_90", "sm_100"):
        Codegen().run(path, variant)
    fails(Codegen(), path, "sm_75", "nothing is checked")


def test_each_architecture_of_a_target_is_checked(write, monkeypatch):
    text = """\
        // ARCHS: 90 90a
        // SASS-NOT: STG
        extern "C" __global__ void fill(int* out) {
        #if defined(__CUDA_ARCH_FEAT_SM90_ALL)
          *out = 1;
        #endif
        }
        """
    fails(Codegen(), write(text), "sm_90", "sm_90a: .*STG")
    for is_thorough, count in ((True, 3), (False, 1)):
        monkeypatch.setattr(toolchain, "THOROUGH", is_thorough)
        assert Codegen().run(write(text.replace("90 90a", "100 103 120")), "sm_100").count("fill") == count


def needs_ptxas():
    try:
        toolchain.ptxas()
        toolchain.nvdisasm()
    except toolchain.ToolMissing as missing:
        pytest.skip(str(missing))


def audited(*kept):
    """The source of the audit of orders with those of its cases alone whose lines hold one of these texts."""
    text = (toolchain.ROOT / "test/codegen/order_audit.cu").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    is_case = re.compile(r"(AUDIT|AUDIT_REMOTE)\(")
    return "".join(line for line in lines if not is_case.match(line) or any(word in line for word in kept))


def test_audit_of_orders_finds_what_does_not_order(monkeypatch):
    needs_ptxas()
    for generator in ("instructions", "words", "atomics"):
        monkeypatch.setattr(order_audit, generator, lambda arch: ())
    source = audited("semaphore_release", "locked_store", "locked_load")
    order_audit.run(source, "audit.cu", ["90"])
    wrong = {
        "it.release()": "static_cast<void>(it.try_acquire())",
        "it.store(large{}, cuda::memory_order_release)": "it.store(1, cuda::memory_order_relaxed)",
        "it.load(cuda::memory_order_acquire).parts[0]": "it.load(cuda::memory_order_relaxed)",
        "using locked = cuda::atomic<large,": "using locked = cuda::atomic<int,",
    }
    for text, replacement in wrong.items():
        assert source.count(text) == 1
        source = source.replace(text, replacement)
    with pytest.raises(Failure) as failure:
        order_audit.run(source, "audit.cu", ["90"])
    for name in ("release__device__semaphore_release__global", "release__device__locked_store__shared", "acquire__device__locked_load__global"):
        assert name in str(failure.value)


def test_a_fault_that_cannot_be_planted_says_what_is_lost():
    assert planted("a b", "x.h", "b is c", "b", "c", "`test_of_b`") == "a c"
    for source in ("a", "b b"):
        with pytest.raises(AssertionError) as failure:
            planted(source, "x.h", "b is c", "b", "c", "`test_of_b`")
        for part in ("the fault 'b is c'", "x.h", "Run `test_of_b`", "--- text\nb\n", "must fail\nc\n"):
            assert part in str(failure.value)


# As ptx/atom.h would have it for all kinds of memory.
ADDITIONS_OF_TWO = """
template <class Pointer>
__device__ unsigned add_two(Pointer place, unsigned operand) {
  unsigned before;
  if constexpr (sizeof place.address == 4)
    asm volatile("atom.shared.add.noftz.f16x2 %0, [%1], %2;" : "=r"(before) : "r"(place.address), "r"(operand) : "memory");
  else
    asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(before) : "l"(place.address), "r"(operand) : "memory");
  return before;
}
"""


def test_audit_of_operands_finds_wrong_halves(monkeypatch):
    needs_ptxas()
    case = (".add.noftz.f16x2", "unsigned", "use(add_two({pointer}, operand), seen)", ("global", "shared"))
    monkeypatch.setattr(operand_audit, "operations", lambda arch: [case])
    text = (toolchain.ROOT / "test/codegen/operand_audit.cu").read_text(encoding="utf-8") + ADDITIONS_OF_TWO
    with pytest.raises(Failure) as failure:
        operand_audit.run(text, "audit.cu", ["90"])
    for part in ("v", "v >> 32"):
        assert f"in shared memory, operand {part}: " in str(failure.value)


def test_audit_of_orders_finds_what_ptxas_loses(monkeypatch):
    """Additions of 64 bits in shared memory, if the headers did not know: on sm_90, also from the PTX for sm_80."""
    needs_ptxas()
    monkeypatch.setattr(toolchain, "THOROUGH", True)  # else only some of these

    def additions(arch, given=order_audit.instructions):
        for case, _ in given(arch):
            if case.name.startswith("atom_add_u64__release") and case.space in ("global", "shared"):
                yield case, "true"

    monkeypatch.setattr(order_audit, "instructions", additions)
    for generator in ("words", "atomics"):
        monkeypatch.setattr(order_audit, generator, lambda arch: ())
    for arch in ("80", "90"):
        with pytest.raises(Failure, match="sm_90 atom_add_u64__release__device__shared") as failure:
            order_audit.run(audited(), "audit.cu", [arch])
        assert "sm_80" not in str(failure.value)


@pytest.mark.parametrize(
    "line",
    [
        "// ARCH: 90",
        "// ARCHS: 91",
        "// NVCC: x",
        "// PTX-SM85: a",
        "// PTX_SM90: a",
        "// LIMIT: fill 3",
        "// COUNT: fill sm_90 3",
        "// CHECK: a",
    ],
)
def test_malformed_directive_is_an_error(write, line):
    with pytest.raises(DirectiveError):
        Codegen().variants(write(line + "\n" + SHORT + EQUAL))


def test_variants(write, monkeypatch):
    for is_thorough, by_nvcc in ((True, ["nvcc-sm_80", "nvcc-sm_90"]), (False, ["nvcc-sm_90"])):
        monkeypatch.setattr(toolchain, "THOROUGH", is_thorough)
        assert Codegen().variants(write("// ARCHS: 75 90+\n// NVCC: 80 90\n")) == ["sm_75", "sm_90", "sm_100", *by_nvcc]
    assert directives.architectures([]) == list(nvrtc.ARCHITECTURES)
    assert directives.architectures(["100a 103f"]) == ["100a", "103f"]
    for wrong in ("80a", "100x", "99a", "100a+"):
        with pytest.raises(DirectiveError):
            directives.architectures([wrong])


def test_what_takes_turns_has_one(monkeypatch):
    """A file or an architecture that one run leaves out is in another one, and no run is without sm_90."""
    monkeypatch.setattr(toolchain, "THOROUGH", False)
    files = sorted(Path(__file__).parent.glob("*.cu"))
    runs = []
    for number in range(6):
        monkeypatch.setattr(toolchain, "turn", lambda count, number=number: number % count)
        runs.append({(path.stem, variant) for path in files for variant in Codegen().variants(path)})
    assert {stem for stem, _ in set.union(*runs)} == {path.stem for path in files}
    for stem, others in (("atomic_matrix", (75, 100)), ("order_audit", (75, 100)), ("progress_audit", (75, 80, 100))):
        assert {(stem, f"sm_{number}") for number in (*others, 90)} <= set.union(*runs)
        assert all((stem, "sm_90") in run for run in runs)
    assert all(("checked_registers", "sm_90") in run for run in runs)


def test_source_that_does_not_compile_or_warns_fails(write):
    fails(Codegen(), write(SHORT + "int f() { return x; }"), "sm_90", 'identifier "x" is undefined')
    fails(Codegen(), write(SHORT + "#warning careful\n"), "sm_90", "careful")


def pair(bad, good, head="// ERROR: count must be positive\n// COMPILERS: nvrtc nvcc host\n"):
    return head + f"#if defined(CUDASYNC_EXPECT_ERROR)\n{bad}\n#else\n{good}\n#endif\n"


BAD = 'static_assert(-1 > 0, "count must be positive");'
GOOD = 'static_assert(1 > 0, "count must be positive");'
COMPILERS = ["nvrtc-sm_90", "nvcc-sm_90", "host"]


@pytest.mark.parametrize("variant", COMPILERS)
def test_compile_fail_pair(write, variant, monkeypatch):
    monkeypatch.setattr(toolchain, "THOROUGH", True)
    path = write(pair(BAD, GOOD))
    assert variant in CompileFail().variants(path)
    CompileFail().run(path, variant)
    fails(CompileFail(), write(pair(GOOD, GOOD)), variant, "the misuse compiles")
    fails(CompileFail(), write(pair(BAD, BAD)), variant, "corrected line must compile")
    fails(CompileFail(), write(pair('static_assert(false, "other");', GOOD)), variant, "but not with /count must")
    absent = "// ERROR: count must be positive\n// ABSENT: be positive\n// COMPILERS: nvrtc nvcc host\n"
    fails(CompileFail(), write(pair(BAD, GOOD, head=absent)), variant, "must not contain `be positive`")


@pytest.mark.parametrize(
    "text",
    [
        pair(BAD, GOOD, head=""),
        pair(BAD, GOOD, head="// ERROR: count\n// COMPILERS: clang\n"),
        pair(BAD, GOOD, head="// error: count\n"),
        "// ERROR: count\nint no_pair;\n",
    ],
)
def test_malformed_pair_is_an_error(write, text):
    with pytest.raises(DirectiveError):
        CompileFail().variants(write(text))


SEVERAL = """\
// What several misuses share.
using number = int;

// misuse: alone
// ERROR: one is no letter
static_assert(sizeof(number) == 1, "one is no letter");  // wrong
static_assert(sizeof(number) != 1, "one is no letter");  // right

// common:
struct other {};

namespace use {
  // misuse: first
  // ERROR: first of two
  static_assert(sizeof(other) == 2, "first of two");  // wrong
  static_assert(sizeof(other) == 1, "first of two");  // right

  // misuse: second
  // ERROR: second of two
  // COMPILERS: host
#if defined(CUDASYNC_EXPECT_ERROR)
  static_assert(sizeof(other) == 2, "second of two");
#else
  static_assert(sizeof(number) == 4, "second of two");
#endif
}

// common:
// misuse: last
// ERROR: last of all
other left();                              // wrong
static_assert(true, "last of all");        // right
"""


def test_several_misuses_in_a_file(write, monkeypatch):
    """Each has its own unit: the head, the last common lines, and the brace that closes their function."""
    monkeypatch.setattr(toolchain, "THOROUGH", True)
    path = write(SEVERAL)
    form = CompileFail()
    assert form.variants(path) == ["alone/nvrtc-sm_90", "first/nvrtc-sm_90", "second/host", "last/nvrtc-sm_90"]
    for variant in form.variants(path)[:3]:
        form.run(path, variant)
    fails(form, path, "last/nvrtc-sm_90", "but not with /last of all/")  # `other` is not common to it
    units = {name: text for name, (text, _) in form.parse(path).items()}
    assert [text.count("}") for text in units.values()] == [0, 2, 2, 0]
    assert all(len(text.splitlines()) == len(SEVERAL.splitlines()) for text in units.values())
    fails(form, write(SEVERAL.replace('== 1, "first', '== 3, "first')), "first/nvrtc-sm_90", "corrected line must compile")
    fails(form, write(SEVERAL.replace('== 2, "second', '== 1, "second')), "second/host", "the misuse compiles")


@pytest.mark.parametrize(("old", "new"), [("misuse: second", "misuse: first"), ("// ERROR: first of two", "//"), ("// right", "")])
def test_malformed_misuse_is_an_error(write, old, new):
    with pytest.raises(DirectiveError):
        CompileFail().variants(write(SEVERAL.replace(old, new, 1)))


def test_lit_reports_each_variant(write, tmp_path):
    write("// ARCHS: 80 90\n// LIMIT: ours_add sm_80 3\n" + SHORT + EQUAL)
    (tmp_path / "lit.cfg.py").write_text("from cudasync_tools.codegen_format import Codegen\nconfig.name = 'trial'\nconfig.test_format = Codegen()\n")
    command = [sys.executable, str(toolchain.ROOT / "tools/run_lit.py"), "-v", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "FAIL: trial :: test.cu/sm_80" in done.stdout and "the limit is 3" in done.stdout
    assert "PASS: trial :: test.cu/sm_90" in done.stdout


def test_hostile_macros_break_ordinary_names():
    command = [toolchain.gxx(), "-fsyntax-only", f"-I{toolchain.INCLUDE}", "-x", "c++", "-"]
    code = "template <class T> struct box;\n"
    headers.compiles(command, headers.unit([]) + code)
    with pytest.raises(pytest.fail.Exception, match="box"):
        headers.compiles(command, headers.unit([], hostile=True) + code)


def test_warning_fails_a_header():
    command = [toolchain.gxx(), "-fsyntax-only", "-Wall", "-x", "c++", "-"]
    with pytest.raises(pytest.fail.Exception, match="unused variable"):
        headers.compiles(command, "void f() { int unused; }\n")


POLLS = 'extern "C" __global__ void polls(volatile unsigned* word, volatile unsigned* seen) {{ {} }}'


@pytest.mark.parametrize(
    "loop",
    [
        "while (*word != 7) {}",
        "while (*word != 1024) {}",  # as many as the attempts of one try
        "for (unsigned polls = 0; *word != 7; ++polls) if (polls >= 16) *seen = polls;",  # counts, and does not end
        "for (unsigned polls = 0; polls < 1024; ++polls) while (*word != polls) {}",
    ],
)
def test_a_loop_that_only_polls_starves_others(loop):
    with pytest.raises(Failure, match="1 of 1 kernels have a loop that starves other lanes"):
        progress_audit.run(POLLS.format(loop), "polls.cu", ["75"])


@pytest.mark.parametrize("attempts", [16, 1024])
def test_a_loop_that_ends_by_itself_starves_nobody(attempts):
    loop = f"for (unsigned polls = 0; polls < {attempts} && *word != 7; ++polls) {{}}"
    assert progress_audit.run(POLLS.format(loop), "polls.cu", ["75", "90"]) == "2 kernels"


def test_a_function_that_looks_once_reads_no_clock():
    text = 'extern "C" __global__ void it_{}__shared(unsigned long long* at) {{ asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(*at)); }}'
    for once in ("try_wait", "try_wait_for_0", "try_acquire"):
        with pytest.raises(Failure, match="1 kernels look once, and read the clock"):
            progress_audit.run(text.format(once), "clock.cu", ["75"])
    assert progress_audit.run(text.format("try_wait_for"), "clock.cu", ["75"]) == "1 kernels"
