// A named barrier is one instruction, with the id and the number of threads in it, and a channel is four of them a round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
// The SASS of some kernels, in the order of their names:
// SASS-LABEL: ours_arrive:
// SASS: BAR.ARV 0x1, 0x40
// SASS-LABEL: ours_arrive_unaligned:
// SASS: BAR.ARV 0x1, 0x40
// SASS-LABEL: ours_channel:
// SASS-DAG: BAR.ARV 0x4, 0x100
// SASS-DAG: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x3, 0x100
// SASS-DAG: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x4, 0x100
// SASS-DAG: BAR.ARV 0x3, 0x100
// SASS-LABEL: ours_dynamic_arrive:
// SASS: BAR.ARV R
// SASS-LABEL: ours_dynamic_sync:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} R
// SASS-LABEL: ours_sync:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x1, 0x40
// SASS-LABEL: ours_sync_and:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} 0x1, 0x40, P
// SASS-LABEL: ours_sync_and_of_all:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} 0x2, P
// SASS-LABEL: ours_sync_count:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} 0x1, 0x40, P
// SASS-LABEL: ours_sync_count_of_all:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} 0x2, P
// SASS-LABEL: ours_sync_of_all:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x2{{$}}
// SASS-LABEL: ours_sync_of_all_unaligned:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x2{{$}}
// SASS-LABEL: ours_sync_or:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} 0x1, 0x40, P
// SASS-LABEL: ours_sync_or_of_all:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} 0x2, P
// SASS-LABEL: ours_sync_unaligned:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x1, 0x40
#include <cudasync/named_barrier.h>

struct none;
struct other;
struct full;
struct empty;

using some_threads = cudasync::named_barrier<1, 64>;
using all_threads = cudasync::named_barrier<2>;
using ids = cudasync::named_barrier_ids<none, other, full, empty>;
using channel = cudasync::named_channel<ids::barrier<full, 256>, ids::barrier<empty, 256>>;

