#include "config/known_names.h"

#include <algorithm>

#include "base/suggest.h"

namespace edgenpu::config {

void check_name(const std::string& name, const Position& where, const std::string& what,
                const std::vector<std::string>& known, Diagnostics& out) {
  if (std::find(known.begin(), known.end(), name) == known.end())
    out.add(where,
            "'" + name + "' is no " + what + "; there are: " + join(known) + did_you_mean(name, known));
}

void check_keys(const Value& map, const std::string& what, const std::vector<std::string>& known,
                Diagnostics& out) {
  for (const Value::Entry& e : map.entries())
    if (e.key != "source") check_name(e.key, e.key_position, what, known, out);
}

}  // namespace edgenpu::config
