// The window of a channel alone: what is in it, and which of it hits.
#include "hardware/memory/request_window.h"

#include <gtest/gtest.h>

#include "hardware/memory/memory_fixture.h"
#include "hardware/memory/write_groups.h"

namespace edgenpu::hardware {
namespace {

struct Window {
  explicit Window(const std::vector<std::string>& set = {}, int masters = 1)
      : memory(load_memory("lpddr5-6400", set)), ports(masters, memory.controller.port_queue) {}

  std::int64_t burst(int bank, std::int64_t row, std::int64_t column = 0) const {
    timing::DramAddress a;
    a.bank = bank % memory.banks_per_group;
    a.group = bank / memory.banks_per_group;
    a.row = row;
    a.column = column;
    return map.encode(a);
  }
  void ask(std::int64_t burst, bool write = false, int port = 0, bool urgent = false) {
    ChannelRequest r;
    r.port = port;
    r.write = write;
    r.urgent = urgent;
    r.burst = burst;
    ports.accept(0, r);
  }
  void open(int bank, std::int64_t row) {
    state.issue(timing::Command::act1, bank, 100, row);
    window.find_hits(bank);
  }
  // The order in which the hit came; kNone without one.
  std::int64_t hit(int direction, int bank) const {
    const std::int32_t index = window.queue(direction, bank).hit;
    return index == kNone ? kNone : window.slot(index).order;
  }

  config::Memory memory;
  timing::AddressMap map{memory};
  DramState state{memory};
  RequestPorts ports;
  RequestWindow window{memory, map, state, ports};
};

TEST(RequestWindow, HitsAreTheOldestRequestsForTheOpenRowOfEachBankAndDirection) {
  Window w;
  w.ask(w.burst(3, 1));
  w.ask(w.burst(3, 2));
  w.ask(w.burst(3, 2, 4));
  w.ask(w.burst(3, 2, 8), true);
  w.ask(w.burst(5, 2));
  w.window.fill(1);
  EXPECT_EQ(w.window.hits(0) | w.window.hits(1), 0u) << "no row is open";
  EXPECT_EQ(w.window.waiting(0), 1u << 3 | 1u << 5);
  EXPECT_EQ(w.window.waiting(1), 1u << 3);
  w.open(3, 2);
  EXPECT_EQ(w.window.hits(0), 1u << 3);
  EXPECT_EQ(w.hit(0, 3), 1);
  EXPECT_EQ(w.hit(1, 3), 3);
  EXPECT_EQ(w.hit(0, 5), kNone);
}

TEST(RequestWindow, TheNextHitTakesTheServedOnesPlaceUntilTheRowIsWantedNoMore) {
  Window w;
  w.ask(w.burst(3, 1));
  w.ask(w.burst(3, 2));
  w.ask(w.burst(3, 2, 4));
  w.window.fill(1);
  w.open(3, 2);
  EXPECT_TRUE(w.window.serve(w.window.queue(0, 3).hit));
  EXPECT_EQ(w.hit(0, 3), 2);
  EXPECT_TRUE(w.window.serve(w.window.queue(0, 3).hit));
  EXPECT_EQ(w.hit(0, 3), kNone);
  EXPECT_EQ(w.window.hits(0), 0u);
  EXPECT_EQ(w.window.size(), 1) << "the request for row 1 waits on";
  EXPECT_EQ(w.window.queue(0, 3).head_order, 0);
}

TEST(RequestWindow, ARequestThatComesForAnOpenRowIsAHitAtOnce) {
  Window w;
  w.open(3, 2);
  w.ask(w.burst(3, 2));
  w.window.fill(1);
  EXPECT_EQ(w.hit(0, 3), 0);
}

TEST(RequestWindow, PortsTakeTurnsAndTheUrgentOneGoesFirst) {
  Window w({}, 3);
  for (const int bank : {0, 1}) w.ask(w.burst(bank, 1), false, 0);
  for (const int bank : {2, 3}) w.ask(w.burst(bank, 1), false, 1);
  for (const int bank : {4, 5}) w.ask(w.burst(bank, 1), false, 2, true);
  w.window.fill(1);
  const int expected[] = {4, 5, 0, 2, 1, 3};
  for (int order = 0; order < 6; ++order) EXPECT_EQ(w.window.queue(0, expected[order]).head_order, order);
}

TEST(RequestWindow, TakesNoMoreThanItsSlotsAndGoesOnWhereItStopped) {
  Window w({"controller.read_queue=4"});
  for (int i = 0; i < 6; ++i) w.ask(w.burst(i, 1));
  w.window.fill(1);
  EXPECT_EQ(w.window.size(0), 4);
  EXPECT_EQ(w.ports.queue(0).size(), 2u);
  w.open(0, 1);
  w.window.serve(w.window.queue(0, 0).hit);
  w.window.fill(2);
  EXPECT_EQ(w.window.size(0), 4);
  EXPECT_EQ(w.window.waiting(0), 0x1eu);
}

TEST(WriteGroups, StartAtWriteHighAndRunToWriteLowWhileReadsWait) {
  Window w({"controller.write_high=3", "controller.write_low=1"});
  WriteGroups groups(w.memory.controller, w.window);
  w.ask(w.burst(9, 1));
  for (int i = 0; i < 2; ++i) w.ask(w.burst(i, 1), true);
  w.window.fill(1);
  EXPECT_EQ(groups.direction(2), 0);
  w.ask(w.burst(2, 1), true);
  w.window.fill(2);
  EXPECT_EQ(groups.direction(3), 1);
  for (const int bank : {0, 1}) {
    EXPECT_EQ(groups.direction(4), 1);
    w.open(bank, 1);
    w.window.serve(w.window.queue(1, bank).hit);
  }
  EXPECT_EQ(groups.direction(5), 0);
}

TEST(WriteGroups, WaitForWriteMaxWhereTheyWouldCloseARowThatReadsWaitFor) {
  Window w({"controller.write_high=1", "controller.write_max=2"});
  WriteGroups groups(w.memory.controller, w.window);
  w.ask(w.burst(0, 1));
  w.ask(w.burst(0, 2), true);
  w.window.fill(1);
  EXPECT_EQ(groups.direction(2), 0);
  w.ask(w.burst(1, 2), true);
  w.window.fill(2);
  EXPECT_EQ(groups.direction(3), 1);
}

}  // namespace
}  // namespace edgenpu::hardware
