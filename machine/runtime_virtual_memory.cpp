// The driver's virtual memory: ranges of addresses, to which a program maps memory that it has made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"

#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace model { namespace {

constexpr uint64_t granularity = 2 << 20;

// A file in memory, so that two ranges of addresses can have the same bytes. It stays as long as it is mapped.
struct physical_memory {
  int file;
  uint64_t bytes;
  CUmemAllocationProp properties;
};

struct reservation {
  uint64_t end;
  std::map<uint64_t, uint64_t> mapped;      // the ends, by the starts
  std::map<uint64_t, uint64_t> accessible;  // adjacent ones are one
};

std::map<uint64_t, reservation>& reservations() {
  return lasting<std::map<uint64_t, reservation>>();
}
std::map<CUmemGenericAllocationHandle, physical_memory>& physical() {
  return lasting<std::map<CUmemGenericAllocationHandle, physical_memory>>();
}

void* pointer_to(uint64_t address) {
  return reinterpret_cast<void*>(address);
}

// The one that contains all of the range.
reservation* reservation_with(uint64_t start, uint64_t bytes) {
  const auto after = reservations().upper_bound(start);
  if (after == reservations().begin()) return nullptr;
  reservation& found = std::prev(after)->second;
  return bytes != 0 && start + bytes <= found.end ? &found : nullptr;
}

// Whether mappings begin and end where the range does, and leave no gap in it.
bool is_mapped(const reservation& in, uint64_t start, uint64_t end) {
  for (auto at = in.mapped.find(start); at != in.mapped.end() && at->first == start; ++at) {
    start = at->second;
    if (start >= end) return start == end;
  }
  return false;
}

void remove_access(reservation& in, uint64_t start, uint64_t end) {
  for (auto at = in.accessible.begin(); at != in.accessible.end();) {
    const auto old = *at;
    if (old.second <= start || old.first >= end) {
      ++at;
      continue;
    }
    forbid(pointer_to(old.first));
    at = in.accessible.erase(at);
    const auto keep = [&](uint64_t from, uint64_t to) {
      if (from >= to) return;
      in.accessible[from] = to;
      allow(pointer_to(from), to - from);
    };
    keep(old.first, start);
    keep(end, old.second);
  }
}

void add_access(reservation& in, uint64_t start, uint64_t end) {
  for (auto at = in.accessible.begin(); at != in.accessible.end();) {
    if (at->second < start || at->first > end) {
      ++at;
      continue;
    }
    start = std::min(start, at->first);
    end = std::max(end, at->second);
    forbid(pointer_to(at->first));
    at = in.accessible.erase(at);
  }
  in.accessible[start] = end;
  allow(pointer_to(start), end - start);
}

bool reserve(uint64_t start, uint64_t bytes, int flags) {
  return mmap(pointer_to(start), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0) !=
         MAP_FAILED;
}

}}  // namespace model

using namespace model;

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  *bytes = granularity;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr, unsigned long long) {
  if (bytes == 0 || bytes % granularity != 0) return CUDA_ERROR_INVALID_VALUE;
  alignment = std::max<size_t>(alignment, granularity);
  void* const found = mmap(nullptr, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const uint64_t first = reinterpret_cast<uint64_t>(found), start = (first + alignment - 1) / alignment * alignment;
  if (start != first) munmap(found, start - first);
  munmap(pointer_to(start + bytes), first + alignment - start);
  const runtime_lock lock(runtime_mutex());
  reservations()[start] = {start + bytes, {}, {}};
  *address = start;
  return CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  const runtime_lock lock(runtime_mutex());
  const auto at = reservations().find(address);
  if (at == reservations().end() || at->second.end != address + bytes || !at->second.mapped.empty())
    return CUDA_ERROR_INVALID_VALUE;
  munmap(pointer_to(address), bytes);
  reservations().erase(at);
  return CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* made, size_t bytes, const CUmemAllocationProp* what,
                     unsigned long long) {
  if (bytes == 0 || bytes % granularity != 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > device().totalGlobalMem) return CUDA_ERROR_OUT_OF_MEMORY;
  const int file = memfd_create("memory of the device", 0);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  const runtime_lock lock(runtime_mutex());
  static CUmemGenericAllocationHandle last = 0;
  physical()[++last] = {file, bytes, *what};
  *made = last;
  return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle which) {
  const runtime_lock lock(runtime_mutex());
  const auto at = physical().find(which);
  if (at == physical().end()) return CUDA_ERROR_INVALID_VALUE;
  close(at->second.file);
  physical().erase(at);
  return CUDA_SUCCESS;
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* what, CUmemGenericAllocationHandle of) {
  const runtime_lock lock(runtime_mutex());
  const auto at = physical().find(of);
  if (at == physical().end()) return CUDA_ERROR_INVALID_VALUE;
  *what = at->second.properties;
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle what,
                  unsigned long long) {
  const runtime_lock lock(runtime_mutex());
  reservation* const in = reservation_with(address, bytes);
  const auto memory = physical().find(what);
  if (in == nullptr || memory == physical().end() || offset + bytes > memory->second.bytes ||
      address % granularity != 0 || bytes % granularity != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const auto next = in->mapped.lower_bound(address);
  const bool overlaps = (next != in->mapped.end() && next->first < address + bytes) ||
                        (next != in->mapped.begin() && std::prev(next)->second > address);
  if (overlaps) return CUDA_ERROR_INVALID_VALUE;
  void* const made = mmap(pointer_to(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                          memory->second.file, static_cast<off_t>(offset));
  if (made == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  in->mapped[address] = address + bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  work_queue::only().finish_all();
  const runtime_lock lock(runtime_mutex());
  reservation* const in = reservation_with(address, bytes);
  if (in == nullptr || !is_mapped(*in, address, address + bytes)) return CUDA_ERROR_INVALID_VALUE;
  remove_access(*in, address, address + bytes);
  in->mapped.erase(in->mapped.find(address), in->mapped.lower_bound(address + bytes));
  return reserve(address, bytes, MAP_FIXED) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* all, size_t count) {
  const runtime_lock lock(runtime_mutex());
  reservation* const in = reservation_with(address, bytes);
  if (in == nullptr || !is_mapped(*in, address, address + bytes)) return CUDA_ERROR_INVALID_VALUE;
  for (size_t index = 0; index < count; ++index) {
    if (all[index].location.type != CU_MEM_LOCATION_TYPE_DEVICE) continue;
    if (all[index].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
      remove_access(*in, address, address + bytes);
    else
      add_access(*in, address, address + bytes);
  }
  return CUDA_SUCCESS;
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation*, CUdeviceptr address) {
  *flags = is_allowed(address, 1) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

}  // extern "C"
