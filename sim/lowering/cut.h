// A program without the repetitions inside its long operators: for simulating a steady stretch of each once.
//
// A stretch is a run of commands that repeats with a fixed period: the same units, shapes and relative
// dependencies (addresses go on). Its dependencies on the scratchpad ring are among them, so it begins only
// when the ring holds its own loads. Of a long stretch four parts are kept: a warm-up, in which queues and
// ring fill, two measured halves of equal length, and a tail as long as the command processor runs ahead, so
// that what follows is not seen while measuring; the rest, before the tail, is removed. A command that
// depended on a removed one depends on the one that lies as far back as that did.
//
// What the measured commands do is booked on pieces, operators of the cut program beyond those of the full
// one, each of which stands for itself and for what was removed. Counts, losses and buckets of an operator
// are then
//   its own + sum over its stretches of (value of both halves x periods / measured), rounded to whole
//   numbers: exact where every period counts the same.
#pragma once

#include <cstdint>
#include <vector>

#include "lowering/program.h"

namespace edgenpu::lowering {

// One half of a measured stretch, for one operator.
struct Piece {
  int op = 0;                 // operator of the full program
  int stretch = 0, half = 0;  // halves of one stretch that agree tell how steady it was
  std::int64_t periods = 1;   // that the two halves together stand for
  std::int64_t measured = 1;  // in the two halves
};

struct CutProgram {
  Program program;            // with operators + pieces.size() operators
  int operators = 0;          // of the full program
  std::vector<Piece> pieces;  // piece i is operator `operators` + i of `program`
};

struct CutLimits {
  Bytes warm_up{0};              // loaded at least before measuring
  Bytes measured{0};             // loaded at least while measuring
  std::int64_t share = 16;       // and of a stretch, one part in so many
  std::int64_t queue_depth = 1;  // of the units' command queues
};

CutProgram cut(const Program& full, const CutLimits& limits);

// Nothing removed.
CutProgram uncut(const Program& full);

}  // namespace edgenpu::lowering
