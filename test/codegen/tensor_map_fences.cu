// The fences around a tensor map that changes on the device are the instructions that a hand would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
#include <cuda/pipeline>

extern "C" {

// PTX-LABEL: .entry ours_release(
// PTX: fence.proxy.tensormap::generic.release.gpu;
// PTX-LABEL: .entry hand_release(
__global__ void ours_release() {
  cudasync::device::release_tensor_map();
}
__global__ void hand_release() {
  asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
}

// PTX-LABEL: .entry ours_acquire(
// PTX: fence.proxy.tensormap::generic.acquire.gpu
// PTX-LABEL: .entry hand_acquire(
__global__ void ours_acquire(const CUtensorMap* map) {
  cudasync::device::acquire_tensor_map(map);
}
__global__ void hand_acquire(const CUtensorMap* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}

}  // extern "C"
