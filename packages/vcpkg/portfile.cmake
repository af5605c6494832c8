# The vcpkg port of the files around it: `vcpkg install cudasync --overlay-ports=cudasync/packages/vcpkg`
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
get_filename_component(source ${CURRENT_PORT_DIR}/../.. ABSOLUTE)
set(VCPKG_BUILD_TYPE release) # headers only
vcpkg_cmake_configure(SOURCE_PATH ${source})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/cudasync)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
