// Barriers of a cluster: that of all its threads, handles of barriers in other blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CLUSTER_BARRIER_H
#define CUDASYNC_CLUSTER_BARRIER_H

#include <cudasync/compat/include_order.h>

#include <cudasync/bulk_store.h>
#include <cudasync/cluster/cluster_barrier.h>
#include <cudasync/cluster/remote_barrier.h>
#include <cudasync/core/memory_order_constants.h>

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
