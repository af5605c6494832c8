// Fences: a release is one-sided since sm_90; an acquire waits for read-modify-writes without a result, too, so it is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

extern "C" {

// PTX-LABEL: .entry acquire(
// PTX: fence.acq_rel.gpu;
// PTX-NOT: {{fence|membar}}
//
// SASS-LABEL: acquire:
// SASS: MEMBAR.ALL.GPU
// SASS: CCTL.IVALL
// SASS-NOT: {{MEMBAR|CCTL}}
// SASS: EXIT
__global__ void acquire() {
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
}

// PTX-LABEL: .entry acquire_in_block(
// PTX: fence.acq_rel.cta;
// SASS-LABEL: acquire_in_block:
// SASS: MEMBAR.ALL.CTA
// SASS-NOT: {{MEMBAR|CCTL}}
// SASS: EXIT
__global__ void acquire_in_block() {
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
}

// PTX-LABEL: .entry acquire_release(
// PTX: fence.acq_rel.gpu;
// PTX-NOT: {{fence|membar}}
//
// SASS-LABEL: acquire_release:
// SASS: MEMBAR.ALL.GPU
// SASS: CCTL.IVALL
// SASS-NOT: {{MEMBAR|CCTL}}
// SASS: EXIT
__global__ void acquire_release() {
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
}

// PTX-LABEL: .entry cluster(
// PTX-SM70: fence.acq_rel.gpu;
// PTX-SM80: fence.acq_rel.gpu;
// PTX-SM90+: fence.acq_rel.cluster;
// SASS-LABEL: cluster:
// SASS: MEMBAR.ALL.GPU
__global__ void cluster() {
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_cluster);
}

// PTX-LABEL: .entry consistent(
// PTX: fence.sc.sys;
// PTX-NOT: {{fence|membar}}
//
// SASS-LABEL: consistent:
// SASS: MEMBAR.SC.SYS
// SASS: CCTL.IVALL
// SASS-NOT: {{MEMBAR|CCTL}}
// SASS: EXIT
__global__ void consistent() {
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
}

// PTX-LABEL: .entry nothing(
// PTX-NOT: {{fence|membar}}
// PTX: ret;
//
// SASS-LABEL: nothing:
// SASS-NOT: {{MEMBAR|CCTL}}
// SASS: EXIT
__global__ void nothing() {
  cuda::atomic_thread_fence(cuda::memory_order_relaxed, cuda::thread_scope_device);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_thread);
  cuda::atomic_signal_fence(cuda::memory_order_seq_cst);
}

// PTX-LABEL: .entry release(
// PTX-SM70: fence.acq_rel.gpu;
// PTX-SM80: fence.acq_rel.gpu;
// PTX-SM90+: fence.release.gpu;
// PTX-NOT: {{fence|membar}}
//
// SASS-SM90+-LABEL: release:
// SASS-SM90+: MEMBAR.ALL.GPU
// SASS-SM90+-NOT: {{MEMBAR|CCTL}}
// SASS-SM90+: EXIT
__global__ void release() {
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
}

}  // extern "C"
