// The few type traits that the library needs, without <type_traits>.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_TRAITS_H
#define CUDASYNC_CORE_TRAITS_H

#include <cudasync/core/config.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

template <class Type>
struct remove_reference {
  using type = Type;
};
template <class Type>
struct remove_reference<Type&> {
  using type = Type;
};
template <class Type>
struct remove_reference<Type&&> {
  using type = Type;
};

// Makes a parameter follow the template argument instead of deducing it.
template <class Type>
struct identity_of {
  using type = Type;
};
template <class Type>
using identity = typename identity_of<Type>::type;

template <class Type>
inline constexpr bool is_trivially_copyable = __is_trivially_copyable(Type);

#if defined(__clang__)
template <class Type>
inline constexpr bool is_trivially_destructible = __is_trivially_destructible(Type);
#else
template <class Type>
inline constexpr bool is_trivially_destructible = __has_trivial_destructor(Type);
#endif

template <class Type>
[[nodiscard]] CUDASYNC_API constexpr typename remove_reference<Type>::type&& move(Type&& value) noexcept {
  return static_cast<typename remove_reference<Type>::type&&>(value);
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
