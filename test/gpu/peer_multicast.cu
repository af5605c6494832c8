// Barriers and signals of several GPUs through a multicast address: kernels and launches that are compiled, and never run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"

#include <cudasync/peer_multicast.h>

using part = cudasync::peer_part<>;
using cudasync::multicast_part;
using cudasync::peer_signal;

// A GPU's memory of a multicast object.
struct shared {
  part parts[17];
  peer_signal signal;
  unsigned words[2][8];
};

// Each GPU stores the round into the memory of all GPUs, and finds there what the others have stored.
__global__ void meet_all(shared* const* memory, shared* everywhere, unsigned rank, unsigned gpus, unsigned rounds) {
  shared& own = *memory[rank];
  cudasync::peer_barrier all(multicast_part(own.parts, everywhere->parts), rank, gpus);
  for (unsigned round = 1; round <= rounds; ++round) {
    if (blockIdx.x == 0 && threadIdx.x < gpus) memory[threadIdx.x]->words[round % 2][rank] = round;
    if (round % 2 == 0)
      all.wait(all.arrive());
    else
      all.arrive_and_wait();
    if (threadIdx.x < gpus) DEVICE_CHECK(own.words[round % 2][threadIdx.x] == round);
  }
}

// The same among blocks of one index, and signals of rank 0.
__global__ void meet_namesakes(multicast_part<> parts, peer_signal* own, peer_signal* everywhere, unsigned rank,
                               unsigned gpus, unsigned rounds) {
  cudasync::peer_block_barrier bar(parts, rank, gpus, 1 + blockIdx.x);
  for (unsigned round = 1; round <= rounds; ++round) {
    if (rank == 0 && blockIdx.x == 0) cudasync::multicast_signal(everywhere).signal(round);
    own->wait(round);
    bar.arrive_and_wait();
  }
}

// Whether this host is for tests of multicast alone. A multicast object takes a resource of the switch that other users of a
// shared host may need, so no test makes one.
static bool may_make_multicast_objects() {
  return false;
}

TEST(barriers_and_signals) {
  SKIP_IF(!may_make_multicast_objects(), "tests make no multicast objects, which other users of a host would notice");
  shared *const *memory = nullptr, *own = nullptr, *everywhere = nullptr;
  meet_all<<<16, 64>>>(memory, everywhere, 0, 2, 100);
  meet_namesakes<<<16, 64>>>(multicast_part(own->parts, everywhere->parts), &own->signal, &everywhere->signal, 0, 2,
                             100);
  gpu_test::collect_device_failures();
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
