#include "hardware/stream/stream_unit.h"

#include <algorithm>
#include <fmt/format.h>

namespace edgenpu::hardware {

using activity::Bucket;

namespace {
// Requests that fit what a core may have in flight; fewer would make the stream lumpy.
constexpr std::int64_t kRequestsInFlight = 3;
}  // namespace

Bytes aggregate_request(Bytes outstanding, Bytes line, Bytes interleave) {
  std::int64_t request = line.count();
  while (request * 2 * kRequestsInFlight <= outstanding.count() && request * 2 <= interleave.count())
    request *= 2;
  return Bytes(request);
}

StreamUnit::StreamUnit(sc_core::sc_module_name name, int index, const StreamParameters& parameters,
                       const config::Memory& memory, StreamBoard& board, WorkSource& source,
                       BandwidthServer* port)
    : sc_module(name),
      index_(index),
      parameters_(parameters),
      memory_(memory),
      board_(board),
      source_(source),
      port_(port),
      pages_(parameters.page, memory.capacity),
      buckets_(parameters.operators) {
  SC_HAS_PROCESS(StreamUnit);
  SC_METHOD(run);
  dont_initialize();
  sensitive << again();
  SC_METHOD(respond);
  dont_initialize();
  sensitive << due();
}

void StreamUnit::start() {
  const Femtoseconds now = now_fs();
  active_ = true;
  exhausted_ = have_grain_ = false;
  part_ = 0;
  last_use_ = now;
  budget_ = static_cast<double>(parameters_.outstanding.count());
  budget_at_ = now;
  buckets_.enter(Bucket::wait_data, now);
  again().notify(sc_core::SC_ZERO_TIME);
}

void StreamUnit::run() {
  ++events_;
  if (!active_) return;
  const Femtoseconds now = now_fs();
  use_arrived(now);
  retire(now);
  while (send_one(now)) {
  }
  use_arrived(now);
  retire(now);
  if (exhausted_ && pieces_.empty() && in_flight_ == Bytes(0) && last_use_ <= now) {
    active_ = false;
    buckets_.enter(Bucket::wait_dependency, now);
    board_.changed(now, index_, StreamState::idle, grain_.part ? grain_.part->op : activity::OperatorId(0));
    finished_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  board_.changed(now, index_, state(now), grain_.part ? grain_.part->op : activity::OperatorId(0));
  wait_for_next(now);
}

// What keeps it from asking for more: data that wait for its arithmetic, or data on their way?
StreamState StreamUnit::state(Femtoseconds now) const {
  if (last_use_ <= now) return StreamState::waiting;
  if (in_flight_ == Bytes(0)) return StreamState::computing;
  if (exhausted_) return StreamState::waiting;
  const bool window_full = unused_ + parameters_.request > parameters_.run_ahead;
  return window_full && unused_ - in_flight_ >= in_flight_ ? StreamState::computing : StreamState::waiting;
}

// Responses wake it by themselves; here the instants that only it knows.
void StreamUnit::wait_for_next(Femtoseconds now) {
  Femtoseconds next(INT64_MAX);
  const auto at = [&](Femtoseconds t) {
    if (t > now && t < next) next = t;
  };
  if (!uses_.empty()) at(uses_.front().done);
  at(last_use_);
  if (parameters_.paced && !exhausted_ && latency_ > Femtoseconds(0)) {
    const double missing = static_cast<double>(parameters_.request.count()) - budget_;
    const double wait = std::max(0.0, missing) * static_cast<double>(latency_.count()) /
                        static_cast<double>(parameters_.outstanding.count());
    at(budget_at_ + Femtoseconds(static_cast<std::int64_t>(wait) + 1));
  }
  if (next.count() != INT64_MAX) again().notify(to_sc(next - now));
}

Cycles StreamUnit::cycles_to(std::int64_t offset) const {
  const std::int64_t first = grain_.begin(grain_.part->cycles.count());
  const std::int64_t all = grain_.end(grain_.part->cycles.count()) - first;
  return Cycles(static_cast<std::int64_t>(static_cast<__int128>(all) * (offset - begin_) / (end_ - begin_)));
}

bool StreamUnit::next_grain() {
  if (have_grain_ && !writing_ && grain_.part->write.count > 0) {
    const std::int64_t total = grain_.part->write_bytes().count();
    begin_ = offset_ = grain_.begin(total, parameters_.line.count());
    end_ = grain_.end(total, parameters_.line.count());
    writing_ = true;
    return true;
  }
  writing_ = false;
  have_grain_ = source_.take(part_, grain_);
  if (!have_grain_) {
    exhausted_ = true;
    return false;
  }
  const std::int64_t total = grain_.part->read_bytes().count();
  begin_ = offset_ = grain_.begin(total, parameters_.line.count());
  end_ = grain_.end(total, parameters_.line.count());
  if (begin_ == end_) {  // work without data
    const std::int64_t cycles = grain_.part->cycles.count();
    Piece piece;
    piece.cycles = Cycles(grain_.end(cycles) - grain_.begin(cycles));
    piece.op = grain_.part->op;
    piece.arrived = true;
    pieces_.push_back(piece);
    use_arrived(now_fs());
  }
  return true;
}

// As much of a request as may be in flight besides: whole lines, and none if that is less than half of it,
// which would make the requests ever smaller. Of an aggregate, lines that have arrived count until the last
// one is there, hence the allowance.
Bytes StreamUnit::fitting(Bytes length) const {
  if (in_flight_ == Bytes(0)) return length;
  Bytes allowance(0);
  if (parameters_.paced && latency_ > Femtoseconds(0) && !memory_.ideal)
    allowance = Bytes(static_cast<std::int64_t>(static_cast<__int128>(parameters_.outstanding.count()) *
                                                rest_of(length).count() / latency_.count()));
  const Bytes room = parameters_.outstanding + allowance - in_flight_;
  if (room >= length) return length;
  const Bytes lines = parameters_.line * (room / parameters_.line);
  return lines * 2 < length ? Bytes(0) : lines;
}

// The time in which a channel brings what follows the first line of a request.
Femtoseconds StreamUnit::rest_of(Bytes length) const {
  return time_of(length > parameters_.line ? length - parameters_.line : Bytes(0), memory_.channel_peak());
}

bool StreamUnit::may_send(Bytes length, Femtoseconds now) {
  if (waits() || length <= Bytes(0)) return false;
  if (unused_ > Bytes(0) && unused_ + length > parameters_.run_ahead) return false;
  if (!parameters_.paced || latency_ == Femtoseconds(0)) return true;
  const double capacity = static_cast<double>(parameters_.outstanding.count());
  budget_ = std::min(capacity, budget_ + capacity * static_cast<double>((now - budget_at_).count()) /
                                             static_cast<double>(latency_.count()));
  budget_at_ = now;
  return budget_ >= static_cast<double>(length.count()) || in_flight_ == Bytes(0);
}

bool StreamUnit::send_one(Femtoseconds now) {
  while (!exhausted_ && (!have_grain_ || offset_ == end_)) {
    // Work without data is taken when the core is free for it, so that it spreads over the cores.
    if (last_use_ > now && !source_.has_data(part_)) return false;
    if (!next_grain()) return false;
  }
  if (exhausted_) return false;
  const lowering::Transfer& t = writing_ ? grain_.part->write : grain_.part->read;
  const std::int64_t in_piece = offset_ % t.bytes.count();
  const std::int64_t address =
      parameters_.address + t.address + offset_ / t.bytes.count() * t.stride.count() + in_piece;
  const std::int64_t granule = memory_.interleave.count();
  const Bytes most(std::min({parameters_.request.count(), granule - address % granule,
                             pages_.rest_of_page(address), t.bytes.count() - in_piece, end_ - offset_}));
  const Bytes length = fitting(most);
  if (!may_send(length, now)) return false;
  Piece piece;
  piece.bytes = length;
  piece.op = grain_.part->op;
  piece.issued = now;
  piece.write = writing_;
  if (!writing_) piece.cycles = cycles_to(offset_ + length.count()) - cycles_to(offset_);
  offset_ += length.count();
  send(length, pages_.physical(address), piece);
  return true;
}

void StreamUnit::send(Bytes length, std::int64_t address, Piece piece) {
  budget_ = std::max(0.0, budget_ - static_cast<double>(length.count()));
  in_flight_ += length;
  unused_ += length;
  pieces_.push_back(piece);
  const std::int64_t number = first_piece_ + static_cast<std::int64_t>(pieces_.size()) - 1;
  offer({!piece.write, address, length, piece.op, static_cast<std::int32_t>(number & 0x7fffffff)});
}

void StreamUnit::settle(Bytes length, std::int32_t owner) {
  const Femtoseconds now = now_fs();
  const auto at = static_cast<std::size_t>((owner - first_piece_) & 0x7fffffff);
  Piece& piece = pieces_.at(at);
  piece.arrived = true;
  in_flight_ -= length;
  if (!memory_.ideal) {
    latency_ = std::max(Femtoseconds(1), now - piece.issued - rest_of(length));
  }
  again().notify(sc_core::SC_ZERO_TIME);
}

// Pieces are used in order; a busy interval is known as soon as its data are there.
void StreamUnit::use_arrived(Femtoseconds now) {
  while (!pieces_.empty() && pieces_.front().arrived) {
    const Piece& piece = pieces_.front();
    const Femtoseconds started = std::max(now, last_use_);
    buckets_.at_operator(piece.op, started);
    if (piece.cycles > Cycles(0)) {
      buckets_.enter(Bucket::busy, started);
      last_use_ = started + time_of(piece.cycles, parameters_.clock);
      buckets_.enter(Bucket::wait_data, last_use_);
    } else {
      last_use_ = started;
    }
    if (piece.bytes > Bytes(0)) uses_.push_back({last_use_, piece.bytes});
    pieces_.pop_front();
    ++first_piece_;
  }
}

std::string StreamUnit::describe() const {
  return fmt::format("{} pieces not used, {} B in flight, {} B not used, {}{}", pieces_.size(),
                     in_flight_.count(), unused_.count(), exhausted_ ? "no more work to take" : "work left",
                     waits() ? ", a request not accepted" : "");
}

void StreamUnit::retire(Femtoseconds now) {
  while (!uses_.empty() && uses_.front().done <= now) {
    unused_ -= uses_.front().bytes;
    uses_.pop_front();
  }
}

}  // namespace edgenpu::hardware
