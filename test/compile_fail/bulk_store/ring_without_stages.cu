// A ring has a stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ring_state<n>: a ring has at least one stage
#include <cudasync/bulk_store.h>

static_assert(sizeof(cudasync::bulk_store_ring<0>) != 0);  // wrong
static_assert(sizeof(cudasync::bulk_store_ring<1>) != 0);  // right
