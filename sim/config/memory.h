// A DRAM memory system, resolved: geometry, address mapping, timings in command clocks, controller.
//
// Modelled: identical channels; a channel has ranks of bank groups of banks; a controller per channel.
// Timings are given in YAML as times or as clocks ("18 ns", "15 CK"); a time becomes ceil(time x clock)
// clocks, exactly, with the clock held in Hz, so that a period that is no whole number of picoseconds does
// not drift. Left out: dies with different timings on one channel, DBI and ECC bursts.
//
// The die density, and with it the refresh time, follows from the capacity: a rank of a channel holds
// channel_bits / device_bits dies; the smallest listed density that holds their share is taken.
//
// Errors are reported to Diagnostics with position: unknown keys, missing sources, timings that contradict
// each other (tRC < tRAS + tRP, tREFI <= tRFC), mappings that are no bijection, capacities that no die
// offers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/mean_clocks.h"

namespace edgenpu::config {

class Value;

enum class DramStandard { lpddr4, lpddr5, ddr4, ddr5 };
enum class RefreshMode { ab, pb, none };
enum class PagePolicy { open, closed, timeout };

// In command clocks (CK). Names are the standard's; JESD209-5B for LPDDR5, JESD209-4 for LPDDR4, JESD79-4 and
// -5.
struct DramTimings {
  Cycles BL;      // data bus time of one burst: BL/n_min
  Cycles BL_max;  // BL/n_max: what tWTR_L counts from
  Cycles RL, WL;
  Cycles tRCD, tRPpb, tRPab, tRAS, tRC;
  Cycles tRRD_S, tRRD_L, tFAW;
  Cycles tCCD_S, tCCD_L;
  Cycles tWR, tRTP, tWTR_S, tWTR_L;
  Cycles tRTW;  // read command to write command
  Cycles tPPD;
  Cycles tAAD;         // ACT-1 to ACT-2 at most
  Cycles tRANK;        // bubble on the data bus when another rank takes over
  MeanClocks tREFI;    // between all-bank refreshes
  MeanClocks tREFIpb;  // between per-bank refreshes (any bank)
  Cycles tRFCab, tRFCpb;
  Cycles tpbR2pbR, tpbR2act;
  Cycles tWCKPST;  // WCK runs on after a burst; LPDDR5 only
  Cycles tXP, tXSR;
};

// Slots (CK) of the command bus that a command takes. act2 = 0: one activate command does it all.
struct CommandSlots {
  int act1 = 1, act2 = 0, column = 1, precharge = 1, refresh = 1;
};

struct ControllerConfig {
  std::int64_t read_queue = 64,
               write_queue = 64;  // slots; a slot holds the bursts of one row of at most slot_bytes
  Bytes slot_bytes{64};
  // Bursts: a group of writes starts at write_high, or, if it would close rows that reads wait for, at
  // write_max; it stops at write_low.
  std::int64_t write_high = 16, write_max = 40, write_low = 0;
  Cycles write_age{1000};       // a write that has waited so long starts a group
  std::int64_t port_queue = 8;  // payloads accepted per master and channel
  PagePolicy page_policy = PagePolicy::open;
  Cycles page_timeout{0};
  std::int64_t postpone = 0;  // refreshes that may be owed
  Cycles starvation{0};       // a request older than this is no longer overtaken in its bank
  Cycles power_down_after{0}, self_refresh_after{0};  // 0: never
  Femtoseconds latency{0};                            // controller, added to each response
  Femtoseconds fabric_latency{0};                     // interconnect, added to each response
};

// One field of the address mapping, above the burst. A row, a column and a bank (with its group and rank) are
// put together from at most kMostFields each.
inline constexpr int kMostFields = 12;
struct MappingField {
  enum class Kind { row, rank, bank, group, column } kind;
  int bits = 0;
  bool xor_row = false;  // the field is XORed with low row bits
};

// What other masters of the chip read all the time: the display's controller, the operating system.
struct BackgroundTraffic {
  BytesPerSecond bandwidth{0};  // 0: none
  Bytes request{1024};          // lies within a granule
};

struct Memory {
  std::string name;
  DramStandard standard = DramStandard::lpddr5;
  bool confirmed = true;
  int channels = 1, channel_bits = 16, device_bits = 16, ranks = 1;
  int bank_groups = 4, banks_per_group = 4;
  int burst_length = 16;
  int beats_per_clock = 8;
  Hertz clock{800'000'000};
  Bytes capacity{0};  // all channels
  Bytes interleave{8192};
  Bytes page{2048};  // one row of one bank over the channel's width
  Bytes reserve{0};  // not available to a model
  std::int64_t rows = 0;
  std::vector<MappingField> mapping;  // from the most significant field; bits filled in
  RefreshMode refresh = RefreshMode::ab;
  bool ideal = false;
  bool row_cost = true;
  bool wck_sync = false;  // a column command after WCK has stopped needs a CAS slot before it
  DramTimings t;
  CommandSlots slots;
  ControllerConfig controller;
  BackgroundTraffic background;

  Hertz data_rate() const { return Hertz(clock.count() * beats_per_clock); }
  BytesPerSecond peak() const;          // all channels
  BytesPerSecond channel_peak() const;  // one channel
  Bytes burst_bytes() const { return Bytes(std::int64_t{burst_length} * channel_bits / 8); }
  Bytes channel_capacity() const { return Bytes(capacity.count() / channels); }
  int banks() const { return bank_groups * banks_per_group; }  // of a rank
  std::int64_t bursts_per_row() const { return page / burst_bytes(); }
  std::string mapping_text() const;
  // Share of time that refresh takes from the data bus at best: all-bank refresh stops the rank for tRFCab of
  // every tREFI; during a per-bank refresh the other banks go on, so the bound there is 0.
  double refresh_loss() const;
};

// Reads the merged `memory:` section of a hardware tree.
Memory read_memory(const Value& section, Diagnostics& out);

// "row16,bank2,col5,bg2,col1" or a reference name (RoBaCoBgCo, RoBaCoBg, RoBaBgCo, RoCoBaBg, RoBaCo, RoCoBa).
// A field without a number takes the bits of its kind that the others leave; `^row` after bank or bg XORs it
// with row bits. Errors go to `out`. `memory` has everything but the mapping.
std::vector<MappingField> parse_mapping(const std::string& text, const Memory& memory,
                                        const Position& position, Diagnostics& out);

}  // namespace edgenpu::config
