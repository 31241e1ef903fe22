// Published comparison tables, and how much of their peak bandwidth published measurements use, as YAML.
//
//   kind: published                          kind: bandwidth_shares
//   name:, source:                           rows:
//   model:, quant:, context:                   - {class: cpu, share: 0.58, device:, model:, ..., source:}
//   bandwidth_shares: FILE
//   rows:
//     - {platform:, hardware: NAME|FILE, tdp: 75 W, tokens_per_s:, ms_per_token:, J_per_token:, tokens_per_J:,
//        edp_J_s:, source:}
//
// Files are named relative to the table. A metric may be missing. Errors: InputError, all findings at once; a
// model or quantisation that does not exist is refused where it stands.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace edgenpu::config {
class MapReader;
}

namespace edgenpu::evidence {

struct PublishedRow {
  std::string platform, hardware;
  std::optional<Watts> tdp;
  std::map<std::string, double> metrics;  // by name (result::kPublishedMetrics)
};

struct PublishedTable {
  std::string name, source, model, quant;
  std::int64_t context = 0;
  std::string bandwidth_shares;  // path
  std::vector<PublishedRow> rows;
};

// `data_dir`: where models/ is.
PublishedTable read_published(const std::string& path, const std::string& data_dir);

// The path of a file that the table at `path` names.
std::string beside(const std::string& path, const std::string& name);
// The path that the key `hardware` of one of its rows stands for: NAME|FILE (config/resolve.h).
std::string read_hardware(config::MapReader& row, const std::string& path, const std::string& data_dir);

// Median share by device class.
std::map<std::string, double> read_median_shares(const std::string& path);

}  // namespace edgenpu::evidence
