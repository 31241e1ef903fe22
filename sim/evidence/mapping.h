// From what a published row says to what can be simulated: a table in YAML, so that new devices, models and
// spellings need no code.
//
//   kind: measurement_mapping
//   devices:    {hardware: NAME|FILE, set: {path: value}, note: TEXT} the hardware, with its power mode
//               {hardware: NAME|FILE, scale: KEY, peak: BANDWIDTH}     a generic description, brought to the
//                   bandwidth that the row states, or else to `peak`; KEY (cores, multiprocessors) grows with
//                   it (evidence/fit_memory.h), unless `set` gives it
//   runtimes:   {part: NAME} or {set: {path: value}}                  in place of the hardware's own
//   quants:     {use: MIXTURE}
//   models:     {use: NAME}                                           other rows: the row's text in lower
//                   case with dashes, if it is a model
//   contexts:   {tokens: N} or {prompt: false}                        where a row gives no context
//               {prompt: context}                                     where a row gives no prompt: the
//                   context is the prompt's
//               {block: N}                                            a prompt fills whole blocks of N
//                   tokens
//               {whole_cache: true}                                   the graph of a prompt attends to all
//                   rows of the cache that it was compiled for, filled or not
//   backends:   {kind: cpu|gpu|accelerator, runtime: REGEX}            of llama.cpp (field `backend`): the
//                   kind of hardware that it computes on, and what that hardware's runtime is called; no
//                   other can be compared with it
//   scopes:     {use: die|soc+dram|module|wall} or {use: "rail NAME"}  what a row's power covers
//
// Each section is a list of rules; the first whose conditions all hold is taken. Conditions are regular
// expressions (ECMAScript) searched in lower-cased text:
//
//     - {when: {device: "orin nano", mode: "^7"}, hardware: ..., note: ...}
//     - {when: {device: "fpga"}, cannot: "why"}
//
// The text of `model` has single dashes for spaces, colons, underscores, slashes, commas and brackets:
// "Qwen 2.5 (7B)" is searched as "qwen-2.5-7b", and "llama3.2:latest" as "llama3.2".
//
// A rule without `cannot` has what it is for (hardware, part or set, use, ...). Values are checked where they stand.
//
// Fields: device (with the chip behind it), class, mode, memory (type and peak), model, quant, runtime,
// backend (of llama-bench), hardware (once known), prompt, scope (of power), source, threads. `cannot` ends the search with a reason.
// Files are named relative to the table; config/resolve.h has what a name is. A row that states a memory bandwidth which cannot be the
// description's (evidence/fit_memory.h) is not mapped onto it; the next rule that holds is tried. A CPU row that
// states fewer threads than the description has cores runs on as many cores. A row of llama-bench whose file
// has no name, or one that is no model here, is the model whose architecture and parameters it states
// (evidence/model_sizes.h). Errors: InputError with positions.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "config/resolve.h"
#include "evidence/fit_memory.h"
#include "evidence/measurements.h"
#include "evidence/model_sizes.h"
#include "simulate.h"

namespace edgenpu::evidence {

struct Mapped {
  std::string reason;                       // why it cannot be mapped; "": it is
  StepRequest request;                      // a decode step; prompt set where the row has one
  std::int64_t prompt_step = 0;             // tokens that the step of the prompt has: whole blocks
  std::int64_t prompt_cached = 0;           // rows of the cache that it attends to beside its own
  std::vector<config::Override> overrides;  // of the hardware
  std::vector<std::string> notes;           // what was assumed
  std::string kind, runtime;  // what a row of llama-bench asks of the hardware; the runtime: an expression
  std::string energy_scope;   // of the row's power (evidence/energy_scope.h)
  std::string scope_reason;   // why its energy cannot be compared; "": it can
};

class Mapping {
 public:
  // Throws InputError.
  Mapping(const std::string& path, const std::string& data_dir);

  Mapped map(const Measurement& m) const;
  // The same on a given hardware file: a user's own board.
  Mapped map_onto(const Measurement& m, const std::string& hardware) const;

 private:
  struct Rule {
    std::vector<std::pair<std::string, std::regex>> when;
    config::Value then;
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;
  using Rules = std::vector<Rule>;

  static Rules rules(const config::Value& document, const std::string& section, Diagnostics& out);
  static Rule read_rule(const config::Value& rule, const std::string& section, Diagnostics& out);
  void check_names(Diagnostics& out) const;
  static const config::Value* find(const Rules& rules, const Fields& fields);
  // Of NAME|FILE.
  std::string file_of(const std::string& hardware) const;
  // False, with the reason, if the row's bandwidth is another device's.
  bool take_device(Mapped& m, const config::Value& rule, const Measurement& row) const;
  bool take_generic(Mapped& m, const config::Value& rule, const std::string& hardware,
                    const Measurement& row) const;
  static bool holds(const Rule& rule, const Fields& fields);
  bool choose_device(Mapped& m, const Measurement& row, Fields& fields) const;
  bool choose_model(Mapped& m, const Measurement& row, const Fields& fields) const;
  bool choose_quant(Mapped& m, const Fields& fields) const;
  bool choose_backend(Mapped& m, const Measurement& row, Fields& fields) const;
  void check_size(Mapped& m, const Measurement& row) const;
  void choose_runtime(Mapped& m, const Fields& fields) const;
  void choose_scope(Mapped& m, const Fields& fields) const;
  void choose_context(Mapped& m, const Measurement& row, const Fields& fields) const;
  static void choose_prompt(Mapped& m, const Measurement& row, const config::Value* rule);
  Mapped finish(Mapped m, const Measurement& row, Fields fields) const;

  std::string folder_, data_dir_;
  mutable DescribedMemories memories_;
  std::vector<std::string> models_known_;
  mutable ModelSizes sizes_;
  Rules devices_, runtimes_, quants_, models_, contexts_, backends_, scopes_;
  std::int64_t default_context_ = 256, default_prompt_ = 512;
};

}  // namespace edgenpu::evidence
