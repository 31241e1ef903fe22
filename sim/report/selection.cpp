#include "report/selection.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "report/numbers.h"
#include "report/table.h"

namespace edgenpu::report {

namespace {

using result::PublishedStep;
using result::SelectionFigures;
using result::SelectionMap;
using Align = TextTable::Align;

std::string chosen(const SelectionMap& map, std::size_t limit, std::size_t model) {
  const int p = map.best[limit][model];
  return p < 0 ? "cloud" : map.platforms[static_cast<std::size_t>(p)];
}

// What the article's tree says: up to 1B an Arm CPU; 1 to 7B the NPU within 50 ms, else the GPU; beyond, the
// cloud.
std::string tree(double parameters, double limit_ms) {
  if (parameters <= 1.05e9) return "ARM CPU";
  if (parameters >= 7e9) return "cloud";
  return limit_ms <= 50 ? "NPU" : "GPU";
}

std::string rates_text(const SelectionMap& map) {
  std::vector<TextTable::Column> columns = {{"platform", Align::left}, {"figure", Align::left}};
  for (const std::string& m : map.models) columns.push_back({m});
  TextTable t(columns);
  const auto add = [&](std::size_t p, const char* figure, double SelectionFigures::*member) {
    std::vector<std::string> row = {map.platforms[p], figure};
    for (const Outcome<SelectionFigures>& c : map.cells[p])
      row.push_back(c ? significant((*c).*member) : "-");
    t.add(row);
  };
  for (std::size_t p = 0; p < map.platforms.size(); ++p) {
    add(p, "tokens/s", &SelectionFigures::tokens_per_s);
    add(p, "ms/token", &SelectionFigures::ms_per_token);
    add(p, "J/token", &SelectionFigures::J_per_token);
    add(p, "W", &SelectionFigures::power_W);
    add(p, "EDP J s", &SelectionFigures::edp_J_s);
  }
  return t.text();
}

std::string choices_text(const SelectionMap& map) {
  std::vector<TextTable::Column> columns = {{"limit, ms/token", Align::left}};
  for (const std::string& m : map.models) columns.push_back({m, Align::left});
  TextTable t(columns);
  for (std::size_t l = 0; l < map.limits_ms.size(); ++l) {
    std::vector<std::string> ours = {fmt::format("{:g}", map.limits_ms[l])}, article = {"  article's tree"};
    for (std::size_t m = 0; m < map.models.size(); ++m) {
      ours.push_back(chosen(map, l, m));
      article.push_back(tree(map.parameters[m], map.limits_ms[l]));
    }
    t.add(ours);
    t.add(article);
  }
  return t.text();
}

const char* kColours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759",
                          "#76b7b2", "#edc948", "#b07aa1", "#9c755f"};

std::string rectangle(double x, double y, double w, double h, const std::string& fill) {
  return fmt::format(
      "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" fill=\"{}\" stroke=\"white\"/>\n",
      x, y, w, h, fill);
}

std::string label(double x, double y, const std::string& text, const char* anchor = "middle") {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     xml_text(one_line(text)));
}

}  // namespace

std::string text(const SelectionMap& map) {
  return fmt::format(
      "decode, {}, {} tokens cached; '-': does not fit\n\n{}\nleast energy-delay product within {:g} W\n\n{}",
      map.quant, map.context, rates_text(map), map.power_limit_W, choices_text(map));
}

result::Table table(const SelectionMap& map) {
  result::Table t{{"limit_ms", "model", "parameters", "platform", "article_tree", "tokens_per_s",
                   "ms_per_token", "J_per_token", "power_W", "edp_J_s"},
                  {}};
  for (std::size_t l = 0; l < map.limits_ms.size(); ++l)
    for (std::size_t m = 0; m < map.models.size(); ++m) {
      std::vector<result::Cell> row = {map.limits_ms[l], map.models[m], map.parameters[m], chosen(map, l, m),
                                       tree(map.parameters[m], map.limits_ms[l])};
      const int p = map.best[l][m];
      if (p >= 0) {
        const SelectionFigures& c = *map.cells[static_cast<std::size_t>(p)][m];
        row.insert(row.end(), {c.tokens_per_s, c.ms_per_token, c.J_per_token, c.power_W, c.edp_J_s});
      } else {
        row.resize(t.columns.size());
      }
      t.rows.push_back(std::move(row));
    }
  return t;
}

std::string svg(const SelectionMap& map) {
  constexpr double kLeft = 90, kTop = 60, kHeight = 44, kCharacter = 6;
  std::size_t longest = 0;
  for (const std::string& name : map.platforms) longest = std::max(longest, name.size());
  const double cell = std::max(96.0, kCharacter * static_cast<double>(longest + 2));
  const double width = kLeft + cell * static_cast<double>(map.models.size()) + 20;
  const double rows = static_cast<double>(map.limits_ms.size());
  const double height = kTop + kHeight * rows + 60 + 18 * static_cast<double>(map.platforms.size());
  std::string s = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  s += label(
      kLeft, 20,
      fmt::format("Least energy-delay product within {:g} W; {}, {} tokens cached. Small: the article's tree",
                  map.power_limit_W, map.quant, map.context),
      "start");
  for (std::size_t m = 0; m < map.models.size(); ++m)
    s += label(kLeft + cell * (static_cast<double>(m) + 0.5), kTop - 8, map.models[m]);
  for (std::size_t l = 0; l < map.limits_ms.size(); ++l) {
    const double y = kTop + kHeight * static_cast<double>(l);
    s += label(kLeft - 8, y + kHeight / 2, fmt::format("{:g} ms", map.limits_ms[l]), "end");
    for (std::size_t m = 0; m < map.models.size(); ++m) {
      const double x = kLeft + cell * static_cast<double>(m);
      const int p = map.best[l][m];
      s += rectangle(x, y, cell, kHeight, p < 0 ? "#cccccc" : kColours[static_cast<std::size_t>(p) % 8]);
      s += label(x + cell / 2, y + kHeight / 2, chosen(map, l, m));
      s += fmt::format(
          "<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\" font-size=\"8\" fill=\"#333\">{}</text>\n",
          x + cell / 2, y + kHeight - 5, tree(map.parameters[m], map.limits_ms[l]));
    }
  }
  for (std::size_t p = 0; p < map.platforms.size(); ++p) {
    const double y = kTop + kHeight * rows + 20 + 18 * static_cast<double>(p);
    s += rectangle(kLeft, y, 12, 12, kColours[p % 8]) + label(kLeft + 18, y + 10, map.platforms[p], "start");
  }
  return s + "</svg>\n";
}

std::string text(const std::vector<PublishedStep>& explanations) {
  TextTable t({{"platform", Align::left},
               {"published tokens/s"},
               {"would hold for", Align::left},
               {"simulated"},
               {"off"}});
  for (const PublishedStep& e : explanations)
    t.add({e.platform, significant(e.published), fmt::format("{} {}, batch {}", e.model, e.quant, e.batch),
           significant(e.simulated), fmt::format("{:+.0f} %", (e.simulated / e.published - 1) * 100)});
  return "Under which model, quantisation and batch each published rate would hold (simulated within 15 %, "
         "or the nearest)\n" +
         t.text();
}

}  // namespace edgenpu::report
