// Names of cuda::std that programs use after a header for synchronization alone: forward, byte, memcpy, a few traits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_STD_NAMES_H
#define CUDASYNC_COMPAT_STD_NAMES_H

#include <cudasync/compat/vocabulary.h>
#include <cudasync/core/config.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/traits.h>

#if CUDASYNC_HAS_HOST
#include <string.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {
namespace compat::vocabulary {  // whose names vocabulary.h makes visible in cuda::std

using cudasync::memory_order;
// The functions of C. Declared here, so that a call after `using namespace cuda::std` is not ambiguous.
using ::memcpy;
using ::memset;

// Returns the argument as an lvalue or an rvalue, as it was passed to the caller.
template <class Type>
[[nodiscard]] CUDASYNC_API constexpr Type&& forward(typename remove_reference<Type>::type& value) noexcept {
  return static_cast<Type&&>(value);
}
template <class Type>
[[nodiscard]] CUDASYNC_API constexpr Type&& forward(typename remove_reference<Type>::type&& value) noexcept {
  return static_cast<Type&&>(value);
}

template <class Type, Type Value>
struct integral_constant {
  using type = integral_constant;
  using value_type = Type;
  static constexpr Type value = Value;
  CUDASYNC_API constexpr operator Type() const noexcept { return Value; }
  [[nodiscard]] CUDASYNC_API constexpr Type operator()() const noexcept { return Value; }
};
template <bool Value>
using bool_constant = integral_constant<bool, Value>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class Left, class Right>
inline constexpr bool is_same_v = cudasync::is_same<Left, Right>;
template <class Left, class Right>
struct is_same : bool_constant<is_same_v<Left, Right>> {};
template <class Type>
inline constexpr bool is_trivially_copyable_v = cudasync::is_trivially_copyable<Type>;
template <class Type>
struct is_trivially_copyable : bool_constant<is_trivially_copyable_v<Type>> {};

using cudasync::enable_if;
template <bool Condition, class Type = void>
using enable_if_t = typename enable_if<Condition, Type>::type;
template <bool Condition, class Yes, class No>
using conditional_t = cudasync::conditional<Condition, Yes, No>;
template <class Type>
using remove_reference_t = typename remove_reference<Type>::type;
template <class Type>
using remove_cv_t = cudasync::remove_cv<Type>;

// A byte of memory: it has operations on bits, and no arithmetic.
enum class byte : unsigned char {};

template <class Integer>
[[nodiscard]] CUDASYNC_API constexpr Integer to_integer(byte value) noexcept {
  return static_cast<Integer>(value);
}
[[nodiscard]] CUDASYNC_API constexpr byte operator~(byte value) noexcept {
  return static_cast<byte>(~static_cast<unsigned>(value));
}
// clang-format off
#define CUDASYNC_BYTE(OPERATOR)                                                                \
  [[nodiscard]] CUDASYNC_API constexpr byte operator OPERATOR(byte left, byte right) noexcept { \
    return static_cast<byte>(static_cast<unsigned>(left) OPERATOR static_cast<unsigned>(right)); \
  }                                                                                            \
  CUDASYNC_API constexpr byte& operator OPERATOR##=(byte& left, byte right) noexcept {         \
    return left = left OPERATOR right;                                                         \
  }
CUDASYNC_BYTE(|)
CUDASYNC_BYTE(&)
CUDASYNC_BYTE(^)
#undef CUDASYNC_BYTE
// clang-format on
template <class Integer>
[[nodiscard]] CUDASYNC_API constexpr byte operator<<(byte value, Integer bits) noexcept {
  return static_cast<byte>(static_cast<unsigned>(value) << bits);
}
template <class Integer>
[[nodiscard]] CUDASYNC_API constexpr byte operator>>(byte value, Integer bits) noexcept {
  return static_cast<byte>(static_cast<unsigned>(value) >> bits);
}
template <class Integer>
CUDASYNC_API constexpr byte& operator<<=(byte& value, Integer bits) noexcept {
  return value = value << bits;
}
template <class Integer>
CUDASYNC_API constexpr byte& operator>>=(byte& value, Integer bits) noexcept {
  return value = value >> bits;
}

}}}  // namespace cudasync::CUDASYNC_ABI::compat::vocabulary

namespace cuda {

// The threads that an object synchronizes: those of a block, a cluster, a device or the system, or one thread.
using cudasync::thread_scope;
using cudasync::thread_scope_block, cudasync::thread_scope_cluster, cudasync::thread_scope_device;
using cudasync::thread_scope_system, cudasync::thread_scope_thread;

namespace std { inline namespace __4 {
using cudasync::thread_scope;
using cudasync::thread_scope_block, cudasync::thread_scope_cluster, cudasync::thread_scope_device;
using cudasync::thread_scope_system, cudasync::thread_scope_thread;
}}  // namespace std::__4

}  // namespace cuda

#endif
