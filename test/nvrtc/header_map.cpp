// The generated map of headers as a library, through which the tests hand it to NVRTC.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cudasync_header_map.h"

extern "C" {
int count() {
  return cudasync::header_count;
}
const char* name(int index) {
  return cudasync::header_names[index];
}
const char* text(int index) {
  return cudasync::header_texts[index];
}
}
