// griddepcontrol: controls how a grid overlaps with the next grid of its stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_GRIDDEPCONTROL_H
#define CUDASYNC_PTX_GRIDDEPCONTROL_H

#include <cudasync/core/config.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// PTX 7.8, sm_90.
CUDASYNC_DEVICE void griddepcontrol_launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// PTX 7.8, sm_90.
CUDASYNC_DEVICE void griddepcontrol_wait() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
