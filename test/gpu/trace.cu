// The trace: which events a kernel leaves, in which order, with which counts; the newest are kept, and the lost are counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#define CUDASYNC_TRACE 1
#define CUDASYNC_TRACE_EVENTS 64
#define CUDASYNC_TRACE_RINGS 96
#include "../support/gpu_test.h"

#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>
#include <cudasync/trace.h>

#include <cstdint>
#include <string>
#include <vector>

using cudasync::trace::action;
using gpu_test::device_array;

constexpr unsigned tile = 1024, stages = 2, tiles = 6, consumers = 64;

__global__ void __launch_bounds__(consumers + 32) ring(const unsigned char* source) {
  using pipeline = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<consumers / 32>>;
  alignas(128) __shared__ unsigned char space[stages][tile];
  __shared__ pipeline pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= consumers) {
    if (threadIdx.x == consumers) {
      pipeline::producer_state at;
      for (unsigned index = 0; index < tiles; ++index, at.advance())
        pipe.acquire_and_copy(at, space[at.index()], source + index * tile, cuda::aligned_size_t<16>(tile));
      pipe.producer_tail(at);
    }
    return;
  }
  pipeline::consumer_state at;
  for (unsigned index = 0; index < tiles; ++index, at.advance()) {
    pipe.consumer_wait(at);
    DEVICE_CHECK(space[at.index()][threadIdx.x] == index);
    pipe.consumer_release(at);
  }
}

__device__ cudasync::grid_barrier<> all_blocks;
__device__ cuda::latch<cuda::thread_scope_device> once;
__device__ cuda::counting_semaphore<cuda::thread_scope_device> permits;

// Every object that is traced, each once.
__global__ void objects() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    init(&once, blockDim.x);
    init(&permits, 1);
  }
  __syncthreads();
  bar.arrive_and_wait();
  bar.wait(bar.arrive());
  cudasync::named_barrier<1, 64>::sync();
  all_blocks.arrive_and_wait();
  once.arrive_and_wait();
  if (threadIdx.x == 0) {
    permits.acquire();
    permits.release();
  }
}

__global__ void __cluster_dims__(2) guarded() {
  const cudasync::cluster_exit_guard guard;
}

// Warp 1 waits for warp 0 at each barrier whose threads meet in bar.sync.
__global__ void late_warp() {
  const auto come_late = [] {
    if (threadIdx.x == 0) gpu_test::pause(50000);
    __syncwarp();
  };
  come_late();
  cudasync::named_barrier<1, 64>::sync();
  come_late();
  static_cast<void>(cudasync::named_barrier<1, 64>::sync_or(false));
  come_late();
  cudasync::cluster_barrier::arrive_and_wait();
  come_late();
  all_blocks.arrive_and_wait();
  auto token = all_blocks.arrive();
  come_late();
  all_blocks.wait(static_cast<decltype(token)&&>(token));
}

// More events than a ring holds, with numbers.
__global__ void many(unsigned first, unsigned count) {
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block> sem;
  init(&sem, 0);
  for (unsigned index = 0; index < count; ++index)
    sem.release(static_cast<int>(first + index));
}

// More warps than there are rings: each records one event.
__global__ void crowd() {
  cudasync::named_barrier<0>::sync();
}

// --- On the host ---

using cudasync::trace::event;
using cudasync::trace::recording;

static recording taken() {
  recording found;
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(cudasync::trace::copy_recording(found) == cudaSuccess);
  return found;
}

// Threads, not events: lanes that are apart leave an event each.
static unsigned threads_in(const recording& all, action what) {
  unsigned threads = 0;
  for (const event& each : all.events)
    if (each.what == what) threads += static_cast<unsigned>(__builtin_popcount(each.lanes));
  return threads;
}

static std::string place_of(const recording& all, const event& from) {
  const auto file = all.files.find(from.place & 0xffffffffffff);
  return file == all.files.end() ? "" : file->second + ":" + std::to_string(from.place >> 48);
}

static void run_ring() {
  std::vector<unsigned char> bytes(tiles * tile);
  for (unsigned index = 0; index < tiles * tile; ++index)
    bytes[index] = static_cast<unsigned char>(index / tile);
  const device_array<unsigned char> source(bytes);
  CHECK(cudasync::trace::clear() == cudaSuccess);
  gpu_test::run(ring, {2, consumers + 32}, source.get());
}

