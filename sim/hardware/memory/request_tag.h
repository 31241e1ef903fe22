// What travels with a memory request beside address and length: the operator that it is for. A memory that
// does not know the tag may ignore it; a request without one is charged to operator 0.
#pragma once

#include <tlm>

#include "activity/operators.h"

namespace edgenpu::hardware {

struct RequestTag : tlm::tlm_extension<RequestTag> {
  activity::OperatorId op{0};
  bool background = false;  // not for the step: charged to the operator that the memory serves
  std::int32_t owner = -1;  // free for the initiator: which of its descriptors the request belongs to

  tlm_extension_base* clone() const override { return new RequestTag(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const RequestTag&>(other); }
};

}  // namespace edgenpu::hardware
