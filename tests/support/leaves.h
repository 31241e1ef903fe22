// A mechanical test of any YAML file: each leaf (a scalar, also within lists) is changed, and something must
// answer: another result, a note, or an error. A leaf that may be changed without an answer is dead.
//
//   Probe    what somebody sees of a tree: a text; it may throw InputError or InfeasibleError. Several probes stand
//            for several workloads and commands; a leaf is alive if one of them sees it.
//   change_leaves(tree, probes, exempt, asked)
//            numbers are scaled (several factors, so that a limit that does not bind is made to bind), booleans
//            flipped, words replaced by each of those that the error of a nonsense word allows. Any other answer
//            counts; errors count only where every value of the leaf that was tried is refused. `asked`: which
//            probes are asked about a leaf (default: all); the first one always is.
//   misspell_keys(tree, read, exempt)
//            each key gets a letter more: `read` must refuse it with a message that names it.
//   misplace_values(tree, read, exempt)
//            each leaf becomes a map: `read` must refuse it.
//   `exempt` says of a leaf's or key's dotted path whether it is documentation (sources, names, notes).
//
//   written(tree)
//            as YAML in one line, citations and notes among it, for readers that want a file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/value.h"
#include "config/write.h"

namespace edgenpu::test {

using config::Value;
using Probe = std::function<std::string(const Value& tree)>;
using Exempt = std::function<bool(const std::string& path)>;
using Asked = std::function<bool(std::size_t probe, const std::string& path)>;

// A step is a key, or the number of an item of a list ("0").
using Steps = std::vector<std::string>;

struct Leaf {
  Steps steps;
  std::string text;
};

inline std::string dotted(const Steps& steps) {
  std::string path;
  for (const std::string& s : steps) path += (path.empty() ? "" : ".") + s;
  return path;
}

// The tree with the value at `steps` replaced by what `change` makes of it.
inline Value changed(const Value& tree, const Steps& steps, const std::function<Value(const Value&)>& change,
                     std::size_t depth = 0) {
  if (depth == steps.size()) return change(tree);
  if (tree.is_list()) {
    Value list = Value::empty_list(tree.position());
    for (std::size_t i = 0; i < tree.items().size(); ++i)
      list.push_back(std::to_string(i) == steps[depth] ? changed(tree.items()[i], steps, change, depth + 1)
                                                       : tree.items()[i]);
    return list;
  }
  Value map = tree;
  map.set(steps[depth], changed(*tree.find(steps[depth]), steps, change, depth + 1));
  return map;
}

inline Value put(const Value& tree, const Leaf& leaf, const std::string& text) {
  return changed(tree, leaf.steps, [&](const Value& old) { return Value::scalar(text, old.position()); });
}

// Calls `see` with each node below the root, keys and items in order.
inline void walk(const Value& tree, Steps& at, const std::function<void(const Steps&, const Value&)>& see) {
  const auto visit = [&](const std::string& step, const Value& value) {
    at.push_back(step);
    see(at, value);
    walk(value, at, see);
    at.pop_back();
  };
  for (const Value::Entry& e : tree.entries()) visit(e.key, e.value);
  for (std::size_t i = 0; i < tree.items().size(); ++i) visit(std::to_string(i), tree.items()[i]);
}

// A piece of text that a YAML alias repeats is one leaf, where it stands first.
inline std::vector<Leaf> leaves_of(const Value& tree) {
  std::vector<Leaf> leaves;
  std::set<std::string> places;
  Steps at;
  walk(tree, at, [&](const Steps& steps, const Value& value) {
    if (!value.is_scalar()) return;
    const Position& p = value.position();
    if (p.line > 0 &&
        !places.insert(fmt::format("{}:{}:{} {}", p.source, p.line, p.column, value.text())).second)
      return;
    leaves.push_back({steps, value.text()});
  });
  return leaves;
}

inline std::string written(const Value& value) {
  std::string text;
  const auto add = [&](const std::string& piece) { text += (text.empty() ? "" : ", ") + piece; };
  for (const Value& item : value.items()) add(written(item));
  for (const Value::Entry& e : value.entries())
    add(config::to_yaml(Value::scalar(e.key, {})) + ": " + written(e.value));
  if (value.is_list()) return "[" + text + "]";
  return value.is_map() ? "{" + text + "}" : config::to_yaml(value);
}

struct Answer {
  std::optional<std::string> seen, error;
};

inline Answer ask(const Probe& probe, const Value& tree) {
  try {
    return {probe(tree), {}};
  } catch (const InputError& e) {
    return {{}, e.what()};
  } catch (const InfeasibleError& e) {
    return {{}, e.what()};
  }
}

// The number at the front of `text` and what follows it; nothing if there is none.
inline std::optional<std::pair<double, std::string>> number_of(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return {};
  const std::string rest(end);
  if (!rest.empty() && rest[0] != ' ') return {};  // "16Gb", "2d": a word
  return std::pair(x, rest);
}

// Other values of a leaf, those first to which most leaves answer; empty for words.
inline std::vector<std::string> other_values(const std::string& text) {
  if (text == "true") return {"false"};
  if (text == "false") return {"true"};
  if (text.find_first_of("<>=") != std::string::npos) return {"not (" + text + ")"};  // a condition
  const auto n = number_of(text);
  if (!n) return {};
  const auto& [x, unit] = *n;
  const bool whole = text.find('.') == std::string::npos && std::floor(x) == x && std::abs(x) < 1e15;
  std::vector<std::string> values;
  const auto add = [&](double y) {
    if (whole && unit.empty()) y = std::round(y);
    const std::string value = fmt::format("{:.12g}{}", y, unit);
    if (y != x && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  for (const double factor :
       {16.0, 1.25, 0.0625, 256.0, 1.0 / 256, 0.8, 2.0, 0.5, 4.0, 1.05, 1.5, 1.0 / 4096, 65536.0})
    add(x * factor);
  for (const double y : {x + 1, x - 1, 1.0, 0.0, 8.0}) add(y);
  // A rate of 2 may be 0.125.
  if (whole && unit.empty() && x != 0) values.push_back(fmt::format("{:.12g}", x / 16));
  return values;
}

// "...; allowed: a, b, c; did you mean ..." -> a, b, c
inline std::vector<std::string> allowed_words(const std::string& message) {
  std::vector<std::string> words;
  for (const char* mark : {"allowed: ", "there are: ", "it has: "}) {
    std::size_t at = message.find(mark);
    if (at == std::string::npos) continue;
    at += std::string(mark).size();
    const std::string list = message.substr(at, message.find_first_of(";\n", at) - at);
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find(", ", begin), list.size());
      words.push_back(list.substr(begin, end - begin));
      begin = end + 2;
    }
    break;
  }
  return words;
}

struct Tally {
  int leaves = 0, results = 0, notes = 0, errors = 0;
  std::vector<std::string> dead, refused;  // "path = text"

