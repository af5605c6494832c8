// Misuse with <cuda/pipeline>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>

// misuse: cluster_scope
// Threads of other blocks cannot wait for a stage, so a pipeline cannot have cluster scope.
// ERROR: a pipeline cannot have cluster scope, because threads of other blocks cannot wait for a stage
__device__ cuda::pipeline_shared_state<cuda::thread_scope_cluster, 2> state;  // wrong
__device__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> state;   // right

// misuse: no_group
// A pipeline is made for a group of threads.
// ERROR: make_pipeline needs a group, which has thread_rank\(\), size\(\) and sync\(\); give this_thread_block\(\)
// ABSENT: class type|has no member|is not a structure
// COMPILERS: nvrtc nvcc
__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>* state) {
  auto pipe = cuda::make_pipeline(threadIdx.x, state);                    // wrong
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), state);  // right
  pipe.quit();
}

// misuse: no_group_with_count
// A pipeline is made for a group of threads.
// ERROR: make_pipeline needs a group, which has thread_rank\(\), size\(\) and sync\(\); give this_thread_block\(\)
// ABSENT: class type|has no member|is not a structure
__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>* state) {
  auto pipe = cuda::make_pipeline(threadIdx.x, state, 1);                    // wrong
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), state, 1);  // right
  pipe.quit();
}

// misuse: no_group_with_role
// A pipeline is made for a group of threads.
// ERROR: make_pipeline needs a group, which has thread_rank\(\), size\(\) and sync\(\); give this_thread_block\(\)
// ABSENT: class type|has no member|is not a structure
__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>* state) {
  auto pipe = cuda::make_pipeline(threadIdx.x, state, cuda::pipeline_role::producer);                    // wrong
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), state, cuda::pipeline_role::producer);  // right
  pipe.quit();
}

// misuse: no_stages
// A ring has a stage.
// ERROR: pipeline_shared_state<scope, n>: a pipeline has at least one stage
// COMPILERS: nvrtc nvcc
__device__ cuda::pipeline_shared_state<cuda::thread_scope_device, 0> state;  // wrong
__device__ cuda::pipeline_shared_state<cuda::thread_scope_device, 1> state;  // right

// misuse: state_copied
// The threads that use the state hold its address.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>& state) {
  auto other = state;   // wrong
  auto& other = state;  // right
  static_cast<void>(other);
}

// misuse: thread_copied
// A copy would count stages that the thread has already waited for.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
__device__ void misuse(cuda::pipeline<cuda::thread_scope_thread>& pipe) {
  auto other = pipe;                                                            // wrong
  auto other = static_cast<cuda::pipeline<cuda::thread_scope_thread>&&>(pipe);  // right
  other.consumer_wait();
}

// misuse: thread_default_constructed
// A thread's pipeline comes from make_pipeline, too.
// ERROR: (is inaccessible|is private)
__device__ void misuse() {
  cuda::pipeline<cuda::thread_scope_thread> pipe;                          // wrong
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();  // right
  pipe.producer_commit();
}

// common:
using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

// misuse: assigned
// Two handles would each think that it comes next.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
__device__ void misuse(block_pipeline& pipe, block_pipeline& other) {
  pipe = other;                                 // wrong
  pipe = static_cast<block_pipeline&&>(other);  // right
}

// misuse: commit_of_block_to_barrier
// A block's pipeline has barriers of its own.
// ERROR: no instance of (overloaded )?function (template )?.*pipeline_producer_commit
__device__ void misuse(block_pipeline& pipe, [[maybe_unused]] cuda::barrier<cuda::thread_scope_block>& bar) {
  cuda::pipeline_producer_commit(pipe, bar);  // wrong
  pipe.producer_commit();                     // right
}

// misuse: const_pipeline
// The copy is noted in the pipeline.
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
__device__ void copy(int* destination, const int* source, [[maybe_unused]] const block_pipeline& read_only,
                     block_pipeline& pipe) {
  cuda::memcpy_async(destination, source, sizeof(int), read_only);  // wrong
  pipe.producer_commit();                                           // wrong
  cuda::memcpy_async(destination, source, sizeof(int), pipe);       // right
}

// misuse: copied
// Two handles would each think that it comes next.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
// COMPILERS: nvrtc nvcc
__device__ void misuse(block_pipeline& pipe) {
  block_pipeline other = pipe;                                 // wrong
  block_pipeline other = static_cast<block_pipeline&&>(pipe);  // right
  other.quit();
}

// misuse: default_constructed
// A pipeline comes from make_pipeline.
// ERROR: (the default constructor of \"[^\"]*pipeline.*\" cannot be referenced -- it is a deleted function|default constructor.* deleted|use of deleted function)
__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>* state) {
  block_pipeline pipe;                                                              // wrong
  static_cast<void>(state);                                                         // wrong
  block_pipeline pipe = cuda::make_pipeline(cudasync::this_thread_block(), state);  // right
  pipe.quit();                                                                      // right
}

// misuse: other_scope
// The scope of a pipeline is that of its state.
// ERROR: no suitable user-defined conversion|could not convert|conversion
__device__ block_pipeline misuse([[maybe_unused]] cuda::pipeline_shared_state<cuda::thread_scope_device, 2>& wide,
                                 [[maybe_unused]] cuda::pipeline_shared_state<cuda::thread_scope_block, 2>& state) {
  return cuda::make_pipeline(cudasync::this_thread_block(), &wide);   // wrong
  return cuda::make_pipeline(cudasync::this_thread_block(), &state);  // right
}

// misuse: state_by_reference
// make_pipeline takes the address of the state.
// ERROR: make_pipeline takes the address of the state: make_pipeline\(group, &state\)
__device__ block_pipeline misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>& state) {
  return cuda::make_pipeline(cudasync::this_thread_block(), state);   // wrong
  return cuda::make_pipeline(cudasync::this_thread_block(), &state);  // right
}

// misuse: bool_for_role
// A bool counts 0 or 1 producers.
// ERROR: make_pipeline takes a pipeline_role or the number of producers, not a bool
// COMPILERS: nvrtc nvcc
__device__ block_pipeline misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>* state) {
  const bool copies = threadIdx.x < 32;
  using cuda::pipeline_role;
  return cuda::make_pipeline(cudasync::this_thread_block(), state, copies);  // wrong
  const pipeline_role role = copies ? pipeline_role::producer : pipeline_role::consumer;
  return cuda::make_pipeline(cudasync::this_thread_block(), state, role);  // right
}

// misuse: wait_prior_of_block
// Only a thread's own pipeline knows what came before.
// ERROR: pipeline_consumer_wait_prior needs the pipeline of one thread, make_pipeline\(\); with a shared state, call consumer_wait
// COMPILERS: nvrtc nvcc
__device__ void misuse(block_pipeline& pipe) {
  cuda::pipeline_consumer_wait_prior<1>(pipe);  // wrong
  pipe.consumer_wait();                         // right
}
