// The checked build: a read-modify-write of a byte loads no byte beyond it, which memcheck would report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/atomic>

// PTX: .entry add_to_byte
// PTX: ld.relaxed.cta.global.{{[bu]}}8
// PTX: atom.relaxed.gpu.global.cas.b16
// PTX: ret;
extern "C" __global__ void add_to_byte(unsigned char* byte) {
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(*byte).fetch_add(3, cuda::memory_order_relaxed);
}
