// Barriers and copies by hand, in PTX: a part of the source texts of the contestant `hand`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

namespace hand {

// --- mbarrier ---

__device__ inline void init(void* bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}
__device__ inline token_t arrive(void* bar) {
  token_t token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(bar)) : "memory");
  return token;
}
__device__ inline void arrive_only(void* bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ inline void arrive_and_drop(void* bar) {
  asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ inline token_t arrive_and_expect(void* bar, unsigned bytes) {
  token_t token;
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(shared_address(bar)), "r"(bytes)
               : "memory");
  return token;
}
__device__ inline void expect(void* bar, unsigned bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes)
               : "memory");
}
__device__ inline bool test(void* bar, token_t token) {
  unsigned done;
  asm volatile("{ .reg .pred done; mbarrier.try_wait.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
               : "=r"(done)
               : "r"(shared_address(bar)), "l"(token)
               : "memory");
  return done != 0;
}
__device__ inline bool test_parity(void* bar, bool parity) {
  unsigned done;
  asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
               : "=r"(done)
               : "r"(shared_address(bar)), "r"(parity ? 1u : 0u)
               : "memory");
  return done != 0;
}
// The loop in one statement, which ptxas does not change.
__device__ inline void wait(void* bar, token_t token) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.shared.b64 done, [%0], %1;\n@done bra through;\n"
               "bra again;\nthrough: }" ::"r"(shared_address(bar)),
               "l"(token)
               : "memory");
}
__device__ inline void wait_parity(void* bar, bool parity) {
  asm volatile("{ .reg .pred done;\nagain: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@done bra through;\n"
               "bra again;\nthrough: }" ::"r"(shared_address(bar)),
               "r"(parity ? 1u : 0u)
               : "memory");
}

// --- Copies from global to shared memory ---

__device__ inline void arrive_after_copies(void* bar) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(bar)) : "memory");
}

__device__ inline void copy_in_bulk(void* to, const void* from, unsigned bytes, void* bar) {
  expect(bar, bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(bar))
               : "memory");
}

template <unsigned Unit>
__device__ inline void copy_unit(void* to, const void* from) {
  if constexpr (Unit == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "n"(Unit)
                 : "memory");
}
// Reads the valid bytes of the unit. The rest becomes zero.
template <unsigned Unit>
__device__ inline void copy_part(void* to, const void* from, unsigned valid) {
  if constexpr (Unit == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(valid)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(valid), "n"(Unit)
                 : "memory");
}
template <unsigned Unit>
__device__ inline void copy(bytes_t* to, const bytes_t* from, unsigned size, unsigned rank, unsigned threads) {
  for (unsigned at = rank * Unit; at < size; at += threads * Unit)
    copy_unit<Unit>(to + at, from + at);
}
template <unsigned Unit>
__device__ inline void copy_zero_filled(bytes_t* to, const bytes_t* from, unsigned size, unsigned valid, unsigned rank,
                                        unsigned threads) {
  for (unsigned at = rank * Unit; at < size; at += threads * Unit)
    copy_part<Unit>(to + at, from + at, at >= valid ? 0 : valid - at < Unit ? valid - at : Unit);
}

// A ring of one element of 4, 8 or 16 bytes for each thread and stage. The last groups are empty.
template <unsigned Stages, class Value>
__device__ inline unsigned ring(Value (*stages)[256], const Value* from, unsigned count) {
  const auto fetch = [&](unsigned number) {
    if (number < count) copy_unit<sizeof(Value)>(&stages[number % Stages][threadIdx.x], from + number * blockDim.x);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  unsigned sum = 0;
  for (unsigned number = 0; number < Stages - 1; ++number)
    fetch(number);
  for (unsigned number = 0; number < count; ++number) {
    fetch(number + Stages - 1);
    asm volatile("cp.async.wait_group %0;" ::"n"(Stages - 1) : "memory");
    sum += *reinterpret_cast<const unsigned*>(&stages[number % Stages][threadIdx.x]);
  }
  return sum;
}

}  // namespace hand
