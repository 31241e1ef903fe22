#include "hardware/memory/page_policy.h"

namespace edgenpu::hardware {

namespace {

// Closed: as soon as its last column command has gone. Timeout: after some cycles without one.
class CloseAfter final : public PagePolicy {
 public:
  explicit CloseAfter(Cycles unused) : unused_(unused.count()) {}
  std::int64_t close_from(int, const DramState::Bank& state) const override {
    return state.last_use() + unused_;
  }

 private:
  std::int64_t unused_;
};

}  // namespace

std::unique_ptr<PagePolicy> make_page_policy(const config::Memory& memory) {
  if (!memory.row_cost) return nullptr;
  switch (memory.controller.page_policy) {
    case config::PagePolicy::open:
      return nullptr;
    case config::PagePolicy::closed:
      return std::make_unique<CloseAfter>(Cycles(0));
    case config::PagePolicy::timeout:
      return std::make_unique<CloseAfter>(memory.controller.page_timeout);
  }
  return nullptr;
}

}  // namespace edgenpu::hardware
