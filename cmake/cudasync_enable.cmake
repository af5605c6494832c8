# cudasync_enable(target): puts cudasync before every other include folder of the target, whatever else it links.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# For targets whose other libraries may bring a CCCL of their own. Instead of linking cudasync::cudasync, or beside it.
function(cudasync_enable target)
  target_include_directories(
    ${target}
    BEFORE
    PRIVATE $<TARGET_PROPERTY:cudasync::cudasync,INTERFACE_INCLUDE_DIRECTORIES>
  )
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:cudasync::cudasync,INTERFACE_COMPILE_OPTIONS>)
endfunction()
