// power.csv and the thermal simulators' files.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/rates.h"
#include "report/power.h"

namespace edgenpu::report {

namespace {

using energy::Placed;
using energy::PowerTrace;

// Watts over a whole interval that carry the window's joules.
double interval_power(const PowerTrace& t, std::size_t name, std::size_t w) {
  return t.energy[name][w] / to_seconds(t.window).count();
}

double seconds(Femtoseconds t) {
  return to_seconds(t).count();
}

// HotSpot's template.config (HotSpot 6.0, University of Virginia): silicon, interface, spreader and sink.
constexpr struct {
  const char *key, *value;
} kHotspot[] = {{"-t_chip", "0.00015"},      {"-k_chip", "130.0"},
                {"-p_chip", "1.75e6"},       {"-thermal_threshold", "354.95"},
                {"-c_convec", "140.4"},      {"-r_convec", "1.042"},
                {"-t_sink", "0.0069"},       {"-k_sink", "400.0"},
                {"-p_sink", "3.55e6"},       {"-t_spreader", "0.001"},
                {"-k_spreader", "400.0"},    {"-p_spreader", "3.55e6"},
                {"-t_interface", "2.0e-05"}, {"-k_interface", "4.0"},
                {"-p_interface", "4.0e6"},   {"-ambient", "318.15"},
                {"-init_file", "(null)"},    {"-init_temp", "333.15"},
                {"-steady_file", "(null)"},  {"-model_type", "grid"},
                {"-grid_rows", "64"},        {"-grid_cols", "64"},
                {"-dtm_used", "0"},          {"-leakage_used", "0"}};

}  // namespace

Femtoseconds default_window(const PowerTrace& trace, std::int64_t runs) {
  Femtoseconds window = trace.window;
  const Femtoseconds all = trace.time * runs;
  while (ceil_div(all.count(), window.count()) > kMostRows) window = window * 10;
  return window;
}

std::string power_csv(const PowerTrace& t) {
  std::string text = "time_s,duration_s";
  for (const std::string& name : t.names) text += "," + name + "_W";
  text += ",total_W\n";
  for (std::size_t w = 0; w < t.size(); ++w) {
    text += fmt::format("{:.15g},{:.15g}", seconds(t.start(w)), seconds(t.length(w)));
    for (std::size_t i = 0; i < t.names.size(); ++i) text += fmt::format(",{:.9g}", t.power(i, w).count());
    text += fmt::format(",{:.9g}\n", t.power(w).count());
  }
  return text;
}

std::string hotspot_flp(const std::vector<Placed>& plan) {
  std::string text = "# <unit-name>\t<width>\t<height>\t<left-x>\t<bottom-y>, in metres\n";
  for (const Placed& p : plan)
    text += fmt::format("{}\t{:.9f}\t{:.9f}\t{:.9f}\t{:.9f}\n", p.name, p.width, p.height, p.x, p.y);
  return text;
}

std::string hotspot_ptrace(const PowerTrace& t) {
  std::string text;
  for (std::size_t i = 0; i < t.names.size(); ++i) text += (i ? "\t" : "") + t.names[i];
  text += "\n";
  for (std::size_t w = 0; w < t.size(); ++w) {
    for (std::size_t i = 0; i < t.names.size(); ++i)
      text += fmt::format("{}{:.9g}", i ? "\t" : "", interval_power(t, i, w));
    text += "\n";
  }
  return text;
}

std::string hotspot_config(const PowerTrace& t, const std::vector<Placed>& plan) {
  std::string text =
      "# HotSpot: hotspot -c hotspot.config -f power.flp -p power.ptrace\n"
      "# HotSpot's published defaults; the interval is that of power.ptrace. The sink is HotSpot's desktop "
      "one:\n"
      "# put your own in.\n";
  const energy::Extent e = energy::extent(plan);
  const double side = std::max(e.width, e.height);
  const auto line = [&](const std::string& key, const std::string& value) {
    text += fmt::format("\t\t{}\t{}\n", key, value);
  };
  line("-sampling_intvl", fmt::format("{:.9g}", seconds(t.window)));
  line("-s_spreader", fmt::format("{:.6g}", std::max(0.03, 1.05 * side)));
  line("-s_sink", fmt::format("{:.6g}", std::max(0.06, 2 * side)));
  for (const auto& parameter : kHotspot) line(parameter.key, parameter.value);
  return text;
}

std::string ice_floorplan(const PowerTrace& t, const std::vector<Placed>& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Placed& p = plan[i];
    text +=
        fmt::format("{} :\n\n  position  {:.3f}, {:.3f} ;\n  dimension {:.3f}, {:.3f} ;\n\n  power values ",
                    p.name, p.x * 1e6, p.y * 1e6, p.width * 1e6, p.height * 1e6);
    for (std::size_t w = 0; w < t.size(); ++w)
      text += fmt::format("{}{:.9g}", w ? ", " : "", interval_power(t, i, w));
    text += " ;\n\n";
  }
  return text;
}

std::string ice_stack(const PowerTrace& t, const std::vector<Placed>& plan) {
  const energy::Extent e = energy::extent(plan);
  const double slot = seconds(t.window);
  return fmt::format(
      "material SILICON :\n   thermal conductivity     1.30e-4 ;\n   volumetric heat capacity 1.628e-12 ;\n\n"
      "material BEOL :\n   thermal conductivity     2.25e-6 ;\n   volumetric heat capacity 2.175e-12 ;\n\n"
      "top heat sink :\n   heat transfer coefficient 1.0e-7 ;\n   temperature 318.15 ;\n\n"
      "dimensions :\n   chip length {:.3f}, width {:.3f} ;\n   cell length {:.3f}, width {:.3f} ;\n\n"
      "die CHIP :\n   layer  10 BEOL ;\n   source  2 SILICON ;\n   layer 150 SILICON ;\n\n"
      "stack:\n   die EDGENPU CHIP floorplan \"power.3dice.flp\" ;\n\n"
      "solver:\n   transient step {:.9g}, slot {:.9g} ;\n   initial temperature 318.15 ;\n\n"
      "output:\n   Tflp ( EDGENPU, \"temperatures.txt\", average, slot ) ;\n",
      e.width * 1e6, e.height * 1e6, e.width * 1e6 / 64, e.height * 1e6 / 64, slot / 10, slot);
}

}  // namespace edgenpu::report
