#include "base/sanitizer_stack.h"

#include <cstddef>
#include <pthread.h>

// Of the sanitizer's runtime; null without it.
extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                                          std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* fake_stack, const void** old_bottom,
                                                           std::size_t* old_size);
}

namespace edgenpu {

void announce_main_stack() {
  if (!__sanitizer_start_switch_fiber || !__sanitizer_finish_switch_fiber) return;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* bottom = nullptr;
  std::size_t size = 0;
  ::pthread_attr_getstack(&attributes, &bottom, &size);
  ::pthread_attr_destroy(&attributes);
  const char here = 0;
  const auto* first = static_cast<const char*>(bottom);
  if (&here < first || &here >= first + size) return;
  __sanitizer_start_switch_fiber(nullptr, bottom, size);
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
}

}  // namespace edgenpu
