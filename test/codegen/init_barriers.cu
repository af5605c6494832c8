// init_barriers initializes by one thread, makes the barriers known to other blocks and to the copy engine, and synchronizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80+
// PTX: mbarrier.init.shared.b64
// PTX: mbarrier.init.shared.b64
// PTX-SM90+: fence.mbarrier_init.release.cluster
// PTX-SM90+: fence.proxy.async.shared::cta
// PTX: bar{{(rier)?}}.sync
// PTX-NOT: fence
#include <cuda/barrier>

extern "C" __global__ void init_two(int consumers) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full;
  __shared__ cuda::barrier<cuda::thread_scope_block> empty;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(full),
                          cudasync::expects(empty, consumers));
}
