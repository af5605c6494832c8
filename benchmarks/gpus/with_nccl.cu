// The time of a phase of NCCL's barrier between the GPUs of a host, beside peer_block_barrier: with_nccl [--json FILE].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// It is not a part of the program gpus, because it needs NCCL 2.28 or newer, and its library:
//   nvcc -std=c++17 -O3 -arch=native -Iinclude -INCCL/include -o with_nccl benchmarks/gpus/with_nccl.cu
//     -Xlinker NCCL/lib/libnccl.so.2
#include "world.h"

#include <nccl.h>
#include <nccl_device.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace bench { namespace {

constexpr unsigned phases = 2000;
constexpr unsigned threads = 256;
const char* const same_index = "the blocks with the same index of all ranks";

void check_nccl(ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, ncclGetErrorString(status));
  std::exit(1);
}

__global__ void by_nccl(const __grid_constant__ ncclDevComm devices, unsigned count) {
  ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), devices, ncclTeamTagLsa(), blockIdx.x);
  for (unsigned phase = 0; phase < count; ++phase)
    bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}
__global__ void by_peer_block_barrier(const __grid_constant__ world all, unsigned, unsigned count) {
  cudasync::peer_block_barrier bar(all.blocks, all.rank(), all.ranks, all.block());
  for (unsigned phase = 0; phase < count; ++phase)
    bar.arrive_and_wait();
}
const bool is_enrolled = [] {
  const auto enroll = [](const char* name, const char* kind, const void* kernel) {
    contestants().push_back({"meet", same_index, name, kind, "native", kernel, nullptr});
  };
  enroll("peer_block_barrier", "ours", reinterpret_cast<const void*>(by_peer_block_barrier));
  enroll("NCCL, ncclLsaBarrierSession", "peer", reinterpret_cast<const void*>(by_nccl));
  return true;
}();

// A communicator for each GPU, with a barrier for each block.
class communicators {
 public:
  explicit communicators(unsigned gpus) : all_(gpus), devices_(gpus) {
    std::vector<int> numbers(gpus);
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      numbers[gpu] = static_cast<int>(gpu);
    check_nccl(ncclCommInitAll(all_.data(), static_cast<int>(gpus), numbers.data()), "ncclCommInitAll");
#if defined(NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER)  // of newer versions
    ncclDevCommRequirements needed = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
    ncclDevCommRequirements needed{};
#endif
    needed.lsaBarrierCount = static_cast<int>(most_blocks);
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      check_nccl(ncclDevCommCreate(all_[gpu], &needed, &devices_[gpu]), "ncclDevCommCreate");
    check_nccl(ncclGroupEnd(), "ncclDevCommCreate");
  }
  communicators(const communicators&) = delete;
  communicators& operator=(const communicators&) = delete;
  ~communicators() {
    for (unsigned gpu = 0; gpu < all_.size(); ++gpu) {
      ncclDevCommDestroy(all_[gpu], &devices_[gpu]);
      ncclCommDestroy(all_[gpu]);
    }
  }

  void start(const ranks& where, unsigned blocks, unsigned count) {
    for (unsigned gpu = 0; gpu < all_.size(); ++gpu) {
      where.use(gpu);
      void* arguments[] = {&devices_[gpu], &count};
      check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(by_nccl), dim3(blocks), dim3(threads), arguments,
                                        0, nullptr),
            "launch");
    }
  }

 private:
  std::vector<ncclComm_t> all_;
  std::vector<ncclDevComm> devices_;
};

void run_meet(report& results) {
  if (ranks::place() != "GPUs") {
    std::printf("skipped: no two GPUs that have access to each other\n");
    return;
  }
  for (const unsigned count : ranks::counts()) {
    std::vector<unsigned> blocks;
    std::vector<std::string> names;
    for (const unsigned each : {1u, 8u, 32u, 64u, 132u})
      if (each <= ranks::blocks_that_fit(count)) {
        blocks.push_back(each);
        names.push_back(std::to_string(count) + " x " + std::to_string(each));
      }
    communicators theirs(count);
    const auto sample = [&](const contestant& who, std::size_t index) {
      const ranks all(count);
      const auto start = [&](unsigned number) {
        if (who.kind == "ours")
          all.start(who.kernel, blocks[index], threads, 0, number);
        else
          theirs.start(all, blocks[index], number);
      };
      for (const unsigned number : {0u, 20u}) {  // loads it, and warms it up
        start(number);
        all.finish();
      }
      const auto begin = std::chrono::steady_clock::now();
      start(phases);
      all.finish();
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
      return time.count() / phases;
    };
    results.add(measure(enrolled("meet", same_index), names.size(), 5, sample), names,
                std::to_string(count) + " GPUs: " + same_index + ", ranks x blocks", "ns per phase");
  }
}

}}  // namespace bench

int main(int count, char** arguments) {
  return bench::run_suites(count, arguments, {{"meet", bench::run_meet}});
}
