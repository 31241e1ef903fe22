#include "config/set_once.h"

#include "base/error.h"

namespace edgenpu::config {

void refuse_set_twice(const std::vector<std::string>& assignments) {
  const auto path_of = [](const std::string& a) { return a.substr(0, a.find('=')); };
  Diagnostics out;
  for (std::size_t i = 0; i < assignments.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const std::string one = path_of(assignments[j]), two = path_of(assignments[i]);
      const std::string& shorter = one.size() < two.size() ? one : two;
      const std::string& longer = one.size() < two.size() ? two : one;
      const bool within =
          longer.rfind(shorter, 0) == 0 && (longer.size() == shorter.size() || longer[shorter.size()] == '.');
      if (within)
        out.add(Position{"--set " + assignments[i]},
                one == two ? "'" + one + "' is set already, by --set " + assignments[j] + "; one is allowed"
                           : "'" + shorter + "' holds '" + longer + "', which --set " + assignments[j] +
                                 " sets already; one of the two is allowed");
    }
  out.throw_if_any();
}

}  // namespace edgenpu::config
