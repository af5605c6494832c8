// Textures and surfaces, as the runtime makes them and kernels read them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_TEXTURES_H
#define CUDASYNC_MACHINE_TEXTURES_H

#include "program.h"

#include <cstdint>

namespace model {

enum class edge : uint8_t { wrap, clamp, mirror, border };

struct texture {
  uint64_t start = 0, pitch = 0, slice = 0;  // in bytes
  int64_t size[3] = {1, 1, 1};               // in texels; behind those of a layer, the number of layers
  uint32_t channels = 1;
  type channel;
  edge edges[3] = {edge::clamp, edge::clamp, edge::clamp};
  bool is_filtered = false, has_normalized_values = false, has_normalized_places = false;
  bool is_removed = false;                     // for the host
  bool is_surface = false, is_buffer = false;  // buffer: of memory without rows, read by tex1Dfetch
  float border[4] = {};

  uint32_t texel_bytes() const { return channels * channel.bytes; }
};

uint64_t add_texture(const texture& made);  // its handle, which is never 0
bool remove_texture(uint64_t handle);
bool find_texture(uint64_t handle, texture& found);

}  // namespace model

#endif
