#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "report/numbers.h"
#include "report/validation.h"

namespace edgenpu::report {

namespace {

using result::Validation;
using result::ValidationRow;

constexpr double kLeft = 60, kTop = 40, kSize = 480;

// A square of decades that holds everything.
struct Axes {
  double low = 0, high = 1;  // log10

  double x(double v) const { return kLeft + (std::log10(v) - low) / (high - low) * kSize; }
  double y(double v) const { return kTop + kSize - (std::log10(v) - low) / (high - low) * kSize; }
};

Axes axes_of(const std::vector<const ValidationRow*>& rows) {
  double least = 1e300, most = 0;
  for (const ValidationRow* v : rows) {
    least = std::min({least, v->measured, *v->simulated});
    most = std::max({most, v->measured, *v->simulated});
  }
  return {std::log10(least) - 0.1, std::log10(most) + 0.1};
}

const char* colour_of(const std::string& device_class) {
  if (device_class == "cpu") return "#1f77b4";
  return device_class == "gpu" ? "#2ca02c" : "#d62728";
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     style);
}

// Ticks at 1, 2 and 5 of each decade.
std::string grid(const Axes& a) {
  std::string svg;
  for (int decade = static_cast<int>(std::floor(a.low)); decade <= std::ceil(a.high); ++decade)
    for (const int m : {1, 2, 5}) {
      const double v = m * std::pow(10.0, decade);
      if (std::log10(v) < a.low || std::log10(v) > a.high) continue;
      svg += line(a.x(v), kTop, a.x(v), kTop + kSize, "stroke=\"#eee\"");
      svg += line(kLeft, a.y(v), kLeft + kSize, a.y(v), "stroke=\"#eee\"");
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n", a.x(v),
                         kTop + kSize + 16, v);
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", kLeft - 6,
                         a.y(v) + 4, v);
    }
  return svg;
}

// Equality, and a factor on both sides.
std::string diagonals(const Axes& a) {
  const double low = std::pow(10, a.low), high = std::pow(10, a.high);
  std::string svg = line(a.x(low), a.y(low), a.x(high), a.y(high), "stroke=\"#333\"");
  constexpr double kBand = 1.2;
  svg += line(a.x(low * kBand), a.y(low), a.x(high), a.y(high / kBand),
              "stroke=\"#999\" stroke-dasharray=\"4 4\"");
  svg += line(a.x(low), a.y(low * kBand), a.x(high / kBand), a.y(high),
              "stroke=\"#999\" stroke-dasharray=\"4 4\"");
  return svg;
}

}  // namespace

std::string scatter_svg(const Validation& all, const std::string& metric, const std::string& title) {
  std::vector<const ValidationRow*> rows;
  for (const ValidationRow& v : all.rows)
    if (v.metric == metric && v.simulated && *v.simulated > 0) rows.push_back(&v);
  const double width = kLeft + kSize + 30, height = kTop + kSize + 50;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  svg += fmt::format("<text x=\"{:.0f}\" y=\"24\" font-size=\"14\">{}</text>\n", kLeft, xml_text(title));
  if (!rows.empty()) {
    const Axes a = axes_of(rows);
    svg += grid(a) + diagonals(a);
    for (const ValidationRow* v : rows)
      svg += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\" fill-opacity=\"0.65\">"
          "<title>{}: measured {}, simulated {}</title></circle>\n",
          a.x(v->measured), a.y(*v->simulated), colour_of(v->device_class), xml_text(v->id),
          significant(v->measured), significant(*v->simulated));
  }
  double x = kLeft + 10;
  for (const char* c : {"cpu", "gpu", "npu"}) {
    svg += fmt::format(
        "<circle cx=\"{:.0f}\" cy=\"{:.0f}\" r=\"4\" fill=\"{}\"/><text x=\"{:.0f}\" "
        "y=\"{:.0f}\">{}</text>\n",
        x, kTop + 14, colour_of(c), x + 8, kTop + 18, c);
    x += 50;
  }
  svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">measured</text>\n",
                     kLeft + kSize / 2, kTop + kSize + 36);
  svg += fmt::format(
      "<text x=\"16\" y=\"{0:.0f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 "
      "{0:.0f})\">simulated</text>\n",
      kTop + kSize / 2);
  return svg + "</svg>\n";
}

}  // namespace edgenpu::report
