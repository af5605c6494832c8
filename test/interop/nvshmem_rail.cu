// A world_barrier over NVSHMEM, beside its device headers. Groups of PEs stand for hosts, so that one host suffices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: nvshmem
#include <cudasync/nvshmem_rail.h>

using part = cudasync::world_part<>;

static_assert(cudasync::nvshmem_rail::signal_count(2) == 7 && cudasync::nvshmem_rail::signal_count(128) == 21);

// own, signals, inbox: zeros at the same offset of each heap. gpus_of_host: 1 forces the path of the network.
__global__ void synchronize_world(part* own, uint64_t* signals, unsigned gpus_of_host, int* inbox) {
  __shared__ part* parts[part::max_peers];
  const unsigned pe = static_cast<unsigned>(nvshmem_my_pe()), rank = pe % gpus_of_host;
  if (threadIdx.x < gpus_of_host)
    parts[threadIdx.x] = static_cast<part*>(nvshmem_ptr(own, static_cast<int>(pe - rank + threadIdx.x)));
  __syncthreads();
  cudasync::world_barrier bar(cudasync::nvshmem_rail(signals, gpus_of_host), parts, rank, gpus_of_host);
  const unsigned next = (pe + gpus_of_host) % static_cast<unsigned>(nvshmem_n_pes());
  if (blockIdx.x == 0 && threadIdx.x == 0) nvshmem_int_p(inbox, static_cast<int>(pe), static_cast<int>(next));
  bar.arrive_and_wait();
  bar.wait(bar.arrive());
}
