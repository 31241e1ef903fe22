#include "sweep/settings.h"

#include <fmt/format.h>

#include "sweep/findings.h"

namespace edgenpu::sweep {

namespace {

struct Setting {
  std::string path, what;
  Position where;
  bool fixed = false;         // one value for all points
  bool command_line = false;  // --set
};

std::vector<Setting> settings_of(const Study& study) {
  std::vector<Setting> all;
  for (const config::Override& o : study.base) {
    const bool command_line = o.value.position().source.rfind("--set", 0) == 0;
    all.push_back({o.path, "a value for all points", o.value.position(), true, command_line});
  }
  for (const Group& g : study.groups)
    for (std::size_t i = 0; i < g.paths.size(); ++i) all.push_back({g.paths[i], "an axis", g.positions[i]});
  for (const Formula& f : study.derive) all.push_back({f.path, "a derived value", f.where});
  return all;
}

bool is_part(const std::string& whole, const std::string& part) {
  return part.size() > whole.size() && part.compare(0, whole.size(), whole) == 0 && part[whole.size()] == '.';
}

std::string together(const Setting& a, const Setting& b) {
  if (a.path == b.path)
    return fmt::format("'{}' is set here and, as {}, at {}", b.path, a.what, to_string(a.where));
  return fmt::format("'{}' is set here and '{}', {} it, as {}, at {}", b.path, a.path,
                     is_part(a.path, b.path) ? "which contains" : "a part of", a.what, to_string(a.where));
}

}  // namespace

std::vector<std::string> check_settings(const Study& study) {
  const std::vector<Setting> all = settings_of(study);
  std::vector<std::string> notes;
  Findings findings;
  for (std::size_t j = 0; j < all.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const Setting &a = all[i], &b = all[j];
      if (a.path != b.path && !is_part(a.path, b.path) && !is_part(b.path, a.path)) continue;
      if (a.path == b.path && a.fixed && b.command_line && !a.command_line) {
        notes.push_back(fmt::format("{}: replaces the value of '{}' at {}", to_string(b.where), b.path,
                                    to_string(a.where)));
      } else {
        findings.add(InputError(b.where, together(a, b) + "; leave one of them out"));
      }
    }
  }
  findings.throw_if_any();
  return notes;
}

}  // namespace edgenpu::sweep
