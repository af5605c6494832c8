// Misuse with <cudasync/peer_multicast.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/peer_multicast.h>

// misuse: arrival_below_sm90
// A store through a multicast address is an instruction of sm_90.
// ERROR: stores through a multicast address need sm_90: pass the addresses of all GPUs' parts or signals on older architectures, or compile with -arch=sm_90 or newer
// COMPILERS: nvrtc nvcc
// ARCHS: 80
using part = cudasync::peer_part<>;

__device__ void meet(part* own, part* everywhere, part* const* parts, unsigned rank) {
  cudasync::peer_barrier bar(cudasync::multicast_part(own, everywhere), rank, 2);  // wrong
  cudasync::peer_barrier bar(parts, rank, 2);                                      // right
  bar.arrive_and_wait();
}

// misuse: signal_below_sm90
// A signal through a multicast address is an instruction of sm_90.
// ERROR: stores through a multicast address need sm_90: pass the addresses of all GPUs' parts or signals on older architectures
// ARCHS: 70 80
__device__ void tell(cudasync::peer_signal* everywhere, cudasync::peer_signal* const* signals, unsigned gpus) {
  cudasync::multicast_signal(everywhere).signal(1);  // wrong
  for (unsigned gpu = 0; gpu < gpus; ++gpu)          // right
    signals[gpu]->signal(1);                         // right
}

// misuse: two_addresses_of_different_sizes
// Both addresses are of parts of the same size.
// ERROR: (no instance of constructor|cannot deduce|could not deduce|conflicting)
// COMPILERS: nvrtc nvcc
__device__ void meet(cudasync::peer_part<>* own, cudasync::peer_part<>* everywhere, cudasync::peer_part<72>* other) {
  cudasync::multicast_part parts(own, other);       // wrong
  cudasync::multicast_part parts(own, everywhere);  // right
  cudasync::peer_barrier bar(parts, 0, 1);
  bar.arrive_and_wait();
  static_cast<void>(other);
}
