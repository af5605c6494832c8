// Vectors divided by their dot product, as published in a tutorial about cuda::barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang-format off
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template<bool WriteSquareRoot>
__device__
void reduce_block_data(
    cuda::barrier<cuda::thread_scope_block>& barrier,
    cg::thread_block_tile<32>& tile32, double& thread_sum, double* result
)
{
    extern __shared__ double tmp[];

    #pragma unroll
    for (int offset = tile32.size() / 2; offset > 0; offset /= 2) {
        thread_sum += tile32.shfl_down(thread_sum, offset);
    }
    if (tile32.thread_rank() == 0) {
        tmp[tile32.meta_group_rank()] = thread_sum;
    }

    auto token = barrier.arrive();
    barrier.wait(std::move(token));

    // The warp 0 will perform last round of reduction
    if (tile32.meta_group_rank() == 0) {
        double beta = tile32.thread_rank() < tile32.meta_group_size() ? tmp[tile32.thread_rank()] : 0.;

        #pragma unroll
        for (int offset = tile32.size() / 2; offset > 0; offset /= 2) {
            beta += tile32.shfl_down(beta, offset);
        }

        if (tile32.thread_rank() == 0) {
            if (WriteSquareRoot)
                *result = sqrt(beta);
            else
                *result = beta;
        }
    }
}

__global__
void norm_vec_by_dot_product(float* vecA, float* vecB, double* partialResults, int size)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);

    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;

    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
    }
    cg::sync(cta);

    double thread_sum = 0.;
    for (int i = grid.thread_rank(); i < size; i+= grid.size()) {
        thread_sum += (double)(vecA[i] * vecB[i]);
    }

    // Each thread block performs reduction of partial dot products and 
    // writes to global memory
    reduce_block_data<false>(barrier, tile32, thread_sum, &partialResults[blockIdx.x]);

    cg::sync(grid);

    // One block performs the final summation of partial dot products
    // of all the thread blocks and writes the sqrt of final dot product
    if (blockIdx.x == 0) {
        thread_sum = 0.;
        for (int i = cta.thread_rank(); i < gridDim.x; i += cta.size()) {
            thread_sum += partialResults[i];
        }
        reduce_block_data<true>(barrier, tile32, thread_sum, &partialResults[0]);
    }
    cg::sync(grid);

    const double final_value = partialResults[0];

    // Perform normalization of vector A & B
    for (int i = grid.thread_rank(); i < size; i += grid.size()) {
        vecA[i] = (float)vecA[i] / final_value;
        vecB[i] = (float)vecB[i] / final_value;
    }
}
