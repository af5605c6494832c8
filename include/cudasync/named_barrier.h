// Named barriers: those that a block has in hardware, as types, with an allocator of their ids and a channel over two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_NAMED_BARRIER_H
#define CUDASYNC_NAMED_BARRIER_H

#include <cudasync/compat/include_order.h>

#include <cudasync/named/named_barrier.h>
#include <cudasync/named/named_barrier_ids.h>
#include <cudasync/named/named_channel.h>

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
