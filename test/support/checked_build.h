// Before any header of the library: the checked build, in which a wait of a tenth of a second without progress is a hang.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_CHECKED_BUILD_H
#define CUDASYNC_TEST_SUPPORT_CHECKED_BUILD_H

#if !defined(CUDASYNC_CHECKED)
#define CUDASYNC_CHECKED 1
#endif
#if !defined(CUDASYNC_HANG_TIMEOUT_MS)
#define CUDASYNC_HANG_TIMEOUT_MS 100
#endif

#endif
