// Measures cluster barriers: cycles per phase for all threads, and a round trip of arrivals between two blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster.h"

#include <cooperative_groups.h>

namespace bench {
namespace {

constexpr unsigned warm_up = 64;
constexpr unsigned measured = 2000;
constexpr int repetitions = 9;
constexpr unsigned all_blocks = 32;

struct raw_cluster_barrier {
  static __device__ __forceinline__ void arrive_and_wait() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
};

struct cluster_sync {
  static __device__ __forceinline__ void arrive_and_wait() { cooperative_groups::this_cluster().sync(); }
};

struct loop_wait {
  static __device__ __forceinline__ void wait_parity(unsigned address, unsigned parity) {
    unsigned done;
    do {
      asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2; "
                   "selp.u32 %0, 1, 0, done; }"
                   : "=r"(done)
                   : "r"(address), "r"(parity)
                   : "memory");
    } while (done == 0);
  }
};

struct block_wait {
  static __device__ __forceinline__ void wait_parity(unsigned address, unsigned parity) {
    asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra through;\nbra again;\nthrough: }" ::"r"(address),
                 "r"(parity)
                 : "memory");
  }
};

template <class Wait>
struct raw_remote_barrier {
  unsigned long long word;

  __device__ __forceinline__ unsigned address() { return static_cast<unsigned>(__cvta_generic_to_shared(&word)); }
  __device__ __forceinline__ void init() {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address()) : "memory");
  }
  __device__ __forceinline__ unsigned in_block(unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address()), "r"(rank) : "memory");
    return there;
  }
  static __device__ __forceinline__ void arrive(unsigned there) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  }
  __device__ __forceinline__ void wait_parity(unsigned phase) { Wait::wait_parity(address(), phase & 1); }
};

const bool is_enrolled = [] {
  enroll_cluster_barrier<raw_cluster_barrier>("barrier.cluster.arrive and wait, .aligned", hand);
  enroll_cluster_barrier<cluster_sync>("cooperative_groups, cluster.sync()", "reference");
  enroll_remote_barrier<raw_remote_barrier<loop_wait>>("C++ loop, try_wait", hand);
  enroll_remote_barrier<raw_remote_barrier<block_wait>>("asm loop with an exit, try_wait", hand);
  return true;
}();

// A launch of clusters, with one block per multiprocessor.
class cluster_launch {
 public:
  cluster_launch(const void* kernel, unsigned size, unsigned threads) : kernel_(kernel) {
    const int bytes = bytes_that_limit_blocks_to(1);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "size of clusters");
    cluster_.id = cudaLaunchAttributeClusterDimension;
    cluster_.val.clusterDim.x = size;
    cluster_.val.clusterDim.y = 1;
    cluster_.val.clusterDim.z = 1;
    config_.gridDim = dim3(all_blocks);
    config_.blockDim = dim3(threads);
    config_.dynamicSmemBytes = static_cast<std::size_t>(bytes);
    config_.attrs = &cluster_;
    config_.numAttrs = 1;
  }
  cluster_launch(const cluster_launch&) = delete;
  cluster_launch& operator=(const cluster_launch&) = delete;

  // Whether the GPU can hold a cluster of this size.
  bool is_possible() const {
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel_, &config_) == cudaSuccess) return clusters > 0;
    static_cast<void>(cudaGetLastError());
    return false;
  }

  void run(void** arguments, const std::string& what) const {
    check(cudaLaunchKernelExC(&config_, kernel_, arguments), what);
    check(cudaDeviceSynchronize(), what);
  }

 private:
  const void* kernel_;
  cudaLaunchAttribute cluster_ = {};
  cudaLaunchConfig_t config_ = {};
};

double sample_cluster(const contestant& who, unsigned size, unsigned threads, std::size_t counts) {
  const device_array<long long> cycles(counts);
  unsigned before = warm_up;
  unsigned count = measured;
  long long* out = cycles.data();
  void* arguments[] = {&before, &count, &out};
  cluster_launch(who.kernel, size, threads).run(arguments, who.operation + ", " + who.name);
  return median(cycles.copy()) / measured;
}

void run_cluster_barrier(report& results) {
  constexpr unsigned threads = 256;
  const std::vector<contestant> all = enrolled("cluster", cluster_phase_name);
  std::vector<unsigned> sizes;
  std::vector<std::string> names;
  for (const unsigned size : {2u, 4u, 8u, 16u}) {
    bool is_possible = true;
    for (const contestant& each : all)
      is_possible = is_possible && cluster_launch(each.kernel, size, threads).is_possible();
    if (is_possible) {
      sizes.push_back(size);
      names.push_back(std::to_string(size) + " x " + std::to_string(threads));
    } else {
      std::printf("no clusters of %u blocks here: not measured\n", size);
    }
  }
  const auto sample = [&](const contestant& who, std::size_t index) {
    return sample_cluster(who, sizes[index], threads, all_blocks);
  };
  results.add(measure(all, sizes.size(), repetitions, sample), names,
              std::string("cluster: ") + cluster_phase_name + ", blocks x threads", "cycles per phase");
}

void run_remote_barrier(report& results) {
  const auto sample = [&](const contestant& who, std::size_t) { return sample_cluster(who, 2, 32, all_blocks / 2); };
  results.add(measure(enrolled("cluster", remote_round_trip_name), 1, repetitions, sample), {"2 x 1"},
              std::string("cluster: ") + remote_round_trip_name + ", blocks x threads", "cycles per round trip");
}

}  // namespace

void run_cluster(report& results) {
  run_cluster_barrier(results);
  run_remote_barrier(results);
}

}  // namespace bench