extern "C" {

// --- Known at compile time ---

// PTX-LABEL: .entry ours_sync(
// PTX: bar.sync 1, 64;
// PTX-LABEL: .entry hand_sync(
__global__ void ours_sync() {
  some_threads::sync();
}
__global__ void hand_sync() {
  asm volatile("bar.sync 1, 64;" ::: "memory");
}

// PTX-LABEL: .entry ours_sync_of_all(
// PTX: bar.sync 2;
// PTX-LABEL: .entry hand_sync_of_all(
__global__ void ours_sync_of_all() {
  all_threads::sync();
}
__global__ void hand_sync_of_all() {
  asm volatile("bar.sync 2;" ::: "memory");
}

// PTX-LABEL: .entry ours_arrive(
// PTX: bar.arrive 1, 64;
// PTX-LABEL: .entry hand_arrive(
__global__ void ours_arrive() {
  some_threads::arrive();
}
__global__ void hand_arrive() {
  asm volatile("bar.arrive 1, 64;" ::: "memory");
}

// PTX-LABEL: .entry ours_sync_count(
// PTX: bar.red.popc.{{[a-z0-9]+ [%a-z0-9]+}}, 1, 64, in;
// PTX-LABEL: .entry hand_sync_count(
__global__ void ours_sync_count(const int* in, unsigned* out) {
  *out = some_threads::sync_count(*in > 3);
}
__global__ void hand_sync_count(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in; setp.ne.u32 in, %1, 0; bar.red.popc.u32 %0, 1, 64, in; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_count_of_all(
// PTX: bar.red.popc.{{[a-z0-9]+ [%a-z0-9]+}}, 2, in;
// PTX-LABEL: .entry hand_sync_count_of_all(
__global__ void ours_sync_count_of_all(const int* in, unsigned* out) {
  *out = all_threads::sync_count(*in > 3);
}
__global__ void hand_sync_count_of_all(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in; setp.ne.u32 in, %1, 0; bar.red.popc.u32 %0, 2, in; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_and(
// PTX: bar.red.and.{{[a-z0-9]+ [%a-z0-9]+}}, 1, 64, in;
// PTX-LABEL: .entry hand_sync_and(
__global__ void ours_sync_and(const int* in, unsigned* out) {
  *out = some_threads::sync_and(*in > 3);
}
__global__ void hand_sync_and(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %1, 0; bar.red.and.pred out, 1, 64, in; selp.u32 %0, 1, 0, out; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_and_of_all(
// PTX: bar.red.and.{{[a-z0-9]+ [%a-z0-9]+}}, 2, in;
// PTX-LABEL: .entry hand_sync_and_of_all(
__global__ void ours_sync_and_of_all(const int* in, unsigned* out) {
  *out = all_threads::sync_and(*in > 3);
}
__global__ void hand_sync_and_of_all(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %1, 0; bar.red.and.pred out, 2, in; selp.u32 %0, 1, 0, out; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_or(
// PTX: bar.red.or.{{[a-z0-9]+ [%a-z0-9]+}}, 1, 64, in;
// PTX-LABEL: .entry hand_sync_or(
__global__ void ours_sync_or(const int* in, unsigned* out) {
  *out = some_threads::sync_or(*in > 3);
}
__global__ void hand_sync_or(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %1, 0; bar.red.or.pred out, 1, 64, in; selp.u32 %0, 1, 0, out; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_or_of_all(
// PTX: bar.red.or.{{[a-z0-9]+ [%a-z0-9]+}}, 2, in;
// PTX-LABEL: .entry hand_sync_or_of_all(
__global__ void ours_sync_or_of_all(const int* in, unsigned* out) {
  *out = all_threads::sync_or(*in > 3);
}
__global__ void hand_sync_or_of_all(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %1, 0; bar.red.or.pred out, 2, in; selp.u32 %0, 1, 0, out; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_unaligned(
// PTX: barrier.sync 1, 64;
// PTX-LABEL: .entry hand_sync_unaligned(
__global__ void ours_sync_unaligned() {
  some_threads::sync(cudasync::unaligned);
}
__global__ void hand_sync_unaligned() {
  asm volatile("barrier.sync 1, 64;" ::: "memory");
}

// PTX-LABEL: .entry ours_sync_of_all_unaligned(
// PTX: barrier.sync 2;
// PTX-LABEL: .entry hand_sync_of_all_unaligned(
__global__ void ours_sync_of_all_unaligned() {
  all_threads::sync(cudasync::unaligned);
}
__global__ void hand_sync_of_all_unaligned() {
  asm volatile("barrier.sync 2;" ::: "memory");
}

// PTX-LABEL: .entry ours_arrive_unaligned(
// PTX: barrier.arrive 1, 64;
// PTX-LABEL: .entry hand_arrive_unaligned(
__global__ void ours_arrive_unaligned() {
  some_threads::arrive(cudasync::unaligned);
}
__global__ void hand_arrive_unaligned() {
  asm volatile("barrier.arrive 1, 64;" ::: "memory");
}

// PTX-LABEL: .entry ours_sync_count_unaligned(
// PTX: barrier.red.popc.{{[a-z0-9]+ [%a-z0-9]+}}, 1, 64, in;
// PTX-LABEL: .entry hand_sync_count_unaligned(
__global__ void ours_sync_count_unaligned(const int* in, unsigned* out) {
  *out = some_threads::sync_count(*in > 3, cudasync::unaligned);
}
__global__ void hand_sync_count_unaligned(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in; setp.ne.u32 in, %1, 0; barrier.red.popc.u32 %0, 1, 64, in; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_count_of_all_unaligned(
// PTX: barrier.red.popc.{{[a-z0-9]+ [%a-z0-9]+}}, 2, in;
// PTX-LABEL: .entry hand_sync_count_of_all_unaligned(
__global__ void ours_sync_count_of_all_unaligned(const int* in, unsigned* out) {
  *out = all_threads::sync_count(*in > 3, cudasync::unaligned);
}
__global__ void hand_sync_count_of_all_unaligned(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in; setp.ne.u32 in, %1, 0; barrier.red.popc.u32 %0, 2, in; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_and_unaligned(
// PTX: barrier.red.and.{{[a-z0-9]+ [%a-z0-9]+}}, 1, 64, in;
// PTX-LABEL: .entry hand_sync_and_unaligned(
__global__ void ours_sync_and_unaligned(const int* in, unsigned* out) {
  *out = some_threads::sync_and(*in > 3, cudasync::unaligned);
}
__global__ void hand_sync_and_unaligned(const int* in, unsigned* out) {
  asm volatile(
      "{ .reg .pred in, out; setp.ne.u32 in, %1, 0; barrier.red.and.pred out, 1, 64, in; selp.u32 %0, 1, 0, out; }"
      : "=r"(*out)
      : "r"(static_cast<unsigned>(*in > 3))
      : "memory");
}

// PTX-LABEL: .entry ours_sync_and_of_all_unaligned(
// PTX: barrier.red.and.{{[a-z0-9]+ [%a-z0-9]+}}, 2, in;
// PTX-LABEL: .entry hand_sync_and_of_all_unaligned(
__global__ void ours_sync_and_of_all_unaligned(const int* in, unsigned* out) {
  *out = all_threads::sync_and(*in > 3, cudasync::unaligned);
}
__global__ void hand_sync_and_of_all_unaligned(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %1, 0; barrier.red.and.pred out, 2, in; selp.u32 %0, 1, 0, out; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_sync_or_unaligned(
// PTX: barrier.red.or.{{[a-z0-9]+ [%a-z0-9]+}}, 1, 64, in;
// PTX-LABEL: .entry hand_sync_or_unaligned(
__global__ void ours_sync_or_unaligned(const int* in, unsigned* out) {
  *out = some_threads::sync_or(*in > 3, cudasync::unaligned);
}
__global__ void hand_sync_or_unaligned(const int* in, unsigned* out) {
  asm volatile(
      "{ .reg .pred in, out; setp.ne.u32 in, %1, 0; barrier.red.or.pred out, 1, 64, in; selp.u32 %0, 1, 0, out; }"
      : "=r"(*out)
      : "r"(static_cast<unsigned>(*in > 3))
      : "memory");
}

// PTX-LABEL: .entry ours_sync_or_of_all_unaligned(
// PTX: barrier.red.or.{{[a-z0-9]+ [%a-z0-9]+}}, 2, in;
// PTX-LABEL: .entry hand_sync_or_of_all_unaligned(
__global__ void ours_sync_or_of_all_unaligned(const int* in, unsigned* out) {
  *out = all_threads::sync_or(*in > 3, cudasync::unaligned);
}
__global__ void hand_sync_or_of_all_unaligned(const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %1, 0; barrier.red.or.pred out, 2, in; selp.u32 %0, 1, 0, out; }"
               : "=r"(*out)
               : "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// --- A result that is branched on, and a barrier where a warp has parted ---

__global__ void ours_branch_on_or(const int* in, unsigned* out) {
  if (some_threads::sync_or(*in > 3)) *out = 1;
}
__global__ void hand_branch_on_or(const int* in, unsigned* out) {
  asm volatile(
      "{ .reg .pred in, out; setp.gt.s32 in, %0, 3; bar.red.or.pred out, 1, 64, in; @out st.u32 [%1], 1; }" ::"r"(*in),
      "l"(__cvta_generic_to_global(out))
      : "memory");
}

__global__ void ours_parted(int* even, int* odd) {
  if (threadIdx.x % 2 == 0) {
    some_threads::sync(cudasync::unaligned);
    *even = *odd;
  } else {
    *odd = 1;
    some_threads::sync(cudasync::unaligned);
  }
}
__global__ void hand_parted(int* even, int* odd) {
  if (threadIdx.x % 2 == 0) {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
    *even = *odd;
  } else {
    *odd = 1;
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  }
}

// --- Known at run time ---

// PTX-LABEL: .entry ours_dynamic_sync(
// PTX: bar.sync {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-LABEL: .entry hand_dynamic_sync(
__global__ void ours_dynamic_sync(unsigned id, unsigned threads) {
  cudasync::dynamic_named_barrier(id, threads).sync();
}
__global__ void hand_dynamic_sync(unsigned id, unsigned threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// PTX-LABEL: .entry ours_dynamic_arrive(
// PTX: bar.arrive {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-LABEL: .entry hand_dynamic_arrive(
__global__ void ours_dynamic_arrive(unsigned id, unsigned threads) {
  cudasync::dynamic_named_barrier(id, threads).arrive();
}
__global__ void hand_dynamic_arrive(unsigned id, unsigned threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// PTX-LABEL: .entry ours_dynamic_sync_count(
// PTX: bar.red.popc.{{[a-z0-9]+ [%a-z0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-LABEL: .entry hand_dynamic_sync_count(
__global__ void ours_dynamic_sync_count(unsigned id, unsigned threads, const int* in, unsigned* out) {
  *out = cudasync::dynamic_named_barrier(id, threads).sync_count(*in > 3);
}
__global__ void hand_dynamic_sync_count(unsigned id, unsigned threads, const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in; setp.ne.u32 in, %3, 0; bar.red.popc.u32 %0, %1, %2, in; }"
               : "=r"(*out)
               : "r"(id), "r"(threads), "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_dynamic_sync_and(
// PTX: bar.red.and.{{[a-z0-9]+ [%a-z0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-LABEL: .entry hand_dynamic_sync_and(
__global__ void ours_dynamic_sync_and(unsigned id, unsigned threads, const int* in, unsigned* out) {
  *out = cudasync::dynamic_named_barrier(id, threads).sync_and(*in > 3);
}
__global__ void hand_dynamic_sync_and(unsigned id, unsigned threads, const int* in, unsigned* out) {
  asm volatile(
      "{ .reg .pred in, out; setp.ne.u32 in, %3, 0; bar.red.and.pred out, %1, %2, in; selp.u32 %0, 1, 0, out; }"
      : "=r"(*out)
      : "r"(id), "r"(threads), "r"(static_cast<unsigned>(*in > 3))
      : "memory");
}

// PTX-LABEL: .entry ours_dynamic_sync_or(
// PTX: bar.red.or.{{[a-z0-9]+ [%a-z0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-LABEL: .entry hand_dynamic_sync_or(
__global__ void ours_dynamic_sync_or(unsigned id, unsigned threads, const int* in, unsigned* out) {
  *out = cudasync::dynamic_named_barrier(id, threads).sync_or(*in > 3);
}
__global__ void hand_dynamic_sync_or(unsigned id, unsigned threads, const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in, out; setp.ne.u32 in, %3, 0; bar.red.or.pred out, %1, %2, in; selp.u32 %0, 1, 0, out; }"
               : "=r"(*out)
               : "r"(id), "r"(threads), "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_dynamic_sync_unaligned(
// PTX: barrier.sync {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-LABEL: .entry hand_dynamic_sync_unaligned(
__global__ void ours_dynamic_sync_unaligned(unsigned id, unsigned threads) {
  cudasync::dynamic_named_barrier(id, threads).sync(cudasync::unaligned);
}
__global__ void hand_dynamic_sync_unaligned(unsigned id, unsigned threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// PTX-LABEL: .entry ours_dynamic_arrive_unaligned(
// PTX: barrier.arrive {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-LABEL: .entry hand_dynamic_arrive_unaligned(
__global__ void ours_dynamic_arrive_unaligned(unsigned id, unsigned threads) {
  cudasync::dynamic_named_barrier(id, threads).arrive(cudasync::unaligned);
}
__global__ void hand_dynamic_arrive_unaligned(unsigned id, unsigned threads) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// PTX-LABEL: .entry ours_dynamic_sync_count_unaligned(
// PTX: barrier.red.popc.{{[a-z0-9]+ [%a-z0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-LABEL: .entry hand_dynamic_sync_count_unaligned(
__global__ void ours_dynamic_sync_count_unaligned(unsigned id, unsigned threads, const int* in, unsigned* out) {
  *out = cudasync::dynamic_named_barrier(id, threads).sync_count(*in > 3, cudasync::unaligned);
}
__global__ void hand_dynamic_sync_count_unaligned(unsigned id, unsigned threads, const int* in, unsigned* out) {
  asm volatile("{ .reg .pred in; setp.ne.u32 in, %3, 0; barrier.red.popc.u32 %0, %1, %2, in; }"
               : "=r"(*out)
               : "r"(id), "r"(threads), "r"(static_cast<unsigned>(*in > 3))
               : "memory");
}

// PTX-LABEL: .entry ours_dynamic_sync_and_unaligned(
// PTX: barrier.red.and.{{[a-z0-9]+ [%a-z0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-LABEL: .entry hand_dynamic_sync_and_unaligned(
__global__ void ours_dynamic_sync_and_unaligned(unsigned id, unsigned threads, const int* in, unsigned* out) {
  *out = cudasync::dynamic_named_barrier(id, threads).sync_and(*in > 3, cudasync::unaligned);
}
__global__ void hand_dynamic_sync_and_unaligned(unsigned id, unsigned threads, const int* in, unsigned* out) {
  asm volatile(
      "{ .reg .pred in, out; setp.ne.u32 in, %3, 0; barrier.red.and.pred out, %1, %2, in; selp.u32 %0, 1, 0, out; }"
      : "=r"(*out)
      : "r"(id), "r"(threads), "r"(static_cast<unsigned>(*in > 3))
      : "memory");
}

// PTX-LABEL: .entry ours_dynamic_sync_or_unaligned(
// PTX: barrier.red.or.{{[a-z0-9]+ [%a-z0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-LABEL: .entry hand_dynamic_sync_or_unaligned(
__global__ void ours_dynamic_sync_or_unaligned(unsigned id, unsigned threads, const int* in, unsigned* out) {
  *out = cudasync::dynamic_named_barrier(id, threads).sync_or(*in > 3, cudasync::unaligned);
}
__global__ void hand_dynamic_sync_or_unaligned(unsigned id, unsigned threads, const int* in, unsigned* out) {
  asm volatile(
      "{ .reg .pred in, out; setp.ne.u32 in, %3, 0; barrier.red.or.pred out, %1, %2, in; selp.u32 %0, 1, 0, out; }"
      : "=r"(*out)
      : "r"(id), "r"(threads), "r"(static_cast<unsigned>(*in > 3))
      : "memory");
}

// --- A channel: full and empty, and each side in step with the other ---

__global__ void ours_channel(const int* in, int* out, int rounds) {
  __shared__ int buffer[128];
  if (threadIdx.x < 128) {
    channel::producer side;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      side.acquire();
      buffer[threadIdx.x] = in[round * 128 + threadIdx.x];
      side.commit();
    }
  } else {
    channel::consumer side;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      side.wait();
      out[round * 128 + threadIdx.x] = buffer[threadIdx.x - 128];
      side.release();
    }
  }
}
__global__ void hand_channel(const int* in, int* out, int rounds) {
  __shared__ int buffer[128];
  if (threadIdx.x < 128) {
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      asm volatile("bar.sync 4, 256;" ::: "memory");
      buffer[threadIdx.x] = in[round * 128 + threadIdx.x];
      asm volatile("bar.arrive 3, 256;" ::: "memory");
    }
    asm volatile("bar.sync 4, 256;" ::: "memory");
    asm volatile("bar.arrive 3, 256;" ::: "memory");
  } else {
    asm volatile("bar.arrive 4, 256;" ::: "memory");
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      asm volatile("bar.sync 3, 256;" ::: "memory");
      out[round * 128 + threadIdx.x] = buffer[threadIdx.x - 128];
      asm volatile("bar.arrive 4, 256;" ::: "memory");
    }
    asm volatile("bar.sync 3, 256;" ::: "memory");
  }
}

// What each side does, in order.
// PTX-LABEL: .entry ours_produce_once(
// PTX: bar.sync 4, 256;
// PTX: bar.arrive 3, 256;
// PTX: bar.sync 4, 256;
// PTX: bar.arrive 3, 256;
// PTX-NOT: bar.
// PTX-LABEL: .entry hand_produce_once(
__global__ void ours_produce_once(const int* in, volatile int* buffer) {
  channel::producer side;
  side.acquire();
  buffer[threadIdx.x] = in[threadIdx.x];
  side.commit();
}
__global__ void hand_produce_once(const int* in, volatile int* buffer) {
  asm volatile("bar.sync 4, 256;" ::: "memory");
  buffer[threadIdx.x] = in[threadIdx.x];
  asm volatile("bar.arrive 3, 256;" ::: "memory");
  asm volatile("bar.sync 4, 256;" ::: "memory");
  asm volatile("bar.arrive 3, 256;" ::: "memory");
}

// PTX-LABEL: .entry ours_consume_once(
// PTX: bar.arrive 4, 256;
// PTX: bar.sync 3, 256;
// PTX: bar.arrive 4, 256;
// PTX: bar.sync 3, 256;
// PTX-NOT: bar.
// PTX-LABEL: .entry hand_consume_once(
__global__ void ours_consume_once(const volatile int* buffer, int* out) {
  channel::consumer side;
  side.wait();
  out[threadIdx.x] = buffer[threadIdx.x];
  side.release();
}
__global__ void hand_consume_once(const volatile int* buffer, int* out) {
  asm volatile("bar.arrive 4, 256;" ::: "memory");
  asm volatile("bar.sync 3, 256;" ::: "memory");
  out[threadIdx.x] = buffer[threadIdx.x];
  asm volatile("bar.arrive 4, 256;" ::: "memory");
  asm volatile("bar.sync 3, 256;" ::: "memory");
}

}  // extern "C"
