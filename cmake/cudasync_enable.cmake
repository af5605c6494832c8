# cudasync_enable(target): puts cudasync before every other include folder of the target, whatever else it links.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

function(cudasync_enable target)
  target_include_directories(
    ${target}
    BEFORE
    PRIVATE $<TARGET_PROPERTY:cudasync::cudasync,INTERFACE_INCLUDE_DIRECTORIES>
  )
endfunction()
