// Barriers over NVSHMEM, one process for each GPU: checks world_barrier, also over its signals, and times it and NVSHMEM's own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// with_nvshmem GPUS [--json FILE]. It is not a part of the program gpus, because it needs NVSHMEM:
//   nvcc -std=c++17 -O3 -arch=native -rdc=true -Iinclude -INVSHMEM/include -o with_nvshmem benchmarks/gpus/with_nvshmem.cu
//     -LNVSHMEM/lib -lnvshmem_device -Xlinker NVSHMEM/lib/libnvshmem_host.so.3
#include <cudasync/nvshmem_rail.h>
#include <cudasync/peer_barrier.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr unsigned most_gpus = 8, threads = 256, phases = 2000, checked_phases = 500;
constexpr int samples = 5;

// On the symmetric heap, zeros at first.
struct memory {
  cudasync::peer_part<most_gpus> peers;
  cudasync::world_part<most_gpus> one_host;
  cudasync::world_part<most_gpus> hosts;  // each GPU is a host
  uint64_t signals_of_one[8];
  uint64_t signals[cudasync::nvshmem_rail::signal_count(most_gpus)];
  cudasync::grid_barrier<> grid;
  int inbox[2][most_gpus];  // by the parity of the phase and the sender
  unsigned wrong;
};

template <class Part>
__device__ void find_parts(Part* own, Part** parts, unsigned first, unsigned gpus) {
  if (threadIdx.x < gpus)
    parts[threadIdx.x] = static_cast<Part*>(nvshmem_ptr(own, static_cast<int>(first + threadIdx.x)));
  __syncthreads();
}

// In each phase of a check, this GPU puts the number of the phase into the memory of all others.
template <class Meet>
__device__ void run(memory* own, unsigned count, bool is_check, Meet meet) {
  const int pe = nvshmem_my_pe(), pes = nvshmem_n_pes();
  for (unsigned phase = 1; phase <= count; ++phase) {
    int* const now = own->inbox[phase % 2];
    if (is_check && blockIdx.x == phase % gridDim.x && threadIdx.x < static_cast<unsigned>(pes))
      nvshmem_int_p(&now[pe], static_cast<int>(phase), static_cast<int>(threadIdx.x));
    meet();
    if (is_check && threadIdx.x < static_cast<unsigned>(pes) &&
        *static_cast<volatile int*>(&now[threadIdx.x]) != static_cast<int>(phase))
      atomicAdd(&own->wrong, 1u);
  }
}

__global__ void by_peer_barrier(memory* own, unsigned count, bool is_check) {
  __shared__ cudasync::peer_part<most_gpus>* parts[most_gpus];
  const unsigned pes = static_cast<unsigned>(nvshmem_n_pes());
  find_parts(&own->peers, parts, 0, pes);
  cudasync::peer_barrier bar(parts, static_cast<unsigned>(nvshmem_my_pe()), pes);
  run(own, count, is_check, [&] { bar.arrive_and_wait(); });
}
__global__ void by_one_host(memory* own, unsigned count, bool is_check) {
  __shared__ cudasync::world_part<most_gpus>* parts[most_gpus];
  const unsigned pes = static_cast<unsigned>(nvshmem_n_pes());
  find_parts(&own->one_host, parts, 0, pes);
  cudasync::world_barrier bar(cudasync::nvshmem_rail(own->signals_of_one, pes), parts,
                              static_cast<unsigned>(nvshmem_my_pe()), pes);
  run(own, count, is_check, [&] { bar.arrive_and_wait(); });
}
__global__ void by_hosts(memory* own, unsigned count, bool is_check) {
  __shared__ cudasync::world_part<most_gpus>* parts[most_gpus];
  find_parts(&own->hosts, parts, static_cast<unsigned>(nvshmem_my_pe()), 1);
  cudasync::world_barrier bar(cudasync::nvshmem_rail(own->signals, 1), parts, 0, 1);
  run(own, count, is_check, [&] { bar.arrive_and_wait(); });
}
// All blocks meet, then one block of each GPU with the others, then all blocks again.
__global__ void by_nvshmem(memory* own, unsigned count, bool is_check) {
  run(own, count, is_check, [&] {
    if (gridDim.x > 1) own->grid.arrive_and_wait();
    if (blockIdx.x == 0) nvshmemx_barrier_all_block();
    if (gridDim.x > 1) own->grid.arrive_and_wait();
  });
}

struct contestant {
  const char* name;
  const char* kind;
  void (*kernel)(memory*, unsigned, bool);
};
const contestant contestants[] = {
    {"peer_barrier", "ours", by_peer_barrier},
    {"world_barrier, one host", "ours", by_one_host},
    {"world_barrier, each GPU a host", "ours", by_hosts},
    {"NVSHMEM, nvshmemx_barrier_all_block", "peer", by_nvshmem},
};

void check(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s failed: %d\n", what, status);
  std::exit(1);
}

