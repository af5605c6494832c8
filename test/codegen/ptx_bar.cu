// Each function of ptx/bar.h is exactly its instruction, and what is known at compile time is an immediate in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
// The SASS of the kernels, in the order of their names; a register holds both id and number of threads:
// SASS-LABEL: bar_arrive_at_run_time:
// SASS: BAR.ARV R
// SASS-NOT: BAR
// SASS-LABEL: bar_arrive_of_some:
// SASS: BAR.ARV 0x3, 0x40
// SASS-NOT: BAR
// SASS-LABEL: bar_red_and_at_run_time:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} R
// SASS-LABEL: bar_red_and_of_all:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} 0x3, P
// SASS-LABEL: bar_red_and_of_some:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} 0x3, 0x40, P
// SASS-LABEL: bar_red_or_at_run_time:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} R
// SASS-LABEL: bar_red_or_of_all:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} 0x3, P
// SASS-LABEL: bar_red_or_of_some:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} 0x3, 0x40, P
// SASS-LABEL: bar_red_popc_at_run_time:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} R
// SASS-LABEL: bar_red_popc_of_all:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} 0x3, P
// SASS-LABEL: bar_red_popc_of_some:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} 0x3, 0x40, P
// SASS-LABEL: bar_sync_at_run_time:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} R
// SASS-NOT: BAR
// SASS-LABEL: bar_sync_of_all:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x3{{$}}
// SASS-NOT: BAR
// SASS-LABEL: bar_sync_of_some:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x3, 0x40
// SASS-NOT: BAR
// SASS-LABEL: barrier_arrive_at_run_time:
// SASS: BAR.ARV R
// SASS-NOT: BAR
// SASS-LABEL: barrier_arrive_of_some:
// SASS: BAR.ARV 0x3, 0x40
// SASS-NOT: BAR
// SASS-LABEL: barrier_red_and_at_run_time:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} R
// SASS-LABEL: barrier_red_and_of_all:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} 0x3, P
// SASS-LABEL: barrier_red_and_of_some:
// SASS: BAR.RED.AND{{(.DEFER_BLOCKING)?}} 0x3, 0x40, P
// SASS-LABEL: barrier_red_or_at_run_time:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} R
// SASS-LABEL: barrier_red_or_of_all:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} 0x3, P
// SASS-LABEL: barrier_red_or_of_some:
// SASS: BAR.RED.OR{{(.DEFER_BLOCKING)?}} 0x3, 0x40, P
// SASS-LABEL: barrier_red_popc_at_run_time:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} R
// SASS-LABEL: barrier_red_popc_of_all:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} 0x3, P
// SASS-LABEL: barrier_red_popc_of_some:
// SASS: BAR.RED.POPC{{(.DEFER_BLOCKING)?}} 0x3, 0x40, P
// SASS-LABEL: barrier_sync_at_run_time:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} R
// SASS-NOT: BAR
// SASS-LABEL: barrier_sync_of_all:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x3{{$}}
// SASS-NOT: BAR
// SASS-LABEL: barrier_sync_of_some:
// SASS: BAR.SYNC{{(.DEFER_BLOCKING)?}} 0x3, 0x40
// SASS-NOT: BAR
#include <cudasync/ptx/bar.h>

using cudasync::uint32;
using namespace cudasync::ptx;

// --- bar: all threads of a warp together ---

// PTX-LABEL: .entry bar_sync_of_all(
// PTX: bar.sync 3;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_sync_of_all() {
  bar_sync<3>();
}

// PTX-LABEL: .entry bar_sync_of_some(
// PTX: bar.sync 3, 64;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_sync_of_some() {
  bar_sync<3, 64>();
}

// PTX-LABEL: .entry bar_sync_at_run_time(
// PTX: bar.sync {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_sync_at_run_time(uint32 id, uint32 threads) {
  bar_sync(id, threads);
}

// PTX-LABEL: .entry bar_arrive_of_some(
// PTX: bar.arrive 3, 64;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_arrive_of_some() {
  bar_arrive<3, 64>();
}

// PTX-LABEL: .entry bar_arrive_at_run_time(
// PTX: bar.arrive {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_arrive_at_run_time(uint32 id, uint32 threads) {
  bar_arrive(id, threads);
}

// PTX-LABEL: .entry bar_red_popc_of_all(
// PTX: bar.red.popc.u32 {{%r[0-9]+}}, 3, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_popc_of_all(bool in, uint32* out) {
  *out = bar_red_popc<3>(in);
}

// PTX-LABEL: .entry bar_red_popc_of_some(
// PTX: bar.red.popc.u32 {{%r[0-9]+}}, 3, 64, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_popc_of_some(bool in, uint32* out) {
  *out = bar_red_popc<3, 64>(in);
}

// PTX-LABEL: .entry bar_red_popc_at_run_time(
// PTX: bar.red.popc.u32 {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_popc_at_run_time(uint32 id, uint32 threads, bool in, uint32* out) {
  *out = bar_red_popc(id, threads, in);
}

