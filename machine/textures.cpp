// Reads of textures, and reads and writes of surfaces. What a kernel itself writes, it may not read through these.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "textures.h"

#include "conversions.h"
#include "grid.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace model {

namespace {

struct known_textures {
  std::map<uint64_t, texture> all;
  uint64_t last = 0;
  std::mutex mutex;
};

struct geometry {
  size_t dimensions;
  bool has_layers;
};
geometry geometry_of(const instruction& at) {
  const bool has_layers = at.has("a1d"_w) || at.has("a2d"_w);
  return {at.has("3d"_w) ? 3u : at.has("2d"_w) || at.has("a2d"_w) ? 2u : 1u, has_layers};
}

// Where a place outside of a texture is read; a negative one: nowhere.
int64_t inside(int64_t place, int64_t size, edge how) {
  if (place >= 0 && place < size) return place;
  const int64_t turned = (place % (2 * size) + 2 * size) % (2 * size);
  switch (how) {
  case edge::wrap:
    return turned % size;
  case edge::mirror:
    return turned < size ? turned : 2 * size - 1 - turned;
  case edge::clamp:
    return place < 0 ? 0 : size - 1;
  default:
    return -1;
  }
}

double value_of(bits raw, const texture& from) {
  const uint32_t width = 8u * from.channel.bytes;
  if (!is_integer(from.channel)) return decode(raw, from.channel);
  const bool is_signed = from.channel.what == kind::signed_integer;
  const double value = is_signed ? static_cast<double>(to_signed(raw, from.channel.bytes)) : static_cast<double>(raw);
  if (!from.has_normalized_values) return value;
  return std::max(value / (std::ldexp(1, static_cast<int>(is_signed ? width - 1 : width)) - 1), -1.0);
}

}  // namespace

uint64_t add_texture(const texture& made) {
  known_textures& known = lasting<known_textures>();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.all[++known.last] = made;
  return known.last;
}
// Kernels that have been launched may go on using it.
bool remove_texture(uint64_t handle) {
  known_textures& known = lasting<known_textures>();
  const std::lock_guard<std::mutex> lock(known.mutex);
  const auto at = known.all.find(handle);
  return at != known.all.end() && !std::exchange(at->second.is_removed, true);
}
bool find_texture(uint64_t handle, texture& found) {
  known_textures& known = lasting<known_textures>();
  const std::lock_guard<std::mutex> lock(known.mutex);
  const auto at = known.all.find(handle);
  if (at != known.all.end()) found = at->second;
  return at != known.all.end();
}

texture grid::texture_of(const instruction& at, thread& who, const operand& from, bool is_surface) {
  texture found;
  if (!find_texture(effective(who, from), found) || found.is_surface != is_surface)
    throw fault(std::string(is_surface ? "no surface" : "no texture") + " object has this number, in " + where_is(at));
  return found;
}

// The place in each dimension, of texels; the layer last.
void grid::read_texel(const instruction& at, thread& who, const texture& from, const int64_t (&place)[3],
                      double (&channels)[4]) {
  uint64_t index[3];
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    const int64_t there = inside(place[dimension], from.size[dimension], from.edges[dimension]);
    if (there < 0) return static_cast<void>(std::copy_n(from.border, 4, channels));
    index[dimension] = static_cast<uint64_t>(there);
  }
  const uint64_t address = from.start + index[2] * from.slice + index[1] * from.pitch + index[0] * from.texel_bytes();
  const location there = locate(who, address, space::global, from.texel_bytes(), at);
  note(who, there, from.texel_bytes(), false, at, order::weak, scope::cta);
  for (uint32_t channel = 0; channel < from.channels; ++channel) {
    bits raw = 0;
    std::memcpy(&raw, there.bytes + channel * from.channel.bytes, from.channel.bytes);
    channels[channel] = value_of(raw, from);
  }
}

