// Compile-time errors of cuda::ptx for targets and toolkits that lack an instruction, and conversions of its operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_CHECKS_H
#define CUDASYNC_COMPAT_PTX_CHECKS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/cp_reduce_async_bulk.h>
#include <cudasync/ptx/qualifiers.h>

// Dependent is any template parameter of the caller. It delays a check until the caller is instantiated.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {

template <class Dependent, class Here = target::here>
CUDASYNC_DEVICE void check_sm80() {
  static_assert(!target::lacks<Here, target::sm80>,
                "this function of cuda::ptx needs sm_80: compile with -arch=sm_80 or newer, or use cuda::pipeline");
}

template <class Dependent, class Here = target::here, bool HasIsa = target::has_isa<86>>
CUDASYNC_DEVICE void check_blackwell() {
  static_assert(!target::lacks<Here, target::sm100>,
                "this function of cuda::ptx needs sm_100: compile with -arch=sm_100 or newer");
  static_assert(HasIsa, "this function of cuda::ptx needs PTX ISA 8.6: compile with CUDA 12.8 or newer");
}

template <class Dependent, bool HasIsa = target::has_isa<86>>
CUDASYNC_DEVICE void check_isa_86() {
  static_assert(HasIsa, "this function of cuda::ptx needs PTX ISA 8.6: compile with CUDA 12.8 or newer");
}

template <class Dependent, bool HasIsa = target::has_isa<83>>
CUDASYNC_DEVICE void check_isa_83() {
  static_assert(HasIsa, "this function of cuda::ptx needs PTX ISA 8.3: compile with CUDA 12.3 or newer");
}

template <class Dependent, bool HasIsa = target::has_isa<81>>
CUDASYNC_DEVICE void check_isa_81() {
  static_assert(HasIsa, "this function of cuda::ptx needs PTX ISA 8.1: compile with CUDA 12.1 or newer");
}

template <class Dependent, class Here = target::here, bool Has = target::has_tcgen05, bool HasIsa = target::has_isa<86>>
CUDASYNC_DEVICE void check_tcgen05() {
  static_assert(
      Has || is_same<Here, target::host>,
      "this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or "
      "sm_110a, or for one of their families, such as sm_100f");
  static_assert(HasIsa, "this function of cuda::ptx needs PTX ISA 8.6: compile with CUDA 12.8 or newer");
}

template <class Dependent, class Here = target::here, bool Has = target::has_setmaxnreg>
CUDASYNC_DEVICE void check_tensormap_replace() {
  check_isa_83<Dependent>();
  static_assert(Has || is_same<Here, target::host>,
                "tensormap.replace needs the target of one architecture or family: compile with -arch=sm_90a, sm_100a, "
                "sm_103a, sm_110a, sm_120a or sm_121a, or sm_100f to sm_121f");
}

// Returns the bits of an operand whose instruction takes any type of the size of Word.
template <class Word, class Value>
CUDASYNC_DEVICE Word operand_bits(const Value& value) {
  static_assert(sizeof(Value) == sizeof(Word) && is_trivially_copyable<Value>,
                "this operand of cuda::ptx has the wrong size: convert it to an integer of 4 or 8 bytes, as the "
                "instruction needs");
  return to_bits<Word>(value);
}

// The type with which an instruction combines values: bits for .and, .or and .xor, otherwise the number itself. .add
// has no .s64, because .u64 does the same. void: no instruction combines values of this type.
template <class Op, class Value>
struct combined_as {
  static constexpr bool is_bitwise =
      is_same<Op, ptx::op_and_op_t> || is_same<Op, ptx::op_or_op_t> || is_same<Op, ptx::op_xor_op_t>;
  static constexpr bool is_word = sizeof(Value) == 4 || sizeof(Value) == 8;
  static constexpr bool is_signed = is_signed_integer<Value> && !(sizeof(Value) == 8 && is_same<Op, ptx::op_add_t>);
  static constexpr number_kind kind = kind_of<Value>;
  using bits = conditional<is_word, conditional<sizeof(Value) == 8, uint64, uint32>, void>;
  using integer = conditional<is_signed, conditional<sizeof(Value) == 8, int64, int32>, bits>;
  using number = conditional<kind == number_kind::half, ptx::f16_element,
                             conditional<kind == number_kind::bfloat, ptx::bf16_element,
                                         conditional<kind == number_kind::integer, integer, Value>>>;
  using type = conditional<is_bitwise, bits, number>;
};

}}}  // namespace cudasync::CUDASYNC_ABI::compat

#endif  // CUDASYNC_CUDA

#endif
