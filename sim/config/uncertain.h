// The numbers of a hardware tree that nobody is sure of, and other values for them.
//
// A number is uncertain if it has a range ({value:, low:, high:}) or if its source begins with "assumed" or
// "calibrated". A number that stands in several places of the files' text by a YAML anchor is one number.
//
// Quantile q of a number's distribution: half of it lies between low and value, half between value and high,
// evenly in the logarithm (evenly in the number itself if low is 0). Low and high are taken as the ends of
// all belief, since the tables say no more. A number without a range gets one: a factor either way
// (default 1.5). Whole numbers stay whole; sizes and counts that are powers of two are halved or doubled,
// each with a quarter of the probability, since designs have no others.
#pragma once

#include <string>
#include <vector>

#include "config/value.h"

namespace edgenpu::config {

struct Uncertain {
  std::vector<std::string> paths;  // dotted; several for one number
  std::string text;                // as written: "0.15 pJ"
  std::string source;
  // In base units; low <= value <= high, not all equal.
  double value = 0, low = 0, high = 0;
  bool ranged = false;  // has a range of its own
  bool whole = false, power_of_two = false;

  // "energy.components.matrix.actions.mac_int8" -> "matrix mac_int8", for tables.
  std::string short_name() const;
  // The number at a quantile, as it is written in YAML.
  std::string at(double quantile) const;

 private:
  friend class UncertainFinder;
  double number_ = 0, unit_ = 1;  // of `text`: number x unit = value
  std::string suffix_;            // of `text`: " pJ"
};

// In the order of the tree.
std::vector<Uncertain> uncertain_numbers(const Value& tree, double factor = 1.5);

// Puts a number's text in all its places.
void put(Value& tree, const Uncertain& number, const std::string& text);

}  // namespace edgenpu::config
