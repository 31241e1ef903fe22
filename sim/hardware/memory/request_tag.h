// What a payload carries beyond TLM's generic fields: for which operator it moves data. Memory that does not
// know the extension ignores it; a payload without it is charged to operator 0.
#pragma once

#include <tlm>

#include "activity/operators.h"

namespace edgenpu::hardware {

struct RequestTag : tlm::tlm_extension<RequestTag> {
  activity::OperatorId op{0};

  tlm::tlm_extension_base* clone() const override { return new RequestTag(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    op = static_cast<const RequestTag&>(other).op;
  }
};

}  // namespace edgenpu::hardware