// Texels are filtered with weights of eight bits, as GPUs do.
void grid::read_texture(const instruction& at, thread& who) {
  const operand& source = at.operands[1];
  const texture from = texture_of(at, who, source, false);
  const geometry shape = geometry_of(at);
  const std::vector<operand>& coordinates =
      source.parts[0].is == operand::form::list ? source.parts[0].parts : source.parts;
  const bool is_float = at.first.what == kind::floating, is_filtered = from.is_filtered && is_float;
  int64_t first[3] = {};
  double weight[3] = {};
  if (shape.has_layers) {
    const auto layer = read_word(who, coordinates[0]);
    first[shape.dimensions] = std::min<int64_t>(layer, from.size[shape.dimensions] - 1);
  }
  for (size_t dimension = 0; dimension < shape.dimensions; ++dimension) {
    const bits raw = read(who, coordinates[dimension + shape.has_layers], {kind::bits, 4});
    double place = is_float ? decode(raw, at.first) : static_cast<int32_t>(raw);
    if (is_float && from.has_normalized_places) place *= static_cast<double>(from.size[dimension]);
    place = std::isnan(place) ? 0 : std::clamp(place, -1e12, 1e12) - (is_filtered ? 0.5 : 0);
    first[dimension] = static_cast<int64_t>(std::floor(place));
    if (is_filtered) weight[dimension] = std::nearbyint((place - std::floor(place)) * 256) / 256;
  }
  double sums[4] = {};
  for (uint32_t corner = 0; corner < (is_filtered ? 1u << shape.dimensions : 1u); ++corner) {
    int64_t place[3];
    double part = 1, channels[4] = {};
    for (uint32_t dimension = 0; dimension < 3; ++dimension) {
      const bool is_next = (corner >> dimension & 1) != 0;
      place[dimension] = first[dimension] + is_next;
      if (is_filtered && dimension < shape.dimensions) part *= is_next ? weight[dimension] : 1 - weight[dimension];
    }
    if (part == 0) continue;
    read_texel(at, who, from, place, channels);
    for (uint32_t channel = 0; channel < 4; ++channel)
      sums[channel] += part * channels[channel];
  }
  const bool gives_floats = !is_integer(from.channel) || from.has_normalized_values;
  for (uint32_t channel = 0; channel < 4; ++channel)
    write(who, at.operands[0].parts[channel],
          gives_floats ? from_double(sums[channel], {kind::floating, 4})
                       : static_cast<uint32_t>(static_cast<int64_t>(sums[channel])),
          {kind::bits, 4});
}

// The first coordinate is in bytes.
void grid::access_surface(const instruction& at, thread& who, bool writes) {
  const operand &there = at.operands[writes ? 0 : 1], &values = at.operands[writes ? 1 : 0];
  const texture on = texture_of(at, who, there, true);
  const geometry shape = geometry_of(at);
  const std::vector<operand>& coordinates =
      there.parts[0].is == operand::form::list ? there.parts[0].parts : there.parts;
  const uint32_t size = at.first.bytes * uint32_t{at.vector};
  int64_t place[3] = {};
  if (shape.has_layers) place[shape.dimensions] = static_cast<int32_t>(read(who, coordinates[0], {kind::bits, 4}));
  for (size_t dimension = 0; dimension < shape.dimensions; ++dimension)
    place[dimension] = static_cast<int32_t>(read(who, coordinates[dimension + shape.has_layers], {kind::bits, 4}));
  bool is_inside = true;
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    const int64_t most = dimension == 0 ? on.size[0] * on.texel_bytes() - size : on.size[dimension] - 1;
    is_inside = is_inside && place[dimension] >= 0 && place[dimension] <= most;
    if (at.has("clamp"_w)) place[dimension] = std::clamp<int64_t>(place[dimension], 0, most);
  }
  if (!is_inside && at.has("trap"_w))
    throw fault("a place outside of the surface, in " + where_is(at), "out-of-bounds");
  if (!is_inside && at.has("zero"_w)) {
    for (uint32_t part = 0; part < at.vector && !writes; ++part)
      write(who, values.part(part), 0, at.first);
    return;
  }
  const uint64_t address = on.start + static_cast<uint64_t>(place[2]) * on.slice +
                           static_cast<uint64_t>(place[1]) * on.pitch + static_cast<uint64_t>(place[0]);
  const location to = locate(who, address, space::global, size, at);
  note(who, to, size, writes, at, order::weak, scope::cta);
  for (uint32_t part = 0; part < at.vector; ++part) {
    uint8_t* const bytes = to.bytes + part * at.first.bytes;
    bits value = 0;
    if (writes) {
      value = read(who, values.part(part), at.first);
      std::memcpy(bytes, &value, at.first.bytes);
    } else {
      std::memcpy(&value, bytes, at.first.bytes);
      write(who, values.part(part), value, {kind::bits, static_cast<uint8_t>(std::max<int>(at.first.bytes, 4))});
    }
  }
  if (!writes) return;
  cache_of(who).store(to.key, size, to.bytes);
  changed();
}

}  // namespace model
