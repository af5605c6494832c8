// A peer_barrier of several processes, one for each GPU, whose parts are shared through cudaIpc handles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compiled: alone
// With --one-gpu, two processes take turns on one GPU, a time slice each, so that each phase takes milliseconds. In the
// checked build, the last process launches no kernel at the end, and all others must report the same cause.
#include "../support/gpu_test.h"
#include "../support/peers.h"

#include <cudasync/hang_report.h>
#include <cudasync/peer_barrier.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <string>

constexpr unsigned most_gpus = 8, blocks = 16, threads = 128, launches = 3;

// What a process shares with the others: one allocation, so that one handle is sufficient.
struct shared {
  cudasync::peer_part<most_gpus> part;
  unsigned slots[2][most_gpus][blocks][threads];
};

// In each round, each thread stores the round into the memory of all GPUs, and finds there what others have stored.
__global__ void exchange(shared* const* memory, cudasync::peer_part<most_gpus>* const* parts, unsigned rank,
                         unsigned gpus, unsigned first_round, unsigned rounds) {
  cudasync::peer_barrier<most_gpus> bar(parts, rank, gpus);
  for (unsigned round = first_round; round < first_round + rounds; ++round) {
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      memory[gpu]->slots[round % 2][rank][blockIdx.x][threadIdx.x] = round;
    bar.arrive_and_wait();
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      DEVICE_CHECK(memory[rank]->slots[round % 2][gpu][(blockIdx.x + round) % blocks][threads - 1 - threadIdx.x] ==
                   round);
  }
}

// Memory of the host that all processes see, because it exists before they are forked.
struct meeting_place {
  std::atomic<unsigned> arrivals{0};
  std::atomic<bool> has_failed{false};
  cudaIpcMemHandle_t handles[most_gpus];
  char causes[most_gpus][256] = {};  // in the reports of a hang

  // All processes wait for each other. A process that ends early does not leave the others here.
  void meet(unsigned gpus) {
    const unsigned goal = (arrivals.fetch_add(1) / gpus + 1) * gpus;
    while (arrivals.load() < goal) {
      if (has_failed.load()) _exit(1);
      usleep(100);
    }
  }
};

#if CUDASYNC_CHECKED
// Waits until the kernel has reported a hang, and notes the likely cause.
void note_cause(const cudasync::hang_report& report, char (&cause)[256]) {
  const double deadline = gpu_test::seconds() + gpu_test::kernel_limit();
  while (!report.is_complete() && cudaStreamQuery(nullptr) == cudaErrorNotReady && gpu_test::seconds() < deadline)
    usleep(1000);
  const std::string text = report.is_complete() ? report.text() : std::string();
  const size_t at = text.find("likely cause: ");
  snprintf(cause, sizeof cause, "%s",
           at == std::string::npos ? "no report" : text.substr(at, text.find('\n', at) - at).c_str());
}

// Whether all ranks but the last one have reported that the last one is missing.
bool is_last_one_missing(const meeting_place& place, unsigned gpus) {
  const std::string missing = "likely cause: rank " + std::to_string(gpus - 1) + " has not arrived in phase ";
  bool is_right = true;
  for (unsigned rank = 0; rank + 1 < gpus; ++rank) {
    const bool is_same = strcmp(place.causes[rank], place.causes[0]) == 0;
    if (is_same && strncmp(place.causes[rank], missing.c_str(), missing.size()) == 0) continue;
    printf("rank %u reports: %s\nexpected, as on all ranks: %s\n", rank, place.causes[rank], missing.c_str());
    is_right = false;
  }
  return is_right;
}
#endif

