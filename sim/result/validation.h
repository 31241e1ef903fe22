// Published measurements beside what is simulated for them: what `validate` produces. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgenpu::result {

// One figure of one published row.
struct ValidationRow {
  std::string id, device, device_class, metric;  // decode, prefill, ttft, energy
  double measured = 0;                           // tokens/s, tokens/s, ms, J/token
  std::optional<double> simulated;
  std::optional<double> roof;  // decode: tokens/s that the memory's peak allows
  bool mapped = false;
  std::string reason;  // why it is not mapped or not simulated
  std::string confidence, source;
  // What it was mapped onto.
  std::string hardware, platform, runtime, model, quant;
  long long context = 0, prompt = 0;
  std::vector<std::string> notes;  // what was assumed in mapping it

  // (simulated - measured) / measured.
  std::optional<double> error() const {
    return simulated ? std::optional(*simulated / measured - 1) : std::nullopt;
  }
  bool impossible() const { return roof && measured > *roof; }
};

struct ErrorSummary {
  std::string group, name;  // ("all", ""), ("class", "npu"), ("device", "..."), ("platform", "...")
  std::string metric;
  long long given = 0, mapped = 0, compared = 0;
  // Over the compared rows: mean and median of |error|, mean of error; the id of the largest.
  std::optional<double> mean, median, bias, worst;
  std::string worst_id;
};

struct Validation {
  std::string file;
  std::vector<ValidationRow> rows;
  std::vector<ErrorSummary> summaries;
  std::vector<std::string> notes;
  long long file_rows = 0, mapped_rows = 0;  // rows of the file; those with at least one metric simulated
  long long above_roof = 0;                  // simulated decode rates above the roof: a bug
  double cpu_s = 0, wall_s = 0;
};

}  // namespace edgenpu::result
