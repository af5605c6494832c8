"""A case of the atlas: one operation in one shape, as the text of a kernel for each contestant and each kind of measurement."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from dataclasses import dataclass, field

MEMORIES = ("shared", "global", "unknown", "cluster")
SHAPES = ((1, 1), (32, 1), (256, 1), (1024, 1), (96, 132), (1000, 132), (256, 528), (1024, 528))
FEW_THREADS = ((32, 1), (256, 1), (1, 132), (32, 132))  # of those that compete for one object


@dataclass(frozen=True)
class Code:
    """What a contestant does. The texts use `at`, `value`, `second` and `round`; step may declare `result`."""

    step: str
    declare: str = ""  # objects at `at`
    prepare: str = ""  # only if the kernel runs: what one thread does first
    begin: str = ""  # only if the kernel runs: what each thread does before the clock
    result: str = ""  # the type of `result`
    setup: str = ""  # only if the kernel runs: what one thread does in a launch before, with `expected` threads to come
    after: str = ""  # only if the kernel runs: ends each round
    least_arch: int = 75


@dataclass(frozen=True)
class Case:
    group: str  # a heat map
    row: str
    column: str
    headers: tuple
    library: Code
    hand: "Code | None" = None
    peer: "Code | None" = None  # if other libraries spell it differently
    value: str = "unsigned"  # the type of `value` and `second`
    memory: str = "global"
    object_bytes: int = 16
    least_arch: int = 75
    is_counted: bool = True  # in the maps of instructions and of compilers
    is_timed: bool = True
    places: tuple = ("own", "same")  # of the object of a thread, or of the source of a copy, if the kernel runs
    shapes: tuple = SHAPES  # (threads, blocks), if the kernel runs
    rounds: int = 64
    arguments: tuple = (("", 1, 1),)  # if the kernel runs: (name, value, second)
    begin_round: dict = field(default_factory=dict)  # {place: what begins each round there}
    own_shapes: tuple = ()  # at the place "own", if they differ
    own_limit: int = 1 << 32  # the largest value there
    without: tuple = ()  # contestants that lack the operation

    @property
    def name(self):
        return f"{self.group} | {self.row} | {self.column}"

    def code(self, contestant):
        if contestant in self.without:
            return None
        return self.hand if contestant == "hand" else self.peer if self.peer and contestant != "ours" else self.library

    def at(self, place):
        """(declarations, the address of the object); place: "own", or any other for one object."""
        is_own = place == "own"
        if self.memory in ("shared", "cluster"):
            words = f"alignas(16) __shared__ bytes_t words[{self.object_bytes * (1024 if is_own else 1)}];"
            here = f"words + threadIdx.x * {self.object_bytes}" if is_own else "words"
            return words, here if self.memory == "shared" else f"in_block({here}, rank)"
        base = "static_cast<const holder*>(memory)->pointer" if self.memory == "unknown" else "memory"
        return "", f"static_cast<bytes_t*>({base}) + (blockIdx.x * blockDim.x + threadIdx.x) * {self.object_bytes}" if is_own else base

    def counted(self, name, contestant, count=1):
        """A kernel that performs the operation once, or on this many objects."""
        code = self.code(contestant)
        declare, at = self.at("")
        use = f"static_cast<{code.result}*>(out)[number] = result;" if code.result else ""
        body = f"auto* const at = {at}; {code.declare} {code.step} {use}"
        steps = "".join(f"{{ constexpr unsigned number = {number}; {body} }}\n" for number in range(count))
        parameters = f"void* memory, {self.value} value, {self.value} second, void* out, unsigned round, unsigned rank"
        return f'extern "C" __global__ void {name}({parameters}) {{ {declare} {steps} }}\n'

    def timed(self, name, contestant, place):
        """A kernel in which every thread repeats the operation and thread 0 reads the clock, and the kernel to launch before it."""
        code = self.code(contestant)
        declare, at = self.at(place)
        declare = f"{declare} auto* const at = {at}; {code.declare}"
        in_cluster = self.memory == "cluster"
        meet = 'asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");' if in_cluster else "__syncthreads();"
        rank = 'unsigned rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); rank ^= 1;' if in_cluster else ""
        prepare = f"if (threadIdx.x == 0) {{ {code.prepare} }}" if code.prepare else ""
        use = "total ^= folded(result);" if code.result else ""
        begin = self.begin_round.get(place, "")
        parameters = f"void* memory, {self.value} value, {self.value} second, unsigned rounds, long long* cycles, unsigned* out"
        text = (
            f'extern "C" __global__ void {"__cluster_dims__(2, 1, 1) " if in_cluster else ""}{name}({parameters}) {{ {rank} {declare}'
            f" {prepare} {code.begin} unsigned total = 0; {meet} const long long start = clock64();"
            " rounds += start == 0;\n#pragma unroll 1\n"  # in a register: some loops would load the parameter in each round
            f"for (unsigned round = 0; round < rounds; ++round) {{ {begin} {code.step} {code.after} {use} }} {meet}"
            f" if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start; if (total == 0x5eed1234u) *out = total; }}\n"
        )
        if not code.setup:
            return text
        return text + f'extern "C" __global__ void {name}_setup(void* memory, unsigned expected) {{ {declare} {code.setup} }}\n'

    def cells(self):
        """(place, (threads, blocks), argument) of each measurement."""
        if not self.is_timed:
            return []
        own = self.own_shapes or self.shapes
        others = FEW_THREADS if "own" in self.places and not self.own_shapes else self.shapes
        return [
            (place, shape, argument)
            for place in self.places
            for shape in (own if place == "own" else others)
            for argument in self.arguments
            if place != "own" or argument[1] <= self.own_limit
        ]
