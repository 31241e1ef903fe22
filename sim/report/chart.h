// Pictures as SVG text: no scripts, no fonts or files from elsewhere, readable in a browser and on paper.
//
// Colours are chosen to be told apart by colour-blind readers (Okabe and Ito's set) and in the order of the
// series; text is in a grey that both light and dark pages show.
#pragma once

#include <string>
#include <vector>

namespace edgenpu::report {

struct Series {
  std::string name;
  std::vector<double> values;
};

// Areas stacked over x = 0 .. x_end, each value holding for its equal share of it.
std::string stacked_area(const std::string& title, const std::string& x_label, double x_end,
                         const std::string& y_label, const std::vector<Series>& series);

// One bar a category, of the series stacked; values are shares of 1.
std::string stacked_bars(const std::string& title, const std::vector<std::string>& categories,
                         const std::vector<Series>& series);

struct Swing {
  std::string name;
  double low = 0, high = 0;  // the result with the input at its low and its high end
};

// Bars from low to high around `base`, in the order given.
std::string tornado(const std::string& title, const std::string& unit, double base,
                    const std::vector<Swing>& swings);

}  // namespace edgenpu::report
