#include "report/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "report/numbers.h"

namespace edgenpu::report {

namespace {

constexpr std::array<const char*, 12> kColours = {"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                                  "#56B4E9", "#D55E00", "#F0E442", "#999999",
                                                  "#004466", "#8C6100", "#006048", "#7A4864"};
constexpr const char* kInk = "#666";
constexpr double kWidth = 900, kLeft = 70, kRight = 20, kTop = 40, kLine = 18;

std::string label(double x, double y, const std::string& text, const char* anchor = "start", int size = 12) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
                     anchor, size, xml_text(one_line(text)));
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"0.5\"/>\n",
      x1, y1, x2, y2, kInk);
}

std::string box(double x, double y, double width, double height, const char* colour) {
  return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x,
                     y, std::max(0.0, width), std::max(0.0, height), colour);
}

const char* colour(std::size_t i) {
  return kColours[i % kColours.size()];
}

std::string picture(double height, const std::string& title, const std::string& body) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
             "font-family=\"sans-serif\" fill=\"{}\">\n",
             kWidth, height, kInk) +
         label(kLeft, 22, title, "start", 15) + body + "</svg>\n";
}

// Names with their colours, as many to a row as fit; returns the height used.
std::string legend(const std::vector<Series>& series, double y, double& height) {
  std::string text;
  double x = kLeft;
  height = kLine;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double width = 26 + 7.2 * static_cast<double>(series[i].name.size());
    if (x + width > kWidth - kRight && x > kLeft) {
      x = kLeft;
      height += kLine;
    }
    text += box(x, y + height - kLine, 11, 11, colour(i)) +
            label(x + 16, y + height - kLine + 10, series[i].name);
    x += width;
  }
  return text;
}

// 1, 2 or 5 times a power of ten, about a fifth of `range`.
double tick(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 5)));
  for (const double k : {1.0, 2.0, 5.0})
    if (range / (k * power) <= 6) return k * power;
  return 10 * power;
}

std::string ticks(double end, double low_pixel, double high_pixel, bool vertical, double across_from,
                  double across_to) {
  std::string text;
  const double step = tick(end);
  for (double v = 0; v <= end * 1.0001; v += step) {
    const double at = low_pixel + (high_pixel - low_pixel) * v / end;
    if (vertical)
      text += line(across_from, at, across_to, at) +
              label(across_from - 6, at + 4, fmt::format("{:g}", v), "end");
    else
      text += label(at, across_from + 16, fmt::format("{:g}", v), "middle");
  }
  return text;
}

}  // namespace

std::string stacked_area(const std::string& title, const std::string& x_label, double x_end,
                         const std::string& y_label, const std::vector<Series>& series) {
  constexpr double height = 300;
  const std::size_t n = series.empty() ? 0 : series.front().values.size();
  std::vector<double> below(n, 0), sums(n, 0);
  for (const Series& s : series)
    for (std::size_t i = 0; i < n; ++i) sums[i] += s.values[i];
  const double most = n > 0 ? std::max(1e-12, 1.05 * *std::max_element(sums.begin(), sums.end())) : 1;
  const double bottom = kTop + height, right = kWidth - kRight;
  const auto x = [&](std::size_t i) {
    return kLeft +
           (right - kLeft) * static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(n, 1));
  };
  const auto y = [&](double v) { return bottom - height * v / most; };
  std::string body = ticks(most, bottom, kTop, true, kLeft, right);
  for (std::size_t s = 0; s < series.size(); ++s) {
    std::string up, down;
    for (std::size_t i = 0; i < n; ++i) {
      const double low = y(below[i]);
      below[i] += series[s].values[i];
      const double high = y(below[i]);
      up += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x(i), high, x(i + 1), high);
      down = fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x(i + 1), low, x(i), low) + down;
    }
    body += fmt::format("<polygon points=\"{}{}\" fill=\"{}\"/>\n", up, down, colour(s));
  }
  body += ticks(x_end, kLeft, right, false, bottom, 0);
  body += label(right, bottom + 34, x_label, "end") + label(8, kTop - 6, y_label);
  double used = 0;
  body += legend(series, bottom + 42, used);
  return picture(bottom + 50 + used, title, body);
}

std::string stacked_bars(const std::string& title, const std::vector<std::string>& categories,
                         const std::vector<Series>& series) {
  constexpr double bar = 22, gap = 10, names = 210;
  const double right = kWidth - kRight;
  std::string body;
  double y = kTop;
  for (std::size_t c = 0; c < categories.size(); ++c, y += bar + gap) {
    body += label(names - 8, y + 15, categories[c], "end");
    double x = names;
    for (std::size_t s = 0; s < series.size(); ++s) {
      const double width = (right - names) * series[s].values[c];
      body += box(x, y, width, bar, colour(s));
      if (width > 42)
        body += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"12\" "
            "fill=\"#fff\">{:.0f} %</text>\n",
            x + width / 2, y + 15, 100 * series[s].values[c]);
      x += width;
    }
  }
  double used = 0;
  body += legend(series, y + 6, used);
  return picture(y + 14 + used, title, body);
}

std::string tornado(const std::string& title, const std::string& unit, double base,
                    const std::vector<Swing>& swings) {
  constexpr double bar = 18, gap = 8, names = 330;
  const double right = kWidth - 70;
  double low = base, high = base;
  for (const Swing& s : swings) {
    low = std::min({low, s.low, s.high});
    high = std::max({high, s.low, s.high});
  }
  if (high <= low) high = low + 1;
  const auto x = [&](double v) { return names + 60 + (right - names - 60) * (v - low) / (high - low); };
  std::string body;
  double y = kTop + 14;
  for (const Swing& s : swings) {
    body += label(names - 8, y + 13, s.name, "end");
    const double from = std::min(s.low, base), to = std::max(s.high, base);
    body += box(x(std::min(from, s.high)), y, x(base) - x(std::min(from, s.high)), bar, colour(0));
    body += box(x(base), y, x(std::max(to, s.low)) - x(base), bar, colour(1));
    body += label(x(std::min(s.low, s.high)) - 4, y + 13, significant(std::min(s.low, s.high)), "end", 11);
    body += label(x(std::max(s.low, s.high)) + 4, y + 13, significant(std::max(s.low, s.high)), "start", 11);
    y += bar + gap;
  }
  body += line(x(base), kTop, x(base), y);
  body += label(x(base), kTop + 6, fmt::format("{} {}", significant(base), unit), "middle");
  return picture(y + 10, title, body);
}

}  // namespace edgenpu::report
