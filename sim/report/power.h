// The files that the next tools read: a step's power over time, block by block, and what it was counted from.
//
//   power.csv            time_s, duration_s, watts of each block, total: one row a window
//   power.flp            HotSpot floorplan (name, width, height, left x, bottom y in metres)
//   power.ptrace         HotSpot power trace; each row is `-sampling_intvl` of hotspot.config
//   hotspot.config       HotSpot's published defaults with that interval and this chip's outline
//   power.3dice.flp      3D-ICE floorplan with power values, power.stk its stack and slot length
//   power.vcd            states of engines, watts of blocks
//   action_counts.yaml, ERT.yaml   Accelergy: counts, and picojoules per action
//   power.upf            UPF supplies and power states of the operating points
//   power.svg            the same power as a picture
//   summary.md           one page: what each number means, peaks, what is not modelled
//
// CSV, ptrace, 3D-ICE and VCD hold the same joules: power x the length of its window. HotSpot's and 3D-ICE's
// intervals are all of one length, so the last row, whose window is shorter, carries its joules over a whole
// one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "energy/floorplan.h"
#include "result/uncertainty.h"
#include "simulate/power.h"

namespace edgenpu::report {

struct PowerFile {
  std::string name, text;
};

struct PowerFiles {
  energy::PowerTrace trace;  // by block, in the windows of the files
  std::vector<energy::Placed> plan;
  std::optional<result::Uncertainty> uncertainty;  // adds uncertainty.csv, tornado.svg and a section
};

inline constexpr std::int64_t kMostRows = 10'000;
// The recorded window times the power of ten that leaves at most kMostRows windows.
Femtoseconds default_window(const energy::PowerTrace& trace, std::int64_t runs);

std::vector<PowerFile> power_files(const StepPower& step, const PowerFiles& files);

// One file each.
std::string power_csv(const energy::PowerTrace& trace);
std::string hotspot_flp(const std::vector<energy::Placed>& plan);
std::string hotspot_ptrace(const energy::PowerTrace& trace);
std::string hotspot_config(const energy::PowerTrace& trace, const std::vector<energy::Placed>& plan);
std::string ice_floorplan(const energy::PowerTrace& trace, const std::vector<energy::Placed>& plan);
std::string ice_stack(const energy::PowerTrace& trace, const std::vector<energy::Placed>& plan);
std::string power_vcd(const StepPower& step, const energy::PowerTrace& trace);
std::string accelergy_counts(const StepPower& step);
std::string accelergy_ert(const StepPower& step);
std::string power_upf(const StepPower& step);
std::string power_svg(const energy::PowerTrace& trace, const std::string& title);
std::string power_summary(const StepPower& step, const PowerFiles& files);

}  // namespace edgenpu::report
