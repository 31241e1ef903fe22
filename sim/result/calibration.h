// Parameters fitted to published measurements, and what that is worth. Plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgenpu::result {

struct CalibratedParameter {
  std::string path, meaning;
  double factor = 1, low = 1, high = 1;  // of the value in the description
};

struct CalibratedClass {
  std::string name, platform, runtime;  // regular expressions of what it covers
  long long rows = 0;
  std::vector<CalibratedParameter> parameters;  // empty: too few rows
  // Mean |error| over its rows.
  double uncalibrated = 0, held_out_device = 0, held_out_model = 0, fitted = 0;
};

// One decode measurement. Held out: predicted by parameters that were fitted without its device (all rows of
// its hardware description) or without its model.
struct CalibratedRow {
  std::string id, device_class, platform, model, class_name;
  double measured = 0, uncalibrated = 0, held_out_device = 0, held_out_model = 0, fitted = 0;
  // A model of 1B or more that reads less than half the share of peak bandwidth that is usual in its class,
  // by the measurement alone: software that does not use the hardware.
  bool implausibly_slow = false;
};

struct ErrorPair {
  double mean = 0, median = 0;
};

struct CalibrationErrors {
  long long rows = 0;
  ErrorPair uncalibrated, held_out_device, held_out_model, held_out, fitted;
};

struct Calibration {
  std::string measurements, date;
  std::vector<CalibratedClass> classes;
  std::vector<CalibratedRow> rows;
  CalibrationErrors all, plausible;  // plausible: without the implausibly slow rows
  double cpu_s = 0;
};

}  // namespace edgenpu::result
