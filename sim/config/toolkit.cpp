#include "config/toolkit.h"

#include "config/known_names.h"
#include "config/reader.h"
#include "vocabulary/mixtures.h"

namespace edgenpu::config {

std::optional<Toolkit> read_toolkit(const Value& tree, Diagnostics& out) {
  const Value* section = tree.find("toolkit");
  if (!section) return std::nullopt;
  MapReader r(*section, out, "'toolkit'", Provenance::optional);
  Toolkit toolkit;
  toolkit.runtime = r.text("runtime");
  std::vector<std::string> names;
  if (const Value* list = r.list("quants")) {
    for (const Value& quant : list->items()) {
      if (!quant.is_scalar()) out.add(quant.position(), "a quantisation is a name; found " + describe(quant));
      check_name(quant.text(), quant.position(), "quantisation", vocabulary::mixture_names(), out);
      names.push_back(quant.text());
    }
    toolkit.quants = list->items();
  }
  toolkit.fallback = names.empty() ? r.text("default") : names[r.choice("default", names)];
  r.finish();
  const Value* running = find_path(tree, "runtime.name");
  if (!running || running->text() != toolkit.runtime) return std::nullopt;
  return toolkit;
}

}  // namespace edgenpu::config
