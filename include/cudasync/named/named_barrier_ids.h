// named_barrier_ids: gives the named barriers of a kernel their ids, at compile time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_NAMED_NAMED_BARRIER_IDS_H
#define CUDASYNC_NAMED_NAMED_BARRIER_IDS_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>
#include <cudasync/named/named_barrier.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

template <class Name, class... Names>
inline constexpr uint32 count_of = (uint32{0} + ... + uint32{is_same<Name, Names>});

// The position of Name among Names; the number of Names if it is not there.
template <class Name, class... Names>
[[nodiscard]] CUDASYNC_API constexpr uint32 position_of() {
  uint32 position = 0;
  static_cast<void>(((is_same<Name, Names> || (++position, false)) || ...));
  return position;
}

// Assigns ids to the named barriers of a kernel. Names are types without a definition, and get ids from First on.
template <uint32 First, class... Names>
class named_barrier_list {
  static_assert(
      First + sizeof...(Names) <= 16,
      "named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one "
      "barrier for several purposes that never overlap");
  static_assert(((count_of<Names, Names...> == 1) && ...),
                "named_barrier_ids: duplicate name: two purposes would share a barrier; give each its own name");

 public:
  // The number of names.
  static constexpr uint32 size = sizeof...(Names);
  // The first id after them.
  static constexpr uint32 end = First + size;

  // Returns the id of a name. A name that is not in the list fails to compile.
  template <class Name>
  [[nodiscard]] CUDASYNC_API static constexpr uint32 id() {
    static_assert(count_of<Name, Names...> != 0, "named_barrier_ids: no barrier of this name; add it to the list");
    return First + position_of<Name, Names...>();
  }

  // The barrier of a name.
  template <class Name, uint32 Threads = all_threads_of_block>
  using barrier = named_barrier<id<Name>(), Threads>;

  // The list with additional names: a kernel adds its own barriers to those of a library that it calls.
  template <class... More>
  using append = named_barrier_list<First, Names..., More...>;
};

// The barriers of a kernel:
//   struct loaded;
//   struct stored;
//   using ids = cudasync::named_barrier_ids<loaded, stored>;   // 1 and 2
//   ids::barrier<loaded, 256>::sync();
// A duplicate name, one that is not in the list, and more than 15 are compile-time errors. 0 belongs to __syncthreads.
template <class... Names>
using named_barrier_ids = named_barrier_list<1, Names...>;

// The barriers of a kernel, with ids from First: 0 without __syncthreads, or the first that other code does not use.
template <uint32 First, class... Names>
using named_barrier_ids_from = named_barrier_list<First, Names...>;

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
