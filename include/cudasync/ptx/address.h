// Addresses as types: in this block's shared memory, in the shared memory of the cluster, or generic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ADDRESS_H
#define CUDASYNC_PTX_ADDRESS_H

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// A byte offset in .shared::cta. An instruction has overloads only for the kinds of addresses that PTX allows.
struct shared_address {
  uint32 value;

  CUDASYNC_DEVICE constexpr shared_address operator+(uint32 bytes) const { return {value + bytes}; }
};

// A byte offset in .shared::cluster: the shared memory of any block of the cluster.
struct cluster_address {
  uint32 value;

  CUDASYNC_DEVICE constexpr cluster_address(shared_address own) : value(own.value) {}  // a part of .shared::cluster
  CUDASYNC_DEVICE constexpr explicit cluster_address(uint32 offset) : value(offset) {}
};

#if CUDASYNC_CUDA_CLANG
// Inline assembly, because clang's built-in functions cause an internal compiler error if clang knows that the object
// is in another state space, even in a branch that is never taken.
// PTX 2.0, sm_20. cvta.to.shared.
CUDASYNC_DEVICE uint32 offset_in_shared(const void* object) {
  uint32 offset;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(offset) : "l"(object));
  return offset;
}
#else
// PTX 2.0, sm_20. cvta.to.shared.
CUDASYNC_DEVICE uint32 offset_in_shared(const void* object) {
  return static_cast<uint32>(__cvta_generic_to_shared(object));
}
#endif
// PTX 2.0, sm_20. cvta.to.global. With -Ofast-compile=mid, cicc (13.0) crashes at its own function for it if the object
// is in shared memory, even in a branch that is never taken.
CUDASYNC_DEVICE uint64 offset_in_global(const void* object) {
  uint64 offset;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(offset) : "l"(object));
  return offset;
}

// The address of a word, with the type of the word. Loads, stores and atomics take it.
template <class Value>
struct shared_pointer {
  uint32 address;
};
template <class Value>
struct global_pointer {
  uint64 address;
};
template <class Value>
struct generic_pointer {
  uint64 address;
};
// A generic address in the shared memory of another block of the cluster.
template <class Value>
struct other_block_pointer {
  uint64 address;
};

template <class Value>
CUDASYNC_DEVICE global_pointer<Value> to_global_pointer(const Value* word) {
  return {offset_in_global(word)};
}

template <class Value>
CUDASYNC_DEVICE shared_pointer<Value> to_shared_pointer(const Value* word) {
  return {offset_in_shared(word)};
}

template <class Value>
CUDASYNC_DEVICE generic_pointer<Value> to_generic_pointer(const Value* word) {
  return {static_cast<uint64>(reinterpret_cast<uintptr>(word))};
}

// The object must lie in this block's shared memory.
CUDASYNC_DEVICE shared_address to_shared(const void* object) {
  return {offset_in_shared(object)};
}

// cvta.shared.
CUDASYNC_DEVICE void* to_generic(shared_address object) {
  return __cvta_shared_to_generic(object.value);
}

// cvta.to.global, and back. The compiler then knows that the object is in global memory.
template <class Object>
CUDASYNC_DEVICE Object* in_global(Object* object) {
  return static_cast<Object*>(__cvta_global_to_generic(offset_in_global(object)));
}

// The address of an object, to be tested, but not known to be that of bytes in a class. cicc (13.0) fails at the test
// of such a pointer, unless an index of a type of another size is added: 0, which ptxas knows, and which depends on
// nothing, so that cicc merges tests of an address.
struct tested_address {
  const void* value;
  CUDASYNC_DEVICE tested_address(const void* object) {  // no initializer, which the host compiler would see
    value = CUDASYNC_CUDA_CLANG ? object : static_cast<const uint16(*)[3]>(object) + __umulhi(0u, 0u);
  }
};

// isspacep.shared. A constant if the compiler knows the object's state space.
CUDASYNC_DEVICE bool is_shared(tested_address object) {
  return __isShared(object.value) != 0;
}

// For assertions. From one of the test alone, cicc (13.0) concludes that the next test in the same object is false.
CUDASYNC_DEVICE bool is_shared_to_assert(tested_address object) {
  return is_shared(object) || (!CUDASYNC_CUDA_CLANG && __umulhi(0u, 0u) != 0);  // a false that cicc does not know
}

// isspacep.shared::cluster, in the same way. A template, because only passes for sm_90 and newer declare the built-in.
template <class Address>
CUDASYNC_DEVICE bool is_known_cluster_shared(Address object) {
  return __isClusterShared(object.value) != 0;
}

// isspacep.local.
CUDASYNC_DEVICE bool is_local(tested_address object) {
  return __isLocal(object.value) != 0;
}

// isspacep.global.
CUDASYNC_DEVICE bool is_global(tested_address object) {
  return __isGlobal(object.value) != 0;
}

// PTX 1.0, sm_10. A zero that only ptxas knows; volatile, or the compiler would conclude something about another zero.
CUDASYNC_DEVICE uint32 zero_of_ptxas() {
  uint32 zero;
  asm volatile("mov.u32 %0, 0;" : "=r"(zero));
  return zero;
}

// PTX 1.0, sm_10. The same address, which the compiler does not compute again from those that it was computed from.
CUDASYNC_DEVICE const char* opaque(const char* address) {
  asm("" : "+l"(address));
  return address;
}

// Whether the compiler applies assumptions after it has determined state spaces: since CUDA 12.5, but not with -G.
#if CUDASYNC_PTX_ISA < 85 || CUDASYNC_CUDA_CLANG || defined(__CUDACC_DEBUG__)
[[nodiscard]] CUDASYNC_DEVICE constexpr bool has_assumptions_about_spaces() {
  return false;
}
#else
[[nodiscard]] CUDASYNC_DEVICE constexpr bool has_assumptions_about_spaces() {
  return true;
}
#endif

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
