// Placement new, for users who construct objects in memory of their own. NVRTC declares it by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_PLACEMENT_NEW_H
#define CUDASYNC_CORE_PLACEMENT_NEW_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST
#include <new>
#endif

#endif
