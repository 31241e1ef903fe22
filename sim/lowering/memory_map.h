// Where a trace's tensors and caches lie in DRAM. Weights and rows that no operator makes first, in the order of
// the trace, then the KV
// caches, one after the other, each aligned to 64 bytes; a cache holds, per request, all K rows of head 0, of
// head 1, ..., then all V rows the same way, so that a head's rows are one stream.
//
// Left out: tensors that a step does not read (the rest of an embedding table); they count for the fit only.
#pragma once

#include <cstdint>
#include <vector>

#include "config/npu.h"
#include "workload/trace.h"

namespace edgenpu::lowering {

struct KvPlace {
  std::int64_t base = 0;
  Bytes row{0};   // one token of one head
  Bytes head{0};  // all tokens of one head, in whole pages where there are pages: the stride between heads
  std::int64_t kv_heads = 0;
  std::int64_t cached = 0;  // rows in front of the new ones
  std::int64_t lists =
      0;  // where the gather lists of its pages lie: as planes of entries, in the order of rows
  // Address of row `token` of `head`; which = 0 for K, 1 for V.
  std::int64_t address(std::int64_t request, int which, std::int64_t head_index, std::int64_t token) const;
};

struct MemoryMap {
  std::vector<std::int64_t> weights;  // [operator] address; -1 if it has none
  std::vector<std::int64_t> inputs;   // [operator] the same of the rows of a product that no operator makes
  std::vector<KvPlace> kv;            // [operator] for attention and kv_write
  std::int64_t end = 0;               // the first free byte behind weights and caches
};

// What the KV cache takes of the memory: the trace's, each head's rows rounded up to whole pages of `kv_page`
// tokens (0: no pages).
Bytes allocated_kv(const workload::Trace& trace, std::int64_t kv_page);

// What a step takes of the memory: weights, rows that no operator makes, KV cache and reserve.
Bytes memory_needed(const workload::Trace& trace, const config::Memory& memory, std::int64_t kv_page);

// Throws InfeasibleError, with the bytes, if weights, KV cache and reserve exceed the memory.
MemoryMap map_memory(const workload::Trace& trace, const config::Memory& memory, std::int64_t kv_page);

// Bytes of the gather lists that name the pages of one head's rows.
std::int64_t list_bytes(const workload::Attention& attention, const config::Npu& npu);
// Places the lists behind the caches where the DMA reads them from DRAM. They are part of the reserve (page
// tables); throws InfeasibleError if they are larger and the memory lacks the rest.
void map_lists(MemoryMap& map, const workload::Trace& trace, const config::Npu& npu);

}  // namespace edgenpu::lowering