// Microseconds.
double time_of(const contestant& who, memory* own, unsigned blocks, unsigned count, bool is_check) {
  void* arguments[] = {&own, &count, &is_check};
  nvshmem_barrier_all();
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin, nullptr), "cudaEventRecord");
  check(nvshmemx_collective_launch(reinterpret_cast<const void*>(who.kernel), dim3(blocks), dim3(threads), arguments, 0,
                                   nullptr),
        "nvshmemx_collective_launch");
  check(cudaEventRecord(end, nullptr), "cudaEventRecord");
  check(cudaDeviceSynchronize(), who.name);
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return 1000.0 * milliseconds;
}

// The id of the group of processes, which the process of rank 0 makes.
struct meeting_place {
  volatile bool has_id;
  nvshmemx_uniqueid_t id;
};

int run_rank(meeting_place& place, int rank, int gpus, const char* json) {
  int found = 0;
  if (cudaGetDeviceCount(&found) != cudaSuccess || found < gpus) {
    if (rank == 0) std::printf("skipped: there are %d GPUs\n", found);
    return 77;
  }
  check(cudaSetDevice(rank), "cudaSetDevice");
  if (rank == 0) {
    place.id = NVSHMEMX_UNIQUEID_INITIALIZER;
    check(nvshmemx_get_uniqueid(&place.id), "nvshmemx_get_uniqueid");
    __sync_synchronize();
    place.has_id = true;
  }
  while (!place.has_id)
    usleep(1000);
  __sync_synchronize();
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  check(nvshmemx_set_attr_uniqueid_args(rank, gpus, &place.id, &attributes), "nvshmemx_set_attr_uniqueid_args");
  check(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes), "nvshmemx_init_attr");
  memory* const own = static_cast<memory*>(nvshmem_calloc(1, sizeof(memory)));
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, rank), "cudaGetDeviceProperties");

  std::string rows;
  unsigned all_wrong = 0;
  for (const contestant& who : contestants)
    for (const unsigned blocks : {1u, 8u, 32u, 132u}) {
      if (blocks > static_cast<unsigned>(gpu.multiProcessorCount)) continue;
      time_of(who, own, blocks, checked_phases, true);
      unsigned wrong = 0;
      check(cudaMemcpy(&wrong, &own->wrong, sizeof wrong, cudaMemcpyDeviceToHost), "cudaMemcpy");
      all_wrong += wrong;
      check(cudaMemset(own->inbox, 0, sizeof own->inbox), "cudaMemset");
      check(cudaMemset(&own->wrong, 0, sizeof own->wrong), "cudaMemset");
      check(cudaDeviceSynchronize(), "cudaMemset");
      std::vector<double> times;
      std::string list;
      for (int sample = 0; sample < samples; ++sample) {
        times.push_back(1000.0 * time_of(who, own, blocks, phases, false) / phases);
        list += (sample == 0 ? "" : ", ") + std::to_string(times.back());
      }
      std::sort(times.begin(), times.end());
      const std::string configuration = std::to_string(gpus) + " x " + std::to_string(blocks);
      if (rank == 0)
        std::printf("%s: %-36s %9.0f ns per phase, %u wrong\n", configuration.c_str(), who.name, times[samples / 2],
                    wrong);
      rows += std::string(rows.empty() ? "" : ",\n") +
              R"({"benchmark": "meet", "operation": "all blocks of all ranks", "path": "native", "name": ")" +
              who.name + R"(", "kind": ")" + who.kind + R"(", "configuration": ")" + configuration +
              R"(", "unit": "ns per phase", "samples": [)" + list + R"(], "median": )" +
              std::to_string(times[samples / 2]) + "}";
    }
  if (FILE* const file = rank == 0 && json != nullptr ? std::fopen(json, "w") : nullptr) {
    std::fprintf(file, "{\"gpu\": \"%s\", \"results\": [\n%s]}\n", gpu.name, rows.c_str());
    std::fclose(file);
  }
  nvshmem_free(own);
  nvshmem_finalize();
  return all_wrong != 0;
}

}  // namespace

int main(int count, char** arguments) {
  const int gpus = count > 1 ? std::atoi(arguments[1]) : 0;
  if (gpus < 1 || gpus > static_cast<int>(most_gpus)) {
    std::printf("with_nvshmem GPUS [--json FILE]: GPUS is 1 to 8\n");
    return 2;
  }
  const char* const json = count > 3 && std::strcmp(arguments[2], "--json") == 0 ? arguments[3] : nullptr;
  void* const shared = mmap(nullptr, sizeof(meeting_place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  for (int rank = 0; rank < gpus; ++rank)  // before the first call of CUDA, which does not work in forked processes
    if (fork() == 0) {
      const int status = run_rank(*static_cast<meeting_place*>(shared), rank, gpus, json);
      std::fflush(stdout);
      _exit(status);
    }
  int result = 0;
  for (int status = 0; wait(&status) > 0;)
    result = std::max(result, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  return result;
}
