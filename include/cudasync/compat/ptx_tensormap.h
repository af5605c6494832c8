// cuda::ptx: changes of tensor maps on the device, and the fences that publish them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_TENSORMAP_H
#define CUDASYNC_COMPAT_PTX_TENSORMAP_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_checks.h>
#include <cudasync/core/integers.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/qualifiers.h>
#include <cudasync/ptx/tensormap.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace compat {

CUDASYNC_DEVICE ptx::shared_address map_in(ptx::space_shared_t, void* map) {
  return ptx::to_shared(map);
}
CUDASYNC_DEVICE void* map_in(ptx::space_global_t, void* map) {
  return map;
}

namespace ptx_names {

// Changes a tensor map in global memory or in this block's shared memory: the address of the tensor. tensormap.replace.
template <class Space, class Word>
CUDASYNC_DEVICE void tensormap_replace_global_address(Space space, void* map, Word value) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_global_address(map_in(space, map), operand_bits<uint64>(value));
}

// Changes a tensor map in global memory or in this block's shared memory: the rank of the tensor, minus 1.
// tensormap.replace.
template <class Space, class Word>
CUDASYNC_DEVICE void tensormap_replace_rank(Space space, void* map, Word value) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_rank(map_in(space, map), operand_bits<uint32>(value));
}

// Changes a tensor map in global memory or in this block's shared memory: the extent of the box in a dimension.
// tensormap.replace.
template <class Space, int Dimension, class Word>
CUDASYNC_DEVICE void tensormap_replace_box_dim(Space space, void* map, n32_t<Dimension>, Word value) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_box_dim<Dimension>(map_in(space, map), operand_bits<uint32>(value));
}

// Changes a tensor map in global memory or in this block's shared memory: the extent of the tensor in a dimension.
// tensormap.replace.
template <class Space, int Dimension, class Word>
CUDASYNC_DEVICE void tensormap_replace_global_dim(Space space, void* map, n32_t<Dimension>, Word value) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_global_dim<Dimension>(map_in(space, map), operand_bits<uint32>(value));
}

// Changes a tensor map in global memory or in this block's shared memory: the stride of the tensor in a dimension.
// tensormap.replace.
template <class Space, int Dimension, class Word>
CUDASYNC_DEVICE void tensormap_replace_global_stride(Space space, void* map, n32_t<Dimension>, Word value) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_global_stride<Dimension>(map_in(space, map), operand_bits<uint64>(value));
}

// Changes a tensor map in global memory or in this block's shared memory: the step between the elements of a dimension
// that are copied. tensormap.replace.
template <class Space, int Dimension, class Word>
CUDASYNC_DEVICE void tensormap_replace_element_stride(Space space, void* map, n32_t<Dimension>, Word value) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_element_stride<Dimension>(map_in(space, map), operand_bits<uint32>(value));
}

// Changes a tensor map in global memory or in this block's shared memory: element_stride, by another name of libcu++.
// tensormap.replace.
template <class Space, int Dimension, class Word>
CUDASYNC_DEVICE void tensormap_replace_element_size(Space space, void* map, n32_t<Dimension>, Word value) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_element_stride<Dimension>(map_in(space, map), operand_bits<uint32>(value));
}

// Changes a tensor map in global memory or in this block's shared memory: the type of the elements, as PTX numbers it.
// tensormap.replace.
template <class Space, int Value>
CUDASYNC_DEVICE void tensormap_replace_elemtype(Space space, void* map, n32_t<Value>) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_elemtype<Value>(map_in(space, map));
}

// Changes a tensor map in global memory or in this block's shared memory: the interleaving, as PTX numbers it.
// tensormap.replace.
template <class Space, int Value>
CUDASYNC_DEVICE void tensormap_replace_interleave_layout(Space space, void* map, n32_t<Value>) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_interleave_layout<Value>(map_in(space, map));
}

// Changes a tensor map in global memory or in this block's shared memory: the swizzling, as PTX numbers it.
// tensormap.replace.
template <class Space, int Value>
CUDASYNC_DEVICE void tensormap_replace_swizzle_mode(Space space, void* map, n32_t<Value>) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_swizzle_mode<Value>(map_in(space, map));
}

// Changes a tensor map in global memory or in this block's shared memory: the atomicity of the swizzling, as PTX
// numbers it. tensormap.replace.
template <class Space, int Value>
CUDASYNC_DEVICE void tensormap_replace_swizzle_atomicity(Space space, void* map, n32_t<Value>) {
  check_tensormap_replace<Space>();
  check_blackwell<Space>();
  ptx::tensormap_replace_swizzle_atomicity<Value>(map_in(space, map));
}

// Changes a tensor map in global memory or in this block's shared memory: the values of elements out of bounds, as PTX
// numbers them. tensormap.replace.
template <class Space, int Value>
CUDASYNC_DEVICE void tensormap_replace_fill_mode(Space space, void* map, n32_t<Value>) {
  check_tensormap_replace<Space>();
  ptx::tensormap_replace_fill_mode<Value>(map_in(space, map));
}

// Copies a tensor map from this block's shared memory to global memory and releases it to the copy engine, at the
// scope. All threads of the warp call it, converged. The size must be 128. tensormap.cp_fenceproxy.
template <class Scope, int Size>
CUDASYNC_DEVICE void tensormap_cp_fenceproxy(sem_release_t sem, Scope scope, void* destination, const void* source,
                                             n32_t<Size>) {
  check_sm90<Scope>();
  check_isa_83<Scope>();
  static_assert(Size == 128, "a tensor map has 128 bytes: pass n32_t<128>{}");
  ptx::tensormap_cp_fenceproxy(sem, scope, destination, ptx::to_shared(source));
}

// Publishes the changes of this thread to tensor maps, at the scope. fence.proxy.tensormap::generic.
template <class Scope>
CUDASYNC_DEVICE void fence_proxy_tensormap_generic(sem_release_t sem, Scope scope) {
  check_sm90<Scope>();
  check_isa_83<Scope>();
  ptx::fence_proxy_tensormap_generic(sem, scope);
}

// Makes a changed tensor map visible to later copies of this thread, at the scope. The size must be 128.
// fence.proxy.tensormap::generic.
template <class Scope, int Size>
CUDASYNC_DEVICE void fence_proxy_tensormap_generic(sem_acquire_t sem, Scope scope, const void* map, n32_t<Size>) {
  check_sm90<Scope>();
  check_isa_83<Scope>();
  static_assert(Size == 128, "a tensor map has 128 bytes: pass n32_t<128>{}");
  ptx::fence_proxy_tensormap_generic(sem, scope, map);
}

}  // namespace ptx_names
}  // namespace compat
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
