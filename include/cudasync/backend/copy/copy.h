// Copies that the threads of a group share: each thread makes its part, synchronously or asynchronously.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COPY_COPY_H
#define CUDASYNC_BACKEND_COPY_COPY_H

#include <cudasync/backend/copy/copy_job.h>
#include <cudasync/core/config.h>
#include <cudasync/core/target.h>

// Each backend provides, as functions overloaded on the target:
//   copy(here, job)                  this thread's part of the job; returns how it is made: at_once or by_cp_async
//   copy(here, job, phase)           the same for a barrier; can also return in_bulk, if the phase expects the bytes
//   copy_to_stage(here, job, phase)  the same for the phase of a pipeline's stage
//   fill_from(here, first, job)      this thread's part of writing zeros from byte first on, synchronously
//   commit_copies(here)              makes a group of the copies that this thread started by_cp_async
//   await_copies(here, groups)       waits until at most that many of this thread's latest groups are incomplete
//   await_all_copies(here)           waits for all of them
//   hold_for_copies(here, phase)     keeps the phase from completing before them; returns at_once if it had to wait
//   arrive_after_copies(here, phase) for a block's barrier: arrives when they are complete; waits if necessary
#if CUDASYNC_DEVICE_PASS
#include <cudasync/backend/copy/copy_device.h>
#endif
#if CUDASYNC_HAS_HOST
#include <cudasync/backend/copy/copy_host.h>
#endif

#endif
