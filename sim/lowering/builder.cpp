#include "lowering/builder.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "workload/arithmetic.h"

namespace edgenpu::lowering {

Builder::Builder(const config::Npu& npu, int operators, Bytes fixed)
    : npu_(npu), free_(npu.scratchpad.size - fixed) {
  program_.operators = operators;
  program_.scratchpad_fixed = fixed;
  program_.scratchpad_ring = free_;
}

Bytes Builder::largest_load() const {
  return std::min(npu_.tile, program_.scratchpad_ring / 2);
}

void Builder::begin_operator(int op) {
  op_ = op;
  if (!npu_.prefetch) fence_ = last_compute_;
}

int Builder::append(Unit unit, std::size_t work, const Dependencies& waits) {
  Command c{unit, activity::OperatorId(op_), static_cast<std::int32_t>(work),
            static_cast<std::int32_t>(program_.dependencies.size()), static_cast<std::int32_t>(waits.size())};
  program_.dependencies.insert(program_.dependencies.end(), waits.begin(), waits.end());
  program_.commands.push_back(c);
  const int id = static_cast<int>(program_.commands.size()) - 1;
  if (unit == Unit::matrix || unit == Unit::vector) last_compute_ = id;
  return id;
}

Dependencies Builder::make_room(Bytes bytes) {
  Dependencies waits;
  while (free_ < bytes) {
    if (occupants_.empty() || occupants_.front().reader < 0)
      throw InternalError(
          fmt::format("a load of {} B would overwrite data that nothing has read yet", bytes.count()));
    waits.push_back({occupants_.front().reader, Wait::space});
    free_ += occupants_.front().bytes;
    occupants_.pop_front();
  }
  return waits;
}

int Builder::load(const Transfer& transfer) {
  const Bytes bytes = transfer.bytes * transfer.count;
  if (bytes > program_.scratchpad_ring)
    throw InfeasibleError(
        fmt::format("a load of {} B does not fit the {} B of the scratchpad that activations leave",
                    bytes.count(), program_.scratchpad_ring.count()));
  Dependencies waits = make_room(bytes);
  if (fence_ >= 0) waits.push_back({fence_, Wait::order});
  fence_ = -1;
  free_ -= bytes;
  program_.transfers.push_back(transfer);
  const int id = append(Unit::load, program_.transfers.size() - 1, waits);
  occupants_.push_back({bytes, id, -1});
  return id;
}

void Builder::frees(int load, int command) {
  for (auto it = occupants_.rbegin(); it != occupants_.rend(); ++it) {
    if (it->load != load) continue;
    it->reader = command;
    return;
  }
  throw InternalError("a command frees a load that is not in the ring");
}

int Builder::store(const Transfer& transfer, const Dependencies& waits) {
  program_.transfers.push_back(transfer);
  return append(Unit::store, program_.transfers.size() - 1, waits);
}

int Builder::matrix(const MatrixWork& work, const Dependencies& waits) {
  program_.matrix.push_back(work);
  return append(Unit::matrix, program_.matrix.size() - 1, waits);
}

int Builder::vector(const VectorWork& work, const Dependencies& waits) {
  program_.vector.push_back(work);
  return append(Unit::vector, program_.vector.size() - 1, waits);
}

std::int64_t Builder::operations(const std::string& function) const {
  return npu_.vector.operations.at(function);
}

std::int8_t Builder::format(workload::Format format, const std::string& tensor) {
  const workload::FormatInfo& f = workload::info(format);
  for (std::size_t i = 0; i < program_.formats.size(); ++i)
    if (program_.formats[i].name == f.name) return static_cast<std::int8_t>(i);
  const auto found = npu_.matrix.decode.find(f.name);
  if (found == npu_.matrix.decode.end())
    throw InfeasibleError(
        fmt::format("{} cannot be mapped: matrix.decode of {} has no {}", tensor, npu_.name, f.name));
  const workload::Arithmetic a = workload::arithmetic(format);
  program_.formats.push_back({f.name, found->second, a.four_bit, a.scale_group});
  return static_cast<std::int8_t>(program_.formats.size() - 1);
}

std::int8_t Builder::operand_pair(const std::string& pair, const std::string& tensor) {
  for (std::size_t i = 0; i < program_.operand_pairs.size(); ++i)
    if (program_.operand_pairs[i].name == pair) return static_cast<std::int8_t>(i);
  const auto found = npu_.matrix.rate.find(pair);
  if (found == npu_.matrix.rate.end())
    throw InfeasibleError(
        fmt::format("{} cannot be mapped: matrix.rate of {} has no {}", tensor, npu_.name, pair));
  program_.operand_pairs.push_back({pair, found->second});
  return static_cast<std::int8_t>(program_.operand_pairs.size() - 1);
}

}  // namespace edgenpu::lowering
