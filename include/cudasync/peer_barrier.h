// Barriers of the GPUs of one host, and one-way signals between them, inside kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PEER_BARRIER_H
#define CUDASYNC_PEER_BARRIER_H

#include <cudasync/compat/include_order.h>

#include <cudasync/grid_barrier.h>
#include <cudasync/peer/peer_barrier.h>
#include <cudasync/peer/peer_mailbox.h>
#include <cudasync/peer/peer_signal.h>

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