// PTX-LABEL: .entry bar_red_and_of_all(
// PTX: bar.red.and.pred out, 3, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_and_of_all(bool in, uint32* out) {
  *out = bar_red_and<3>(in);
}

// PTX-LABEL: .entry bar_red_and_of_some(
// PTX: bar.red.and.pred out, 3, 64, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_and_of_some(bool in, uint32* out) {
  *out = bar_red_and<3, 64>(in);
}

// PTX-LABEL: .entry bar_red_and_at_run_time(
// PTX: bar.red.and.pred out, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_and_at_run_time(uint32 id, uint32 threads, bool in, uint32* out) {
  *out = bar_red_and(id, threads, in);
}

// PTX-LABEL: .entry bar_red_or_of_all(
// PTX: bar.red.or.pred out, 3, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_or_of_all(bool in, uint32* out) {
  *out = bar_red_or<3>(in);
}

// PTX-LABEL: .entry bar_red_or_of_some(
// PTX: bar.red.or.pred out, 3, 64, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_or_of_some(bool in, uint32* out) {
  *out = bar_red_or<3, 64>(in);
}

// PTX-LABEL: .entry bar_red_or_at_run_time(
// PTX: bar.red.or.pred out, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void bar_red_or_at_run_time(uint32 id, uint32 threads, bool in, uint32* out) {
  *out = bar_red_or(id, threads, in);
}

// --- barrier: each thread by itself ---

// PTX-LABEL: .entry barrier_sync_of_all(
// PTX: barrier.sync 3;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_sync_of_all() {
  barrier_sync<3>();
}

// PTX-LABEL: .entry barrier_sync_of_some(
// PTX: barrier.sync 3, 64;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_sync_of_some() {
  barrier_sync<3, 64>();
}

// PTX-LABEL: .entry barrier_sync_at_run_time(
// PTX: barrier.sync {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_sync_at_run_time(uint32 id, uint32 threads) {
  barrier_sync(id, threads);
}

// PTX-LABEL: .entry barrier_arrive_of_some(
// PTX: barrier.arrive 3, 64;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_arrive_of_some() {
  barrier_arrive<3, 64>();
}

// PTX-LABEL: .entry barrier_arrive_at_run_time(
// PTX: barrier.arrive {{%r[0-9]+}}, {{%r[0-9]+}};
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_arrive_at_run_time(uint32 id, uint32 threads) {
  barrier_arrive(id, threads);
}

// PTX-LABEL: .entry barrier_red_popc_of_all(
// PTX: barrier.red.popc.u32 {{%r[0-9]+}}, 3, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_popc_of_all(bool in, uint32* out) {
  *out = barrier_red_popc<3>(in);
}

// PTX-LABEL: .entry barrier_red_popc_of_some(
// PTX: barrier.red.popc.u32 {{%r[0-9]+}}, 3, 64, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_popc_of_some(bool in, uint32* out) {
  *out = barrier_red_popc<3, 64>(in);
}

// PTX-LABEL: .entry barrier_red_popc_at_run_time(
// PTX: barrier.red.popc.u32 {{%r[0-9]+}}, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_popc_at_run_time(uint32 id, uint32 threads, bool in, uint32* out) {
  *out = barrier_red_popc(id, threads, in);
}

// PTX-LABEL: .entry barrier_red_and_of_all(
// PTX: barrier.red.and.pred out, 3, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_and_of_all(bool in, uint32* out) {
  *out = barrier_red_and<3>(in);
}

// PTX-LABEL: .entry barrier_red_and_of_some(
// PTX: barrier.red.and.pred out, 3, 64, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_and_of_some(bool in, uint32* out) {
  *out = barrier_red_and<3, 64>(in);
}

// PTX-LABEL: .entry barrier_red_and_at_run_time(
// PTX: barrier.red.and.pred out, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_and_at_run_time(uint32 id, uint32 threads, bool in, uint32* out) {
  *out = barrier_red_and(id, threads, in);
}

// PTX-LABEL: .entry barrier_red_or_of_all(
// PTX: barrier.red.or.pred out, 3, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_or_of_all(bool in, uint32* out) {
  *out = barrier_red_or<3>(in);
}

// PTX-LABEL: .entry barrier_red_or_of_some(
// PTX: barrier.red.or.pred out, 3, 64, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_or_of_some(bool in, uint32* out) {
  *out = barrier_red_or<3, 64>(in);
}

// PTX-LABEL: .entry barrier_red_or_at_run_time(
// PTX: barrier.red.or.pred out, {{%r[0-9]+}}, {{%r[0-9]+}}, in;
// PTX-NOT: {{(bar|barrier)[.]}}
extern "C" __global__ void barrier_red_or_at_run_time(uint32 id, uint32 threads, bool in, uint32* out) {
  *out = barrier_red_or(id, threads, in);
}