void run_rank(meeting_place& place, unsigned rank, unsigned gpus, bool is_one_gpu) {
  const unsigned rounds = is_one_gpu ? 20 : 2000;
  use_gpu(is_one_gpu ? 0 : static_cast<int>(rank));
#if CUDASYNC_CHECKED
  cudasync::hang_report report;
#endif
  shared* own = nullptr;  // 1. the part and the data of this GPU, zeros
  gpu_test::expect_success(cudaMalloc(&own, sizeof(shared)), "cudaMalloc");
  gpu_test::expect_success(cudaMemset(own, 0, sizeof(shared)), "cudaMemset");
  gpu_test::expect_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  gpu_test::expect_success(cudaIpcGetMemHandle(&place.handles[rank], own), "cudaIpcGetMemHandle");
  place.meet(gpus);  // 2. all handles are there, and all parts are zero

  void* memory[most_gpus] = {};
  void* parts[most_gpus] = {};
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    memory[gpu] = own;
    if (gpu != rank)
      gpu_test::expect_success(cudaIpcOpenMemHandle(&memory[gpu], place.handles[gpu], cudaIpcMemLazyEnablePeerAccess),
                               "cudaIpcOpenMemHandle");
    parts[gpu] = &static_cast<shared*>(memory[gpu])->part;
  }
  void** addresses = nullptr;  // 3. of all GPUs, in the memory of this one
  gpu_test::expect_success(cudaMalloc(&addresses, sizeof memory + sizeof parts), "cudaMalloc");
  gpu_test::expect_success(cudaMemcpy(addresses, memory, sizeof memory, cudaMemcpyHostToDevice), "cudaMemcpy");
  gpu_test::expect_success(cudaMemcpy(addresses + most_gpus, parts, sizeof parts, cudaMemcpyHostToDevice),
                           "cudaMemcpy");

  const auto start = [&](unsigned launch) {
    gpu_test::shape how{blocks, threads};
    how.cooperative = true;
    gpu_test::start(exchange, how, reinterpret_cast<shared* const*>(addresses),
                    reinterpret_cast<cudasync::peer_part<most_gpus>* const*>(addresses + most_gpus), rank, gpus,
                    1 + launch * rounds, rounds);
  };
  for (unsigned launch = 0; launch < launches; ++launch) {
    start(launch);
    gpu_test::collect_device_failures();
  }
#if CUDASYNC_CHECKED
  place.meet(gpus);
  report.set_timeout(1000);
  if (rank + 1 < gpus) {
    start(launches);
    note_cause(report, place.causes[rank]);
  }
  place.meet(gpus);
  if (rank == 0 && !is_last_one_missing(place, gpus)) gpu_test::current_failed = true;
#else  // otherwise the contexts are lost, and with them all memory
  place.meet(gpus);  // 4. no process closes memory that another still uses
  for (unsigned gpu = 0; gpu < gpus; ++gpu)
    if (gpu != rank) gpu_test::expect_success(cudaIpcCloseMemHandle(memory[gpu]), "cudaIpcCloseMemHandle");
  place.meet(gpus);  // 5. the owner frees it after the others have closed it
  cudaFree(addresses);
  cudaFree(own);
#endif
}

// CUDA does not work in a process that was forked after the first call of CUDA, so this process makes none.
template <class Function>
pid_t start_process(Function function) {
  fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  const int status = function();
  fflush(stdout);
  _exit(status);
}

int status_of(pid_t child) {
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int main(int argc, char** argv) {
  const bool is_one_gpu = argc > 1 && strcmp(argv[1], "--one-gpu") == 0;
  void* const memory = mmap(nullptr, sizeof(meeting_place), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  meeting_place& place = *new (memory) meeting_place;
  const int found =
      status_of(start_process([] { return gpu_test::has_gpu() ? connected_gpus(static_cast<int>(most_gpus)) : 0; }));
  if (found < (is_one_gpu ? 1 : 2) || found > static_cast<int>(most_gpus)) {
    printf("skipped: no two GPUs that have access to each other\n");
    return 77;
  }
  const unsigned gpus = is_one_gpu ? 2 : static_cast<unsigned>(found);
  for (unsigned rank = 0; rank < gpus; ++rank)
    if (start_process([&place, rank, gpus, is_one_gpu] {
          run_rank(place, rank, gpus, is_one_gpu);
          return gpu_test::current_failed ? 1 : 0;
        }) < 0)
      place.has_failed = true;
  int failures = 0;
  for (unsigned left = gpus; left > 0; --left) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    ++failures;
    place.has_failed = true;
  }
  printf("%u processes, %d failed\n", gpus, failures);
  return failures != 0;
}