TEST(a_pipeline_leaves_its_events) {
  run_ring();
  const recording all = taken();
  CHECK(all.overwritten == 0 && all.without_ring == 0);
  CHECK(threads_in(all, action::producer_acquire) == 2 * (tiles + stages));
  CHECK(threads_in(all, action::arrive_tx) == 2 * tiles);
  CHECK(threads_in(all, action::copy) == 2 * tiles);
  CHECK(threads_in(all, action::consumer_wait) == 2 * tiles * consumers);
  CHECK(threads_in(all, action::consumer_release) == 2 * tiles * consumers);

  for (unsigned block = 0; block < 2; ++block)
    for (unsigned stage = 0; stage < stages; ++stage) {
      // The producer's events of a stage, in their order; and each wait ends after the copy of its round has begun.
      std::vector<event> acquired, copies;
      std::vector<std::vector<event>> waits(consumers);
      for (const event& each : all.events) {
        if (each.block != block) continue;
        if (each.what == action::producer_acquire && each.stage == stage) acquired.push_back(each);
        if (each.what == action::consumer_wait && each.stage == stage)
          for (unsigned lane = 0; lane < 32; ++lane)
            if ((each.lanes >> lane & 1) != 0) waits[each.warp * 32u + lane].push_back(each);
      }
      CHECK(acquired.size() == tiles / stages + 1);
      CHECK(!waits[0].empty());
      if (waits[0].empty()) return;
      const uint64_t full = waits[0][0].object;
      for (const event& each : all.events)
        if (each.block == block && each.what == action::copy && each.object == full) copies.push_back(each);
      CHECK(copies.size() == tiles / stages);
      for (unsigned round = 0; round < tiles / stages; ++round) {
        CHECK(copies[round].number == tile && copies[round].is_shared && copies[round].warp == consumers / 32);
        CHECK(acquired[round].begin + acquired[round].nanoseconds <= copies[round].begin);
        for (const std::vector<event>& each : waits) {
          CHECK(each.size() == tiles / stages);
          CHECK(each[round].begin + each[round].nanoseconds >= copies[round].begin);
          CHECK(round == 0 || each[round].begin >= each[round - 1].begin + each[round - 1].nanoseconds);
        }
      }
    }
  for (const event& each : all.events)
    CHECK(place_of(all, each).find("trace.cu:") != std::string::npos);
}

TEST(all_objects_are_traced) {
  CHECK(cudasync::trace::clear() == cudaSuccess);
  gpu_test::run(objects, {1, 64});
  const recording all = taken();
  for (const action what : {action::arrive_and_wait, action::arrive, action::wait, action::named_sync,
                            action::grid_arrive_and_wait, action::latch_arrive_and_wait})
    CHECK(threads_in(all, what) == 64);
  CHECK(threads_in(all, action::semaphore_acquire) == 1);
  CHECK(threads_in(all, action::semaphore_release) == 1);
  CHECK(threads_in(all, action::copy) == 0);
  for (const event& each : all.events)
    if (each.what == action::named_sync) CHECK(each.object == 1 && !each.is_shared);
}

TEST(the_guard_of_a_cluster_is_traced) {
  CHECK(cudasync::trace::clear() == cudaSuccess);
  gpu_test::run(guarded, {4, 64});
  const recording all = taken();
  for (const action what : {action::cluster_arrive, action::cluster_wait})
    CHECK(threads_in(all, what) == 4 * 64);
}

TEST(waits_last_until_the_last_warp_has_come) {
  CHECK(cudasync::trace::clear() == cudaSuccess);
  gpu_test::run(late_warp, {1, 64});
  unsigned waits = 0;
  for (const event& each : taken().events) {
    if (each.warp != 1 || each.what == action::cluster_arrive || each.what == action::grid_arrive) continue;
    CHECK(each.nanoseconds > 30000);
    ++waits;
  }
  CHECK(waits == 5);
}

TEST(the_newest_are_kept_and_the_lost_are_counted) {
  constexpr unsigned count = 150;
  CHECK(cudasync::trace::clear() == cudaSuccess);
  gpu_test::run(many, {1, 1}, 1u, count);
  const recording all = taken();
  CHECK(all.events.size() == CUDASYNC_TRACE_EVENTS);
  CHECK(all.overwritten == count - CUDASYNC_TRACE_EVENTS);
  for (unsigned index = 0; index < all.events.size(); ++index)
    CHECK(all.events[index].number == count - CUDASYNC_TRACE_EVENTS + 1 + index);
  for (size_t index = 1; index < all.events.size(); ++index)
    CHECK(all.events[index - 1].begin <= all.events[index].begin);
}

TEST(clear_forgets) {
  CHECK(cudasync::trace::clear() == cudaSuccess);
  const recording all = taken();
  CHECK(all.events.empty() && all.overwritten == 0 && all.without_ring == 0);
}

TEST(warps_without_a_ring_are_counted) {
  CHECK(cudasync::trace::clear() == cudaSuccess);
  gpu_test::run(crowd, {4, 1024});  // 128 warps
  const recording all = taken();
  uint64_t threads = 0;
  for (const event& each : all.events)
    threads += static_cast<unsigned>(__builtin_popcount(each.lanes));
  CHECK(all.events.size() <= CUDASYNC_TRACE_RINGS * CUDASYNC_TRACE_EVENTS);
  CHECK(all.without_ring > 0);
  CHECK(threads + all.without_ring * 32 >= 4 * 1024);
}

TEST(a_file_that_cannot_be_written) {
  CHECK(cudasync::trace::save("/no such folder/trace.json") == cudaErrorFileNotFound);
}

// test/model/test_trace.py reads the files.
TEST(files_are_written) {
  const char* const folder = getenv("CUDASYNC_TRACE_TEST_FOLDER");
  SKIP_IF(folder == nullptr, "CUDASYNC_TRACE_TEST_FOLDER names no folder");
  const auto save = [folder](const char* name) {
    CHECK(cudasync::trace::save((std::string(folder) + "/" + name).c_str()) == cudaSuccess);
    CHECK(cudasync::trace::clear() == cudaSuccess);
  };
  run_ring();
  save("ring.json");
  gpu_test::run(objects, {1, 64});
  save("objects.json");
  gpu_test::run(many, {1, 1}, 1u, 150u);
  save("overflow.json");
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
