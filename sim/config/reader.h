// Reads one map of a configuration against a schema: every getter names a key, its type, its unit, its range
// and, where it may be missing, its default. Findings go to a Diagnostics list and reading goes on with a
// harmless value, so that all errors of a file are reported together. finish() reports the keys that nobody
// asked for.
//
// Numbers need provenance: with Provenance::required, each number must be covered by a `source` entry, either
// in the same map (`source: text` for all, or `source: {key: text}`) or in the long form of the number itself
// ({value:, low:, high:, source:, confidence:}). A source is a citation, or starts with "assumed" or
// "calibrated".
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "config/units.h"
#include "config/value.h"

namespace edgenpu::config {

enum class Provenance { optional, required };

struct IntRange {
  std::int64_t low, high;
};

// Closed interval in the unit that the message should show; base units.
struct RealRange {
  double low, high;
};

// How sure a number is: the long form's low and high, or the value itself three times.
struct Ranged {
  double value = 0, low = 0, high = 0;
  std::string source, confidence;
};

class MapReader {
 public:
  // `what` names the section in messages ("matrix", "the hardware description").
  MapReader(const Value& map, Diagnostics& out, std::string what,
            Provenance provenance = Provenance::required);

  bool has(const std::string& key) const { return map_.find(key) != nullptr; }
  const Value& value() const { return map_; }
  Diagnostics& diagnostics() const { return out_; }

  std::int64_t integer(const std::string& key, IntRange range, std::optional<std::int64_t> fallback = {});
  double real(const std::string& key, RealRange range, std::optional<double> fallback = {});
  double quantity(const std::string& key, const Unit& unit, RealRange range,
                  std::optional<double> fallback = {});
  Ranged ranged(const std::string& key, const Unit& unit, RealRange range,
                std::optional<double> fallback = {});
  Ranged ranged_real(const std::string& key, RealRange range, std::optional<double> fallback = {});

  Bytes bytes(const std::string& key, IntRange range, std::optional<Bytes> fallback = {});
  Hertz frequency(const std::string& key, IntRange range, std::optional<Hertz> fallback = {});
  Cycles cycles(const std::string& key, IntRange range, std::optional<Cycles> fallback = {});
  Femtoseconds duration(const std::string& key, RealRange seconds, std::optional<Femtoseconds> fallback = {});

  std::string text(const std::string& key, std::optional<std::string> fallback = {});
  bool boolean(const std::string& key, std::optional<bool> fallback = {});
  // Index of the chosen name.
  std::size_t choice(const std::string& key, const std::vector<std::string>& names,
                     std::optional<std::size_t> fallback = {});

  // A section or list; nullptr if missing (an error unless optional) or of another kind.
  const Value* map(const std::string& key, bool optional = false);
  const Value* list(const std::string& key, bool optional = false);

  // Accepts the key without reading it (read elsewhere, or free text).
  void accept(const std::string& key) { known_.insert(key); }

  void error(const std::string& key, const std::string& message);
  void finish();

 private:
  const Value* find(const std::string& key, bool required, const std::string& expected);
  // The scalar of a number in either form, with its provenance checked; nullptr if absent or wrong.
  const Value* number(const std::string& key, bool required, const std::string& expected);
  void check_source(const std::string& key, const Value& number);
  std::optional<double> measure(const Value& scalar, const std::string& key, const Unit& unit,
                                RealRange range);
  std::optional<double> plain(const Value& scalar, const std::string& key, RealRange range);
  // Reads `low` and `high` of the long form, where they are.
  using BoundReader = std::function<void(const Value& bound, const std::string& name)>;
  void bounds(const std::string& key, const BoundReader& read);
  Ranged with_bounds(const std::string& key, double value);
  std::int64_t whole(const std::string& key, const Unit& unit, IntRange range,
                     std::optional<std::int64_t> fallback);
  void finish_sources();

  const Value& map_;
  Diagnostics& out_;
  std::string what_;
  Provenance provenance_;
  std::set<std::string> known_;
  std::set<std::string> numbers_;
};

// The `source` text that covers `key` in `map`, in either form; "" if none.
std::string source_of(const Value& map, const std::string& key);

}  // namespace edgenpu::config
