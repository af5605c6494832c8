// Random programs of barriers, latches, semaphores, atomics, copies and pipelines, on the machine and on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "copy_engine.h"
#include "interpreter.h"
#include "settings.h"

namespace {

using fuzz::agents, fuzz::operations, fuzz::row, fuzz::step;

// The steps of all agents, one after the other.
struct arguments {
  const step* steps;
  uint32_t first[agents + 1];
  fuzz::settings_of_program with;
  int (*source)[row];
  fuzz::failures* found;
};

// The lanes of a warp that have not ended, as a group.
template <class Here = cudasync::target::here>
class warp_lanes {
 public:
  using here = Here;
  static constexpr bool has_fences = true;

  __device__ explicit warp_lanes(uint32_t count) : count_(count) {}

  __device__ uint32_t rank() const { return threadIdx.x % 32; }
  __device__ uint32_t count() const { return count_; }
  __device__ uint32_t agent() const { return (blockIdx.x * blockDim.x + threadIdx.x) / 32; }
  __device__ void sync() const { __syncwarp(count_ == 32 ? ~0u : (1u << count_) - 1); }
  __device__ uint32_t thread_rank() const { return rank(); }
  __device__ uint32_t size() const { return count_; }
  __device__ void yield() const {}

  // Older architectures do not count bytes.
  template <class Bar, class Size>
  __device__ cudasync::uint64 copy_and_arrive(Bar& bar, int* to, const int* from, Size size) const {
    if constexpr (Bar::scope == cuda::thread_scope_block && !cudasync::target::lacks<Here, cudasync::target::sm90>) {
      cudasync::device::fence_before_bulk_copy();
      cuda::device::memcpy_async_tx(to, from, size, bar);
      return cuda::device::barrier_arrive_tx(bar, static_cast<int>(count_), sizeof(int) * row);
    } else {
      cuda::memcpy_async(to, from, size, bar);
      return bar.arrive(static_cast<int>(count_));
    }
  }

  __device__ void meet(const step& now, cudasync::grid_barrier<>& grid) const {
    const bool is_split = now.way == 1;
    switch (now.what) {
    case fuzz::named_sync:
      if (is_split) return cudasync::dynamic_named_barrier(1 + now.object, now.object == 2 ? 128 : 64).sync();
      if (now.object == 0) cudasync::named_barrier<1, 64>::sync();
      if (now.object == 1) cudasync::named_barrier<2, 64>::sync();
      if (now.object == 2) cudasync::named_barrier<3, 128>::sync();
      return;
    case fuzz::exchange_arrive:
      return now.object == 0 ? cudasync::named_barrier<4, 64>::arrive() : cudasync::named_barrier<5, 64>::arrive();
    case fuzz::exchange_sync:
      return now.object == 0 ? cudasync::named_barrier<4, 64>::sync() : cudasync::named_barrier<5, 64>::sync();
    case fuzz::block_sync:
      return __syncthreads();
    case fuzz::grid_sync:
      return is_split ? grid.wait(grid.arrive()) : grid.arrive_and_wait();
    default:
      if constexpr (!cudasync::target::lacks<Here, cudasync::target::sm90>)
        return is_split ? cudasync::cluster_barrier::wait(cudasync::cluster_barrier::arrive())
                        : cudasync::cluster_barrier::arrive_and_wait();
    }
  }

