#include "lowering/builder.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/error.h"
#include "timing/matrix_array.h"
#include "timing/unit_cycles.h"
#include "vocabulary/weight_format.h"

namespace edgenpu::lowering {

Builder::Builder(const config::Npu& npu, int operators, const Division& division)
    : npu_(npu),
      division_(division),
      loads_(Bytes(0)),
      held_(Bytes(0)),
      outputs_(Bytes(0)),
      scores_(Bytes(0)) {
  divide_rings({});
  program_.operators = operators;
  program_.scratchpad_fixed = npu.scratchpad.size - loads_.size();
  program_.scratchpad_ring = loads_.size();
}

void Builder::divide(const Division& division) {
  if (division == division_) return;
  std::vector<Occupied> before;
  for (const Ring* ring : {&loads_, &held_, &outputs_, &scores_}) ring->append_occupied(before);
  division_ = division;
  divide_rings(before);
}

void Builder::divide_rings(const std::vector<Occupied>& before) {
  Bytes begin = division_.fixed;
  const auto ring = [&](Bytes size) {
    begin += size;
    return Ring(size, begin - size, before);
  };
  loads_ = ring(division_.loads(npu_.scratchpad.size));
  held_ = ring(division_.held);
  outputs_ = ring(division_.outputs);
  scores_ = ring(division_.scores);
}

void Builder::begin_operator(int op) {
  op_ = op;
  if (!npu_.prefetch) fence_ = last_compute_;
}

int Builder::append(Unit unit, std::size_t work, const Dependencies& waits) {
  Command c{unit,
            activity::OperatorId(op_),
            static_cast<std::int32_t>(work),
            static_cast<std::int32_t>(program_.dependencies.size()),
            static_cast<std::int32_t>(waits.size()),
            barrier_};
  barrier_ = false;
  program_.dependencies.insert(program_.dependencies.end(), waits.begin(), waits.end());
  program_.commands.push_back(c);
  const int id = static_cast<int>(program_.commands.size()) - 1;
  if (unit != Unit::load && unit != Unit::store) last_compute_ = id;
  return id;
}

int Builder::load(Ring& ring, const Transfer& transfer, Dependencies waits) {
  const Bytes bytes = transfer.total();
  if (bytes > ring.size())
    throw InfeasibleError(
        fmt::format("a load of {} B does not fit the {} B of the scratchpad that activations leave",
                    bytes.count(), ring.size().count()));
  const int id = static_cast<int>(program_.commands.size());
  for (const int reader : ring.take(bytes, id)) waits.push_back({reader, Wait::space});
  if (fence_ >= 0) waits.push_back({fence_, Wait::order});
  fence_ = -1;
  if (!npu_.double_buffering && last_compute_ >= 0) waits.push_back({last_compute_, Wait::space});
  program_.transfers.push_back(transfer);
  return append(Unit::load, program_.transfers.size() - 1, waits);
}

Transfer Builder::gather(const std::vector<GatherPiece>& pieces, std::int64_t list) {
  Transfer t{list, Bytes(0)};
  t.first_piece = static_cast<std::int32_t>(program_.gather.size());
  t.pieces = static_cast<std::int32_t>(pieces.size());
  for (const GatherPiece& piece : pieces) t.bytes += piece.bytes;
  program_.gather.insert(program_.gather.end(), pieces.begin(), pieces.end());
  return t;
}

void Builder::frees(int load, int command) {
  if (!loads_.release(load, command) && !held_.release(load, command))
    throw InternalError("a command frees a load that is not in a ring");
}

int Builder::reserve(Bytes bytes, Dependencies& waits) {
  for (const int reader : outputs_.take(bytes, reserved_)) waits.push_back({reader, Wait::space});
  return reserved_++;
}

void Builder::releases(int place, int command) {
  if (!outputs_.release(place, command))
    throw InternalError("a command gives back room that was not reserved");
}

void Builder::reserve_scores(Dependencies& waits) {
  if (scores_.size() == Bytes(0)) return;
  for (const int reader : scores_.take(scores_.size(), 0)) waits.push_back({reader, Wait::space});
}

void Builder::releases_scores(int command) {
  if (scores_.size() > Bytes(0)) scores_.release(0, command);
}

int Builder::store(const Transfer& transfer, const Dependencies& waits) {
  program_.transfers.push_back(transfer);
  return append(Unit::store, program_.transfers.size() - 1, waits);
}

int Builder::matrix(const MatrixWork& work, const Dependencies& waits, config::Split split) {
  program_.matrix.push_back(work);
  MatrixWork& w = program_.matrix.back();
  w.split = split;
  if (w.split == config::Split::best) {
    const double rate = program_.operand_pairs[static_cast<std::size_t>(w.operands)].products_per_cycle;
    w.split = timing::best_split(timing::array_of(npu_.matrix, rate), npu_.matrix.engines, w.m, w.n, w.k);
  }
  return append(Unit::matrix, program_.matrix.size() - 1, waits);
}

int Builder::vector(const VectorWork& work, const Dependencies& waits) {
  if (functions_on_cores()) {
    program_.cores.push_back({work.elements * work.operations, 0, work.read, work.written});
    return append(Unit::cores, program_.cores.size() - 1, waits);
  }
  program_.vector.push_back(work);
  return append(Unit::vector, program_.vector.size() - 1, waits);
}

int Builder::product_on_cores(const MatrixWork& work, vocabulary::Format weights, const Dependencies& waits) {
  const bool decodes = vocabulary::operand_pairs(weights).size() > 2;
  CoresWork w;
  w.products = products(program_, work);
  w.operations =
      w.products + (decodes ? work.n * work.k * operations(vocabulary::VectorFunction::decode) : 0);
  w.read = work.weights + work.activations + work.sums;
  w.written = work.results;
  program_.cores.push_back(w);
  return append(Unit::cores, program_.cores.size() - 1, waits);
}

std::int32_t Builder::band(const Band& band) {
  program_.bands.push_back(band);
  return static_cast<std::int32_t>(program_.bands.size()) - 1;
}

std::int64_t Builder::operations(vocabulary::VectorFunction function) const {
  if (functions_on_cores()) {
    const auto own = npu_.cores->operations.find(function);
    if (own != npu_.cores->operations.end()) return own->second;
  }
  return npu_.vector.operations.at(function);
}

std::int64_t Builder::words(std::int64_t rows, std::int64_t width) const {
  return timing::row_words(rows, width, npu_.vector.lanes);
}

// As many as there are, but the commands must leave half of a queue to others and be long beside their start.
std::int64_t Builder::pipelines_for(const VectorWork& work) const {
  if (functions_on_cores()) return 1;
  constexpr std::int64_t kStarts = 8;  // assumed
  const std::int64_t cycles = work.elements * work.operations / npu_.vector.lanes;
  const std::int64_t start = std::max<std::int64_t>(1, npu_.vector.start.count() + npu_.issue.count());
  const std::int64_t most = std::min<std::int64_t>(npu_.queue_depth / 2, cycles / (kStarts * start));
  return std::clamp<std::int64_t>(most, 1, npu_.vector.pipelines);
}

// Commands of one operator that follow each other on the cores are handed over together.
Program Builder::take() {
  CoresWork* before = nullptr;
  int op = -1;
  for (const Command& c : program_.commands) {
    if (c.unit != Unit::cores) continue;
    CoresWork& work = program_.cores[static_cast<std::size_t>(c.work)];
    work.opens = activity::index(c.op) != op;
    if (work.opens && before) before->closes = true;
    before = &work;
    op = activity::index(c.op);
  }
  if (before) before->closes = true;
  return std::move(program_);
}

std::int8_t Builder::format(vocabulary::Format format, const std::string& tensor) {
  const vocabulary::FormatInfo& f = vocabulary::info(format);
  for (std::size_t i = 0; i < program_.formats.size(); ++i)
    if (program_.formats[i].name == f.name) return static_cast<std::int8_t>(i);
  const auto found = npu_.matrix.decode.find(f.name);
  if (found == npu_.matrix.decode.end())
    throw InfeasibleError(
        fmt::format("{} cannot be mapped: matrix.decode of {} has no {}", tensor, npu_.name, f.name));
  program_.formats.push_back({f.name, found->second, f.arithmetic.four_bit(), f.arithmetic.scale_group});
  return static_cast<std::int8_t>(program_.formats.size() - 1);
}

std::int8_t Builder::operand_pair(vocabulary::Operands pair, const std::string& tensor) {
  for (std::size_t i = 0; i < program_.operand_pairs.size(); ++i)
    if (program_.operand_pairs[i].pair == pair) return static_cast<std::int8_t>(i);
  const auto found = npu_.matrix.rate.find(pair);
  if (found == npu_.matrix.rate.end())
    throw InfeasibleError(
        fmt::format("{} cannot be mapped: matrix.rate of {} has no {}", tensor, npu_.name, name_of(pair)));
  program_.operand_pairs.push_back({pair, found->second});
  return static_cast<std::int8_t>(program_.operand_pairs.size() - 1);
}

}  // namespace edgenpu::lowering
