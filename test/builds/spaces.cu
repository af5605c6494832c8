// Objects of each type in shared memory, beside the same in memory that the compiler does not know.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

// BESIDE(name, type, what is done with `it`)
#define BESIDE(NAME, TYPE, ...)                                              \
  __global__ void NAME(void** places, int* out, int number, float* floats) { \
    using type = TYPE;                                                       \
    auto use = [&](type& it) { __VA_ARGS__; };                               \
    __shared__ type shared;                                                  \
    use(shared);                                                             \
    use(*static_cast<type*>(places[blockIdx.x]));                            \
  }

BESIDE(block_barrier, cuda::barrier<cuda::thread_scope_block>, it.arrive_and_drop(); it.wait_parity(number);
       it.arrive_and_wait())
BESIDE(device_barrier, cuda::barrier<cuda::thread_scope_device>, it.arrive_and_drop(); it.arrive_and_wait())
BESIDE(latch, cuda::latch<cuda::thread_scope_device>, it.arrive_and_wait())
BESIDE(counting_semaphore, cuda::counting_semaphore<cuda::thread_scope_device>, it.acquire(); out[0] = it.try_acquire();
       it.release())
BESIDE(binary_semaphore, cuda::binary_semaphore<cuda::thread_scope_block>, it.acquire(); out[0] = it.try_acquire();
       it.release())
BESIDE(atomic_byte, cuda::atomic<unsigned char>, it.fetch_add(number); it.fetch_or(3))
BESIDE(atomic_int, cuda::atomic<int>, it.fetch_add(number); it.wait(3); out[0] = it.compare_exchange_strong(number, 2))
BESIDE(atomic_long, cuda::atomic<long long>, it.fetch_add(number); out[0] = static_cast<int>(it.exchange(number));
       it.store(number))
BESIDE(atomic_float, cuda::atomic<float>, it.fetch_add(floats[0]); it.fetch_max(floats[1]))
BESIDE(large_atomic, cuda::atomic<dim3>, it.store(dim3(number)); out[0] = it.load().x)

// Named by the kernel, so that their addresses are constants.
__device__ int named_int;
__device__ float named_float;
__device__ cuda::atomic<unsigned char, cuda::thread_scope_device> named_byte;
__device__ cuda::latch<cuda::thread_scope_device> named_latch(3);
__device__ cuda::binary_semaphore<cuda::thread_scope_device> named_semaphore(1);

__global__ void named(int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> number(named_int);
  out[0] = number.load() + number.exchange(1);
  number.wait(2);
  cuda::atomic_ref<float, cuda::thread_scope_device>(named_float).fetch_max(1);
  named_byte.fetch_add(1);
  named_latch.arrive_and_wait();
  named_semaphore.acquire();
}

using pipeline_state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
BESIDE(pipeline, pipeline_state, auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &it);
       __shared__ float cells[64]; pipe.producer_acquire();
       cuda::memcpy_async(cudasync::this_thread_block(), cells, floats, sizeof cells, pipe); pipe.producer_commit();
       pipe.consumer_wait(); floats[64] = cells[number]; pipe.consumer_release(); pipe.quit())
