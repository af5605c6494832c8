"""What the scripts and the tests of cudasync share."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# - `toolbox`: finds or installs the tools, shows steps, and builds; needs Python alone.
# - `toolchain`, `nvrtc`, `ptxas`, `clang`: the compilers that tests call. `sass`, `sass_flow`, `ptx_text`: what they generate.
# - `cpp`: reads the headers. `headers`: translation units that include them. `pages`: writes the generated parts of pages.
# - `lit_format`, `directives`, `codegen_format`, `compile_fail_format`: the formats of the lit tests. `atomic_matrix`,
#   `cuda_ptx_matrix`, `operand_audit`, `order_audit`, `progress_audit`: what `// MATRIX:` adds to a codegen test.
# - `model`: kernels on the model of the GPU. `gpu_programs`: programs that need a GPU.
