// Macros that real programs define before they include a library: ours must not notice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_HOSTILE_MACROS_H
#define CUDASYNC_TEST_HOSTILE_MACROS_H

// Problem sizes and the like.
#define A 1024
#define B 1024
#define C 1024
#define D 1024
#define E 1024
#define F 1024
#define G 1024
#define H 1024
#define I 1024
#define J 1024
#define K 1024
#define L 1024
#define M 1024
#define N 1024
#define O 1024
#define P 1024
#define Q 1024
#define R 1024
#define S 1024
#define T 1024
#define U 1024
#define V 1024
#define W 1024
#define X 1024
#define Y 1024
#define Z 1024
#define TRUE 7
#define FALSE 7
#define ON 7
#define OFF 7
#define NONE 7
#define DEFAULT 7
#define EMPTY 7
#define ERROR 7
#define DEBUG 7
#define VERSION 7
#define SIZE 7
#define COUNT 7
#define INDEX 7
#define LENGTH 7
#define PI 7
#define EPS 7
#define BLOCK 7
#define BLOCKS 7
#define BLOCK_SIZE 7
#define BLOCK_DIM 7
#define THREADS 7
#define NUM_THREADS 7
#define WARPS 7
#define WARP_SIZE 7
#define WARPSIZE 7
#define LANES 7
#define STAGES 7
#define NUM_STAGES 7
#define TILE 7
#define TILE_SIZE 7
#define UNROLL 7
#define DEPTH 7
#define HOST 7
#define DEVICE 7
#define GLOBAL 7
#define SHARED 7
#define KERNEL 7
#define INLINE 7
#define FORCE_INLINE 7
#define NOINLINE 7
#define RESTRICT 7
#define LIKELY 7
#define UNLIKELY 7
#define ALIGN 7
#define IN 7
#define OUT 7
#define OPTIONAL 7
#define VOID 7
#define DELETE 7

// Function-like macros of many code bases.
#define min(first, second) ((first) < (second) ? (first) : (second))
#define max(first, second) ((first) > (second) ? (first) : (second))
#define abs(value) ((value) < 0 ? -(value) : (value))
#define swap(first, second) first ^= second ^= first ^= second
#define CHECK(...) this is not our macro
#define ASSERT(...) this is not our macro
#define EXPECT(...) this is not our macro
#define REQUIRE(...) this is not our macro
#define CUDA_CHECK(...) this is not our macro
#define CEIL_DIV(...) this is not our macro
#define MIN(...) this is not our macro
#define MAX(...) this is not our macro
#define check(...) this is not our macro
#define verify(...) this is not our macro
#define require(...) this is not our macro

// windows.h, sys/sysmacros.h and Qt.
#define small char
#define interface struct
#define near
#define far
#define Yield()
#define MemoryBarrier() this is not our macro
#define major(device) this is not our macro
#define minor(device) this is not our macro
#define emit
#define slots
#define signals public
#define foreach for

#endif
