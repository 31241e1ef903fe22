// What a description of an NPU is read for beside its formats: small steps, as it is; with little in flight, narrow
// wires and attention in blocks of keys; with the chip's CPU doing all that it can.
#pragma once

#include "simulate/leaf_probes.h"

namespace edgenpu::test {

inline std::vector<Probe> npu_probes(const ToySteps& steps, const Value& tree) {
  const char* scarce =
      "{scratchpad: {size: 32 KiB}, dma: {outstanding: 4}, interconnect: {width: 4 B/cycle}, placement: "
      "{cpu: []}}";
  // Cores that hardly wait for the scratchpad.
  const char* placed =
      "{scratchpad: {size: 32 KiB}, cpu: {latency: 1 ns, outstanding: 64}, placement: {cpu: ['*']}}";
  const Probe plain = steps.of("plain", toy_trace(tree, {false, false, "f16", 20, 1}));
  // More cached keys than have room for their scores in 32 KiB.
  const Probe rotary = steps.of("rotary", toy_trace(tree, {false, false, "f16", 700, 1})),
              classic = steps.of("classic_1", toy_trace(tree, {true, false, "q8_0", 20, 1}));
  return {plain,
          facts_of,
          with(rotary, scarce),
          with(rotary, placed),
          with(classic, scarce),
          with(classic, placed),
          steps.of("prefill_1", toy_trace(tree, {false, true, "f16", 24, 1}))};
}

}  // namespace edgenpu::test