  std::string text(const std::string& what) const {
    std::string t = fmt::format("{}: {} leaves, {} change the result, {} are refused in every other value",
                                what, leaves, results, errors);
    for (const std::string& r : refused) t += "\n  is refused in every other value: " + r;
    for (const std::string& d : dead) t += "\n  changes nothing: " + d;
    return t;
  }
};

class LeafTest {
 public:
  // Throws InternalError for a probe that refuses the unchanged tree, or gives another answer each time.
  LeafTest(const Value& tree, std::vector<Probe> probes, Asked asked)
      : tree_(tree), probes_(std::move(probes)), asked_(std::move(asked)) {
    for (const Probe& p : probes_) {
      before_.push_back(ask(p, tree_));
      if (before_.back().error)
        throw InternalError("the unchanged tree is refused: " + *before_.back().error);
      if (ask(p, tree_).seen != before_.back().seen)
        throw InternalError("a probe answers differently each time");
    }
  }

  void change(const Leaf& leaf, Tally& tally) const {
    ++tally.leaves;
    std::vector<std::string> values = other_values(leaf.text);
    bool accepted = false;
    if (values.empty()) {
      const std::string nonsense = "zqx" + leaf.text;
      values = {nonsense, "zqx"};  // an expression may find its word in the first
      const Answer a = ask(probes_.front(), put(tree_, leaf, nonsense));
      if (a.error)
        for (const std::string& word : allowed_words(*a.error))
          if (word != leaf.text) values.push_back(word);
    }
    const auto near = std::min(kNear, static_cast<std::ptrdiff_t>(values.size()));
    if (seen(leaf, {values.begin(), values.begin() + near}, accepted) ||
        seen(leaf, {values.begin() + near, values.end()}, accepted)) {
      ++tally.results;
      return;
    }
    if (!accepted) ++tally.errors;
    (accepted ? tally.dead : tally.refused).push_back(dotted(leaf.steps) + " = " + leaf.text);
  }

