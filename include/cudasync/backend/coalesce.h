// Lanes of a warp that arrive together: one of them arrives for all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COALESCE_H
#define CUDASYNC_BACKEND_COALESCE_H

// Each backend provides coalesce(here, object, update): the lanes that call it together with the same arguments. It orders
// what each of them did before the leader's next release.
#include <cudasync/backend/coalesce_device.h>
#include <cudasync/backend/coalesce_host.h>

#endif
