// Units as they are written in YAML: "512 KiB", "102.4 GB/s", "0.15 pJ", "37 mW/GB", "0.08 pJ/bit/mm".
//
// A unit is a product of named units with '/' between numerator and denominators ("mW/GB", "pJ/bit/mm").
// Names of counted things (MAC, op, weight, ACT, instr) carry no dimension, so "pJ/MAC" may be written where
// "pJ" is meant. Values come back in base units: bytes, seconds, joules, watts (J/s), metres, volts, kelvin
// (or degrees Celsius where a temperature is meant), cycles.
#pragma once

#include <optional>
#include <string>

namespace edgenpu::config {

// Exponents of the base units.
struct Dimension {
  int time = 0, energy = 0, data = 0, length = 0, voltage = 0, temperature = 0, cycle = 0;

  friend bool operator==(const Dimension& a, const Dimension& b) {
    return a.time == b.time && a.energy == b.energy && a.data == b.data && a.length == b.length &&
           a.voltage == b.voltage && a.temperature == b.temperature && a.cycle == b.cycle;
  }
};

// A dimension with the words that an error message needs.
struct Unit {
  Dimension dimension;
  const char* name;
  const char* example;
};

namespace unit {
inline constexpr Unit data{{0, 0, 1, 0, 0, 0, 0}, "a size", "512 KiB"};
inline constexpr Unit bandwidth{{-1, 0, 1, 0, 0, 0, 0}, "a bandwidth", "102.4 GB/s"};
inline constexpr Unit data_per_cycle{{0, 0, 1, 0, 0, 0, -1}, "a width per cycle", "32 B/cycle"};
inline constexpr Unit time{{1, 0, 0, 0, 0, 0, 0}, "a time", "1.25 ns"};
inline constexpr Unit frequency{{-1, 0, 0, 0, 0, 0, 0}, "a frequency", "1 GHz"};
inline constexpr Unit cycles{{0, 0, 0, 0, 0, 0, 1}, "a number of cycles", "8 cycles"};
inline constexpr Unit energy{{0, 1, 0, 0, 0, 0, 0}, "an energy", "0.15 pJ"};
inline constexpr Unit energy_per_data{{0, 1, -1, 0, 0, 0, 0}, "an energy per bit or byte", "6 pJ/bit"};
inline constexpr Unit energy_per_data_length{
    {0, 1, -1, -1, 0, 0, 0}, "an energy per bit and length", "0.08 pJ/bit/mm"};
inline constexpr Unit power{{-1, 1, 0, 0, 0, 0, 0}, "a power", "1.5 W"};
inline constexpr Unit power_per_data{{-1, 1, -1, 0, 0, 0, 0}, "a power per size", "37 mW/GB"};
inline constexpr Unit power_per_area{{-1, 1, 0, -2, 0, 0, 0}, "a power per area", "2.5 mW/mm2"};
inline constexpr Unit area_per_data{{0, 0, -1, 2, 0, 0, 0}, "an area per size", "0.9 mm2/MiB"};
inline constexpr Unit length{{0, 0, 0, 1, 0, 0, 0}, "a length", "5 mm"};
inline constexpr Unit area{{0, 0, 0, 2, 0, 0, 0}, "an area", "40 mm2"};
inline constexpr Unit voltage{{0, 0, 0, 0, 1, 0, 0}, "a voltage", "0.8 V"};
inline constexpr Unit temperature{{0, 0, 0, 0, 0, 1, 0}, "a temperature", "60 C"};
}  // namespace unit

struct Measure {
  double value;  // in base units
  Dimension dimension;
  bool bare;  // a number without a unit
};

// nullopt: no number, or an unknown unit; `why` then says which.
std::optional<Measure> parse_measure(const std::string& text, std::string& why);

}  // namespace edgenpu::config
