// cuda::ptx: arrivals after cp.async, and stores and atomics in other blocks that complete on an mbarrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_REMOTE_H
#define CUDASYNC_COMPAT_PTX_REMOTE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_checks.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/cp_async.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/st_async.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

// Whether red.async has an operation on exactly this type. A wider integer would convert to a narrower one.
template <class Op, class Operand>
inline constexpr bool has_red_async =
    is_same<Operand, uint32> || (is_same<Op, ptx::op_add_t> && is_same<Operand, uint64>) ||
    (is_same<Operand, int32> &&
     (is_same<Op, ptx::op_add_t> || is_same<Op, ptx::op_min_t> || is_same<Op, ptx::op_max_t>));

namespace ptx_names {

// Adds an arrival to the phase of an mbarrier, and makes it when all copies of this thread by cp.async are complete.
// Does not block. cp.async.mbarrier.arrive.
template <class Word>
CUDASYNC_DEVICE void cp_async_mbarrier_arrive(Word* bar) {
  check_sm80<Word>();
  ptx::cp_async_mbarrier_arrive(ptx::to_shared(bar));
}

// Makes one of the expected arrivals at an mbarrier when all copies of this thread by cp.async are complete. Does not
// block. cp.async.mbarrier.arrive.noinc.
template <class Word>
CUDASYNC_DEVICE void cp_async_mbarrier_arrive_noinc(Word* bar) {
  check_sm80<Word>();
  ptx::cp_async_mbarrier_arrive_noinc(ptx::to_shared(bar));
}

// Begins to store a value of 4 or 8 bytes to the shared memory of a block of the cluster. Does not block. Its bytes
// complete on the mbarrier bar in the same block. st.async.
template <class Value, class Word>
CUDASYNC_DEVICE void st_async(Value* destination, const identity<Value>& value, Word* bar) {
  check_sm90<Value>();
  check_isa_81<Value>();
  using bits = conditional<sizeof(Value) == 8, uint64, uint32>;
  ptx::st_async(ptx::to_cluster(destination), operand_bits<bits>(value), ptx::to_cluster(bar));
}

// Begins to store two values of 4 or 8 bytes, or four of 4 bytes, to the shared memory of a block of the cluster. Does
// not block. Their bytes complete on bar there. The destination must be aligned to the size of all values. st.async.
template <class Value, size_t Count, class Word>
CUDASYNC_DEVICE void st_async(Value* destination, const Value (&values)[Count], Word* bar) {
  check_sm90<Value>();
  check_isa_81<Value>();
  static_assert(Count == 2 || (Count == 4 && sizeof(Value) == 4),
                "st_async stores one value, two values of 4 or 8 bytes, or four of 4 bytes: use several calls, or "
                "cp_async_bulk from shared memory");
  using bits = conditional<sizeof(Value) == 8, uint64, uint32>;
  if constexpr (Count == 2) {
    const bits words[2] = {operand_bits<bits>(values[0]), operand_bits<bits>(values[1])};
    ptx::st_async(ptx::to_cluster(destination), words, ptx::to_cluster(bar));
  } else if constexpr (Count == 4 && sizeof(Value) == 4) {
    const uint32 words[4] = {operand_bits<uint32>(values[0]), operand_bits<uint32>(values[1]),
                             operand_bits<uint32>(values[2]), operand_bits<uint32>(values[3])};
    ptx::st_async(ptx::to_cluster(destination), words, ptx::to_cluster(bar));
  }
}

// Begins an atomic operation in the shared memory of another block of the cluster, relaxed at cluster scope. Does not
// block. Its bytes complete on the mbarrier bar in the same block. red.async.
template <class Op, class Value, class Word>
CUDASYNC_DEVICE void red_async(Op op, Value* destination, const identity<Value>& value, Word* bar) {
  check_sm90<Value>();
  check_isa_81<Value>();
  using operand = typename combined_as<Op, Value>::type;
  static_assert(has_red_async<Op, operand>,
                "red_async has no such operation on values of this type: it adds integers of 4 or 8 bytes, takes the "
                "minimum and the maximum of integers of 4 bytes, increments and decrements uint32_t, and combines the "
                "bits of any type of 4 bytes");
  if constexpr (has_red_async<Op, operand>)
    ptx::red_async(op, ptx::to_cluster(destination), to_bits<operand>(value), ptx::to_cluster(bar));
}

}  // namespace ptx_names
}}}  // namespace cudasync::CUDASYNC_ABI::compat

#endif  // CUDASYNC_CUDA

#endif
