#include "lowering/cached_rows.h"

#include <algorithm>
#include <numeric>

#include "base/rates.h"

namespace edgenpu::lowering {

CachedRows::CachedRows(Plan& plan, int op, const workload::Attention& body)
    : plan_(plan),
      body_(body),
      place_(plan.map.kv[static_cast<std::size_t>(op)]),
      page_(plan.npu.kv_page),
      gathers_(page_ > 0 && plan.npu.dma.gather) {}

std::int64_t CachedRows::rows_of_load(std::int64_t k, std::int64_t end) const {
  const std::int64_t most = std::max<std::int64_t>(1, plan_.builder.largest_load() / place_.row);
  // Of equal length: two of a whole and a half leave no room for the next beside them.
  const std::int64_t rows = ceil_div(end - k, ceil_div(end - k, most));
  return page_ > 0 && !gathers_ ? std::min(rows, page_ - k % page_) : rows;
}

// One piece, or a list of their pages.
Transfer CachedRows::transfer(const AttentionBlock& block, int which, std::int64_t k, std::int64_t count) {
  std::vector<GatherPiece> pieces;
  for (std::int64_t row = k, n = 0; row < k + count; row += n) {
    n = gathers_ ? std::min(k + count - row, page_ - row % page_) : count;
    const std::int64_t address = place_.address(block.request, which, block.head, paged(row));
    if (!pieces.empty() && pieces.back().address + pieces.back().bytes.count() == address)
      pieces.back().bytes += place_.row * n;
    else
      pieces.push_back({address, place_.row * n});
  }
  if (pieces.size() == 1) return {pieces[0].address, pieces[0].bytes, 1, Bytes(0)};
  const std::int64_t plane = (block.request * 2 + which) * body_.kv_heads + block.head;
  return plan_.builder.gather(pieces, place_.lists + plane * list_bytes(body_, plan_.npu) +
                                          k / page_ * plan_.npu.dma.list_entry.count());
}

// Where row k of a head lies if its whole pages are scattered over the head's part of the cache: an
// allocator hands them out in no useful order. (Half the pages apart and one more: neighbours never lie
// together.)
std::int64_t CachedRows::paged(std::int64_t k) const {
  if (page_ == 0) return k;
  const std::int64_t pages = body_.cached / page_, page = k / page_;
  if (page >= pages) return k;
  std::int64_t step = pages / 2 + 1;
  while (std::gcd(step, pages) != 1) ++step;
  return page * step % pages * page_ + k % page_;
}

}  // namespace edgenpu::lowering
