// Request streams for a memory bench: the reference patterns, by name.
//
// All are 64 B requests over a capacity CAP (i = request index, rng = xorshift64* from 0x9E3779B97F4A7C15):
//   seq_rd       a = 64 i
//   seq_w10      the same, every tenth a write
//   sep_w10      nine reads of one stream, then a write of a second one at CAP/2
//   streams4_off four streams in turn, CAP/4 + 8 KiB apart
//   streams4_al  four streams in turn, CAP/4 apart: the same bank, other rows
//   streams4_1k  four streams in turn, 1 KiB each
//   rand64       a = 64 (rng % (CAP/64))
//   gather4k     a random 4 KiB block, read in order, then the next
// Addresses wrap at CAP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace edgenpu::hardware {

struct TrafficRequest {
  std::int64_t address = 0;
  bool write = false;
  std::int64_t not_before = 0;  // cycle
  std::int64_t bytes = 0;       // 0: the bench's own request size, the aligned block around the address
  bool relative = false;        // not_before is put off by as much as the request before it was
};

class TrafficSource {
 public:
  virtual ~TrafficSource() = default;
  // False at the end.
  virtual bool next(TrafficRequest& request) = 0;
  // Whether no request of it has a time or a length of its own, and take_run() may be asked.
  virtual bool in_runs() const { return false; }
  // Consumes up to `most` further requests that go on where the last one ended, in its direction and without
  // a time of their own; returns how many. A source that cannot tell returns 0.
  virtual std::int64_t take_run(std::int64_t most) {
    (void)most;
    return 0;
  }
};

const std::vector<std::string>& pattern_names();

// nullptr for an unknown name.
std::unique_ptr<TrafficSource> make_pattern(const std::string& name, std::int64_t requests,
                                            std::int64_t capacity);

}  // namespace edgenpu::hardware
