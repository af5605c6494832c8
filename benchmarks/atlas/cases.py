"""A case of the atlas: one operation in one shape, as the text of a kernel for each contestant and each kind of measurement."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from dataclasses import dataclass

MEMORIES = ("shared", "global", "unknown", "cluster")

# What all kernels use. `holder` hides the memory space of a pointer from the compiler, as a struct in memory does.
PRELUDE = """
using bytes_t = unsigned char;
struct alignas(16) sixteen {
  unsigned long long low, high;
  friend __device__ bool operator==(sixteen left, sixteen right) { return left.low == right.low && left.high == right.high; }
};
struct holder { void* pointer; };
struct block_group {
  static __device__ unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  static __device__ unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static __device__ void sync() { __syncthreads(); }
};
struct warp_group {
  static __device__ unsigned thread_rank() { return threadIdx.x % 32; }
  static __device__ unsigned size() { return 32; }
  static __device__ void sync() { __syncwarp(); }
};
template <class Value>
__device__ unsigned folded(Value value) {
  if constexpr (sizeof(Value) == 16) return static_cast<unsigned>(value.low);
  else return static_cast<unsigned>(value);
}
__device__ inline unsigned shared_address(const void* pointer) { return static_cast<unsigned>(__cvta_generic_to_shared(pointer)); }
__device__ inline void* in_block(void* pointer, unsigned rank) {
  void* found;
  asm("mapa.u64 %0, %1, %2;" : "=l"(found) : "l"(pointer), "r"(rank));
  return found;
}
"""


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
    is_timed: bool = True
    places: tuple = ("own", "same")  # the object of a thread, if the kernel runs
    shapes: tuple = ()  # (threads, blocks), if the kernel runs; () is all
    rounds: int = 64
    arguments: tuple = (("", 1, 1),)  # if the kernel runs: (name, value, second)
    without: tuple = ()  # contestants that lack the operation

    @property
    def name(self):
        return f"{self.group} | {self.row} | {self.column}"

    def code(self, contestant):
        if contestant in self.without:
            return None
        return self.hand if contestant == "hand" else self.peer if self.peer and contestant != "ours" else self.library

    def at(self, place):
        """The declaration of `at`; place: "own", "same", or "" for a single thread."""
        index = {"own": "threadIdx.x", "same": "0", "": "0"}[place]
        everywhere = "blockIdx.x * blockDim.x + threadIdx.x" if place == "own" else "0"
        size = self.object_bytes
        if self.memory in ("shared", "cluster"):
            count = 1024 if place == "own" else 1
            words = f"alignas(16) __shared__ bytes_t words[{size * count}];"
            here = f"words + {index} * {size}" if place == "own" else "words"
            return f"{words} bytes_t* const at = {here};" if self.memory == "shared" else f"{words} void* const at = in_block({here}, second_rank);"
        base = "static_cast<const holder*>(memory)->pointer" if self.memory == "unknown" else "memory"
        if place == "own":
            return f"bytes_t* const at = static_cast<bytes_t*>({base}) + ({everywhere}) * {size};"
        return f"void* const at = {base};"

    def counted(self, name, contestant):
        """A kernel that performs the operation once."""
        code = self.code(contestant)
        use = f"*static_cast<{code.result}*>(out) = result;" if code.result else ""
        parameters = f"void* memory, {self.value} value, {self.value} second, void* out, unsigned round, unsigned second_rank"
        return f'extern "C" __global__ void {name}({parameters}) {{ {self.at("")} {code.declare} {code.step} {use} }}\n'

    def timed(self, name, contestant, place):
        """A kernel in which every thread repeats the operation, and thread 0 reads the clock."""
        code = self.code(contestant)
        use = "total ^= folded(result);" if code.result else ""
        parameters = f"void* memory, {self.value} value, {self.value} second, unsigned rounds, unsigned second_rank, long long* cycles, unsigned* out"
        prepare = f"if (threadIdx.x == 0) {{ {code.prepare} }}" if code.prepare else ""
        meet = 'asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");' if self.memory == "cluster" else "__syncthreads();"
        return (
            f'extern "C" __global__ void {name}({parameters}) {{ {self.at(place)} {code.declare} {prepare} {meet} {code.begin} unsigned total = 0;'
            f" {meet} const long long start = clock64();\n#pragma unroll 1\nfor (unsigned round = 0; round < rounds; ++round) {{ {code.step} {code.after} {use} }} {meet}"
            f" if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start; if (total == 0x5eed1234u) *out = total; }}\n"
        )
