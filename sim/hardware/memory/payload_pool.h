// Recycles TLM payloads and their tags, so that a run of any length allocates no more than are in flight at
// once.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

#include "hardware/memory/request_tag.h"

namespace edgenpu::hardware {

class PayloadPool : public tlm::tlm_mm_interface {
 public:
  // A payload with one reference and a tag attached; release() returns it.
  tlm::tlm_generic_payload* get() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      tags_.push_back(std::make_unique<RequestTag>());
      all_.back()->set_extension(tags_.back().get());
      free_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload* payload = free_.back();
    free_.pop_back();
    payload->acquire();
    payload->set_data_ptr(nullptr);
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload;
  }
  // The tag stays attached: tlm_generic_payload::reset would drop automatic extensions only.
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

  ~PayloadPool() override {
    for (auto& payload : all_) payload->clear_extension<RequestTag>();
  }

 private:
  std::vector<std::unique_ptr<RequestTag>> tags_;
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

inline RequestTag& tag_of(tlm::tlm_generic_payload& payload) {
  return *payload.get_extension<RequestTag>();
}

}  // namespace edgenpu::hardware