 private:
  uint32_t count_;
};

// All threads of the block that have not ended.
struct block_group {
  uint32_t lanes;
  __device__ uint32_t thread_rank() const { return threadIdx.x / 32 * lanes + threadIdx.x % 32; }
  __device__ uint32_t size() const { return blockDim.x / 32 * lanes; }
  __device__ void sync() const { __syncthreads(); }
};

struct reporter {
  fuzz::failures* found;
  uint32_t agent;
  __device__ void operator()(uint32_t index, uint32_t value) const {
    if (atomicAdd(&found->count, 1u) != 0) return;
    found->agent = agent;
    found->step = index;
    found->found = value;
  }
};

template <cuda::thread_scope Scope, class Pipe, class Others>
__device__ void run_agent(const arguments& of, fuzz::objects<Scope>& all, Pipe& pipe, Others others) {
  const warp_lanes<> lanes(of.with.lanes);
  const uint32_t own = lanes.agent();
  fuzz::runner<Scope, warp_lanes<>, Pipe, Others, reporter> runner(all, lanes, pipe, others, of.source,
                                                                   {of.found, own});
  runner.run(of.steps + of.first[own], of.first[own + 1] - of.first[own]);
}

template <class Here>
constexpr bool has_copy_engine = !cudasync::target::lacks<Here, cudasync::target::sm90>;

template <class Here = cudasync::target::here, class Objects, class Pipe, class Wide, class Narrow>
__device__ void run_agent_of_block(const arguments& of, Objects& all, Pipe& pipe, Wide& wide, Narrow& narrow) {
  if constexpr (has_copy_engine<Here>) {
    wide.prepare(cudasync::this_thread_block());
    narrow.prepare(cudasync::this_thread_block());
    run_agent(of, all, pipe, fuzz::steps_of_block(wide, narrow));
  } else {
    run_agent(of, all, pipe, fuzz::no_others{});
  }
}

__global__ void __launch_bounds__(32 * agents) run_in_block(arguments of) {
  using objects = fuzz::objects<cuda::thread_scope_block>;
  alignas(128) __shared__ unsigned char bytes[sizeof(objects)];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, fuzz::stages> state;
  __shared__ fuzz::wide_ring wide;
  __shared__ fuzz::narrow_ring narrow;
  objects& all = *reinterpret_cast<objects*>(bytes);
  if (threadIdx.x % 32 >= of.with.lanes) return;
  if (threadIdx.x == 0) all.prepare(of.with);
  __syncthreads();
  const bool is_producer = (of.with.producers >> threadIdx.x / 32 & 1) != 0;
  auto pipe = cuda::make_pipeline(block_group{of.with.lanes}, &state,
                                  is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  run_agent_of_block(of, all, pipe, wide, narrow);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (all.guarded[0] != static_cast<int>(of.with.locked_times))
    reporter{of.found, agents}(0, static_cast<uint32_t>(all.guarded[0]));
  const int quits = all.last_quits.load();
  if (quits != static_cast<int>(of.with.last_quits)) reporter{of.found, agents + 1}(0, static_cast<uint32_t>(quits));
}

using device_objects = fuzz::objects<cuda::thread_scope_device>;

__global__ void prepare(device_objects* all, arguments of) {
  all->prepare(of.with);
}
__global__ void __launch_bounds__(16 * agents) run_among_blocks(device_objects* all, arguments of) {
  if (threadIdx.x % 32 >= of.with.lanes) return;
  void* none = nullptr;
  run_agent(of, *all, none, fuzz::no_others{});
}

template <class Here = cudasync::target::here, class Objects>
__device__ void run_agent_of_cluster(const arguments& of, Objects& all) {
  if constexpr (has_copy_engine<Here>) {
    __shared__ fuzz::memory_of_cluster<Here> memory;
    const cudasync::cluster_exit_guard stay;
    memory.prepare(cudasync::this_cluster(), of.with);
    void* none = nullptr;
    run_agent(of, all, none, fuzz::steps_of_cluster<Here>(memory));
  }
}
__global__ void __launch_bounds__(16 * agents) run_in_cluster(device_objects* all, arguments of) {
  if (threadIdx.x % 32 < of.with.lanes) run_agent_of_cluster(of, *all);
}
__global__ void finish(const device_objects* all, arguments of) {
  if (all->guarded[0] != static_cast<int>(of.with.locked_times))
    reporter{of.found, agents}(0, static_cast<uint32_t>(all->guarded[0]));
}

unsigned covered[operations][8];

void run_program(uint64_t seed, const fuzz::abilities& can) {
  fuzz::program made(seed, can, fuzz::settings("CUDASYNC_FUZZ_STEPS", 150));
  made.leave_out(fuzz::planted_fault());
  CHECK(made.is_complete);
  std::vector<step> steps;
  arguments of = {};
  of.with = made.settings;
  for (uint32_t each = 0; each < agents; ++each) {
    steps.insert(steps.end(), made.steps[each].begin(), made.steps[each].end());
    of.first[each + 1] = static_cast<uint32_t>(steps.size());
    if (fuzz::settings("CUDASYNC_FUZZ_PRINT", 0) != 0) fuzz::print(each, made.steps[each]);
  }
  for (const step& each : steps)
    ++covered[each.what][each.way];
  const gpu_test::device_array<step> all_steps(steps);
  const gpu_test::device_array<int> source(fuzz::sources * row);
  const gpu_test::device_array<fuzz::failures> found(1);
  of.steps = all_steps.get();
  of.source = reinterpret_cast<int (*)[row]>(source.get());
  of.found = found.get();
  if (can.is_one_block) {
    gpu_test::run(run_in_block, {1, 32 * agents}, of);
  } else {
    const gpu_test::device_array<unsigned char> bytes(sizeof(device_objects));
    auto* const all = reinterpret_cast<device_objects*>(bytes.get());
    gpu_test::shape how{2, 16 * agents};
    how.cooperative = !can.has_cluster;
    how.cluster = can.has_cluster ? 2 : 1;
    gpu_test::run(prepare, {1, 1}, all, of);
    gpu_test::run(can.has_cluster ? run_in_cluster : run_among_blocks, how, all, of);
    gpu_test::run(finish, {1, 1}, all, of);
  }
  const fuzz::failures result = found.values()[0];
  if (result.count != 0) fuzz::explain(seed, result, made);
  CHECK(result.count == 0);
}

__global__ void ask_for_copy_engine(int* answer) {
  *answer = has_copy_engine<cudasync::target::here> ? 1 : 0;
}

bool can_copy() {
  static int known = -1;
  if (known < 0) {
    const gpu_test::device_array<int> answer(1);
    gpu_test::run(ask_for_copy_engine, {1, 1}, answer.get());
    known = answer.values()[0];
  }
  return known != 0;
}

// Clusters came with the copy engine. In one block, with the objects in shared memory; in two blocks, with the objects in global memory; and in a cluster.
void run_seed(uint64_t seed) {
  const uint32_t place = seed % 4;
  run_program(seed, {true, place < 2, place == 3 && can_copy(), can_copy()});
}

TEST(random_programs_see_what_they_synchronize_with) {
  fuzz::for_each_seed(fuzz::corpus_of_programs, run_seed);
}

TEST(every_operation_is_covered) {
  SKIP_IF(!fuzz::is_corpus(), "other seeds");
  const bool is_covered = fuzz::is_all_covered(covered, [](uint32_t what) {
    return (what != fuzz::cluster_sync && what < fuzz::first_of_copy_engine) || can_copy();
  });
  CHECK(is_covered);
}

}  // namespace

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
