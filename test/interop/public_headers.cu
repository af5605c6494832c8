// Beside all public headers of CCCL's libcu++ that this version has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: the header tests of libcu++, which compile each public header alone
// passes: both
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE  // before CCCL 3.1
#include "ours_first.h"

// clang-format off
#if __has_include(<cuda/access_property>)
#include <cuda/access_property>
#endif
#if __has_include(<cuda/algorithm>)
#include <cuda/algorithm>
#endif
#if __has_include(<cuda/annotated_ptr>)
#include <cuda/annotated_ptr>
#endif
#if __has_include(<cuda/bit>)
#include <cuda/bit>
#endif
#if __has_include(<cuda/buffer>)
#include <cuda/buffer>
#endif
#if __has_include(<cuda/cmath>)
#include <cuda/cmath>
#endif
#if __has_include(<cuda/devices>)
#include <cuda/devices>
#endif
#if __has_include(<cuda/discard_memory>)
#include <cuda/discard_memory>
#endif
#if __has_include(<cuda/functional>)
#include <cuda/functional>
#endif
#if __has_include(<cuda/hierarchy>)
#include <cuda/hierarchy>
#endif
#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#endif
#if __has_include(<cuda/launch>)
#include <cuda/launch>
#endif
#if __has_include(<cuda/mdspan>)
#include <cuda/mdspan>
#endif
#if __has_include(<cuda/memory>)
#include <cuda/memory>
#endif
#if __has_include(<cuda/memory_pool>)
#include <cuda/memory_pool>
#endif
#if __has_include(<cuda/memory_resource>)
#include <cuda/memory_resource>
#endif
#if __has_include(<cuda/numeric>)
#include <cuda/numeric>
#endif
#if __has_include(<cuda/ptx>)
#include <cuda/ptx>
#endif
#if __has_include(<cuda/random>)
#include <cuda/random>
#endif
#if __has_include(<cuda/std/algorithm>)
#include <cuda/std/algorithm>
#endif
#if __has_include(<cuda/std/array>)
#include <cuda/std/array>
#endif
#if __has_include(<cuda/std/bit>)
#include <cuda/std/bit>
#endif
#if __has_include(<cuda/std/bitset>)
#include <cuda/std/bitset>
#endif
#if __has_include(<cuda/std/cassert>)
#include <cuda/std/cassert>
#endif
#if __has_include(<cuda/std/ccomplex>)
#include <cuda/std/ccomplex>
#endif
#if __has_include(<cuda/std/cfloat>)
#include <cuda/std/cfloat>
#endif
#if __has_include(<cuda/std/charconv>)
#include <cuda/std/charconv>
#endif
#if __has_include(<cuda/std/chrono>)
#include <cuda/std/chrono>
#endif
#if __has_include(<cuda/std/climits>)
#include <cuda/std/climits>
#endif
#if __has_include(<cuda/std/cmath>)
#include <cuda/std/cmath>
#endif
#if __has_include(<cuda/std/complex>)
#include <cuda/std/complex>
#endif
#if __has_include(<cuda/std/concepts>)
#include <cuda/std/concepts>
#endif
#if __has_include(<cuda/std/cstddef>)
#include <cuda/std/cstddef>
#endif
#if __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#endif
#if __has_include(<cuda/std/cstdlib>)
#include <cuda/std/cstdlib>
#endif
#if __has_include(<cuda/std/cstring>)
#include <cuda/std/cstring>
#endif
#if __has_include(<cuda/std/ctime>)
#include <cuda/std/ctime>
#endif
#if __has_include(<cuda/std/execution>)
#include <cuda/std/execution>
#endif
#if __has_include(<cuda/std/expected>)
#include <cuda/std/expected>
#endif
#if __has_include(<cuda/std/functional>)
#include <cuda/std/functional>
#endif
#if __has_include(<cuda/std/initializer_list>)
#include <cuda/std/initializer_list>
#endif
#if __has_include(<cuda/std/inplace_vector>)
#include <cuda/std/inplace_vector>
#endif
#if __has_include(<cuda/std/iterator>)
#include <cuda/std/iterator>
#endif
#if __has_include(<cuda/std/limits>)
#include <cuda/std/limits>
#endif
#if __has_include(<cuda/std/linalg>)
#include <cuda/std/linalg>
#endif
#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#endif
#if __has_include(<cuda/std/memory>)
#include <cuda/std/memory>
#endif
#if __has_include(<cuda/std/numbers>)
#include <cuda/std/numbers>
#endif
#if __has_include(<cuda/std/numeric>)
#include <cuda/std/numeric>
#endif
#if __has_include(<cuda/std/optional>)
#include <cuda/std/optional>
#endif
#if __has_include(<cuda/std/random>)
#include <cuda/std/random>
#endif
#if __has_include(<cuda/std/ranges>)
#include <cuda/std/ranges>
#endif
#if __has_include(<cuda/std/ratio>)
#include <cuda/std/ratio>
#endif
#if __has_include(<cuda/std/source_location>)
#include <cuda/std/source_location>
#endif
#if __has_include(<cuda/std/span>)
#include <cuda/std/span>
#endif
#if __has_include(<cuda/std/string_view>)
#include <cuda/std/string_view>
#endif
#if __has_include(<cuda/std/tuple>)
#include <cuda/std/tuple>
#endif
#if __has_include(<cuda/std/type_traits>)
#include <cuda/std/type_traits>
#endif
#if __has_include(<cuda/std/utility>)
#include <cuda/std/utility>
#endif
#if __has_include(<cuda/std/variant>)
#include <cuda/std/variant>
#endif
#if __has_include(<cuda/std/version>)
#include <cuda/std/version>
#endif
#if __has_include(<cuda/stream>)
#include <cuda/stream>
#endif
#if __has_include(<cuda/stream_ref>)
#include <cuda/stream_ref>
#endif
#if __has_include(<cuda/tma>)
#include <cuda/tma>
#endif
#if __has_include(<cuda/type_traits>)
#include <cuda/type_traits>
#endif
#if __has_include(<cuda/utility>)
#include <cuda/utility>
#endif
#if __has_include(<cuda/version>)
#include <cuda/version>
#endif
#if __has_include(<cuda/warp>)
#include <cuda/warp>
#endif
#if __has_include(<cuda/work_stealing>)
#include <cuda/work_stealing>
#endif
// clang-format on

#include "ours_pipeline.h"
