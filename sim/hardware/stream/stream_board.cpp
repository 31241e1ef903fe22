#include "hardware/stream/stream_board.h"

#include <algorithm>

namespace edgenpu::hardware {

using activity::Loss;

void StreamBoard::device_waits(Femtoseconds now, Loss cause, activity::OperatorId op) {
  device_cause_ = cause;
  device_op_ = op;
  report(now);
}

void StreamBoard::changed(Femtoseconds now, int unit, StreamState state, activity::OperatorId op) {
  Unit& u = units_[static_cast<std::size_t>(unit)];
  if (u.state == state && u.op == op) return;
  u = {state, op};
  report(now);
}

// One core that would use more is enough: it is what keeps the others waiting at the end.
void StreamBoard::report(Femtoseconds now) {
  for (const Unit& u : units_)
    if (u.state == StreamState::waiting) return at(now, Loss::queueing, u.op);
  for (const Unit& u : units_)
    if (u.state == StreamState::computing) return at(now, Loss::compute, u.op);
  at(now, device_cause_, device_op_);
}

void StreamBoard::at(Femtoseconds now, Loss cause, activity::OperatorId op) {
  ledger_.upstream(now, cause, op);
  auto spent = std::find_if(spent_.begin(), spent_.end(), [&](const Spent& s) { return s.op == op_; });
  if (spent == spent_.end()) spent = spent_.insert(spent, {op_, Femtoseconds(0)});
  spent->time += now - since_;
  since_ = now;
  op_ = op;
}

std::vector<StreamBoard::Spent> StreamBoard::take_spent(Femtoseconds now) {
  report(now);
  std::vector<Spent> taken;
  taken.swap(spent_);
  return taken;
}

std::int64_t Grain::share(std::int64_t total, std::int64_t row, std::int64_t align) const {
  if (row >= part->rows) return total;
  const auto exact = static_cast<__int128>(total) * row / part->rows;
  return static_cast<std::int64_t>(exact) / align * align;
}

void WorkSource::load(const lowering::Kernel& kernel) {
  kernel_ = &kernel;
  next_.assign(kernel.parts.size(), 0);
}

bool WorkSource::take(std::size_t& part, Grain& grain) {
  for (; part < next_.size(); ++part) {
    const lowering::KernelPart& p = kernel_->parts[part];
    if (next_[part] >= p.rows) continue;
    grain = {&p, next_[part], std::min(p.grain, p.rows - next_[part])};
    next_[part] += grain.rows;
    return true;
  }
  return false;
}

bool WorkSource::has_data(std::size_t part) const {
  for (; part < next_.size(); ++part) {
    const lowering::KernelPart& p = kernel_->parts[part];
    if (next_[part] < p.rows) return p.read_bytes() > Bytes(0) || p.write_bytes() > Bytes(0);
  }
  return true;
}

}  // namespace edgenpu::hardware