 private:
  // Through all probes before the values further off: what one probe would look for in vain, the next may see.
  static constexpr std::ptrdiff_t kNear = 2;

  bool seen(const Leaf& leaf, const std::vector<std::string>& values, bool& accepted) const {
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      if (i > 0 && asked_ && !asked_(i, dotted(leaf.steps))) continue;
      for (const std::string& value : values) {
        const Answer a = ask(probes_[i], put(tree_, leaf, value));
        if (a.seen && a.seen != before_[i].seen) return true;
        accepted = accepted || (i == 0 && a.seen);  // others may not read the key at all
      }
    }
    return false;
  }

  const Value& tree_;
  std::vector<Probe> probes_;
  Asked asked_;
  std::vector<Answer> before_;
};

inline Tally change_leaves(const Value& tree, std::vector<Probe> probes, const Exempt& exempt,
                           const Asked& asked = {}) {
  const LeafTest test(tree, std::move(probes), asked);
  Tally tally;
  for (const Leaf& leaf : leaves_of(tree))
    if (!exempt(dotted(leaf.steps))) test.change(leaf, tally);
  return tally;
}

// Paths of keys whose misspelling `read` accepts, or refuses without naming it.
inline std::vector<std::string> misspell_keys(const Value& tree, const Probe& read, const Exempt& exempt) {
  std::vector<std::string> accepted;
  Steps at;
  walk(tree, at, [&](const Steps& steps, const Value& value) {
    const Steps parent(steps.begin(), steps.end() - 1);
    bool key = false;
    const std::string wrong = steps.back() + "q";
    const Value misspelt = changed(tree, parent, [&](const Value& map) {
      if (!map.is_map()) return map;
      key = true;
      Value renamed = Value::empty_map(map.position());
      for (const Value::Entry& e : map.entries())
        renamed.set_at(e.key == steps.back() ? wrong : e.key, e.key_position, e.value);
      return renamed;
    });
    if (!key || exempt(dotted(steps))) return;
    const Answer a = ask(read, misspelt);
    if (!a.error || a.error->find(wrong) == std::string::npos) accepted.push_back(dotted(steps));
    (void)value;
  });
  return accepted;
}

// Paths of leaves that `read` accepts as a map of nonsense.
inline std::vector<std::string> misplace_values(const Value& tree, const Probe& read, const Exempt& exempt) {
  std::vector<std::string> accepted;
  for (const Leaf& leaf : leaves_of(tree)) {
    if (exempt(dotted(leaf.steps))) continue;
    const Value wrong = changed(tree, leaf.steps, [](const Value& old) {
      Value map = Value::empty_map(old.position());
      map.set("zqx", Value::scalar("1", old.position()));
      return map;
    });
    if (!ask(read, wrong).error) accepted.push_back(dotted(leaf.steps));
  }
  return accepted;
}

}  // namespace edgenpu::test
