#include "sweep/sweep.h"

#include <chrono>
#include <csignal>
#include <fmt/format.h>

#include "base/hash.h"
#include "config/write.h"
#include "process/child_process.h"
#include "process/pool.h"
#include "sweep/metrics.h"
#include "sweep/query.h"
#include "sweep/run_point.h"
#include "sweep/store.h"

namespace edgenpu::sweep {

namespace {

volatile std::sig_atomic_t interrupted = 0;

// Runs the points and sends their rows, in a process of its own.
void schedule(const Expansion& e, const std::vector<std::int64_t>& todo, int jobs,
              const process::SendPart& send) {
  ::signal(SIGINT, SIG_DFL);
  const auto point = [&](std::int64_t number) -> const Point& {
    return e.points()[static_cast<std::size_t>(number - 1)];
  };
  process::run_pool(
      todo, jobs, {e.study().timeout_s, e.study().memory_B},
      [&](std::int64_t number) -> process::Work {
        return [&e, &p = point(number)] { return to_bytes(run_point(e, p)); };
      },
      [&](const process::Finished& f) {
        Row row = f.outcome ? row_from_bytes(*f.outcome) : lost_row(point(f.job), f.outcome.why().text);
        row.cpu_s = f.cpu_s;
        row.wall_s = f.wall_s;
        row.peak_rss_B = f.peak_rss_B;
        send(to_bytes(row));
      });
}

// Its own children die with it.
process::ChildProcess scheduler_of(const Expansion& e, const std::vector<std::int64_t>& todo, int jobs) {
  return process::ChildProcess([&](const process::SendPart& send) {
    schedule(e, todo, jobs, send);
    return std::string();
  });
}

// False when no more will come. Returns within a fraction of a second, so that an interrupt is noticed.
bool receive(process::ChildProcess& scheduler) {
  constexpr int kPatience_ms = 500;
  return !process::wait_for({&scheduler}, kPatience_ms)[0] || scheduler.receive();
}

// What the constraints say about rows as they arrive.
class Judge {
 public:
  explicit Judge(const Expansion& e) : expansion_(e), constraints_(e.constraints()) {}
  std::string status(const Row& row) {
    if (row.status != "ok" || constraints_.empty()) return row.status;
    const Point& p = expansion_.points()[static_cast<std::size_t>(row.number - 1)];
    constraints_.clear();
    show(expansion_.columns(), p.inputs);
    show(expansion_.constrained_columns(), p.constrained);
    show(output_columns(), row.outputs);
    return constraints_.after_run().broken.empty() ? "ok" : "infeasible";
  }

 private:
  void show(const std::vector<std::string>& names, const std::vector<result::Cell>& cells) {
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) constraints_.set(names[i], cells[i]);
  }

  const Expansion& expansion_;
  Constraints constraints_;
};

void count(SweepState& state, const Row& row, const std::string& status) {
  ++state.done;
  state.cpu_s += row.cpu_s;
  if (status == "ok") ++state.ok;
  if (status == "infeasible") ++state.infeasible;
  if (status != "failed") return;
  ++state.failed;
  state.last_failure = fmt::format("point {} failed: {}", row.number, row.message);
}

// How the study writes the configuration of a point; equal configurations can be written in several ways.
Row written_as(const Expansion& e, const Point& p) {
  const Resolved resolved = e.resolve(p);
  Row row;
  row.id = p.id;
  row.hardware = resolved.request.hardware;
  row.config = config::to_yaml(resolved.tree);
  row.hardware_hash = content_hash(config::canonical_text(resolved.tree));
  return row;
}

// The points to run; opens and closes the results, since the scheduler must be forked while they are closed.
std::vector<std::int64_t> todo_of(const Expansion& e, const SweepOptions& o, SweepState& state) {
  Store store(o.results, Store::Mode::write);
  store.begin_study(e, o.tool, o.resume);
  const auto known = o.resume ? store.statuses() : std::map<std::string, std::string>();
  std::vector<std::int64_t> todo;
  std::vector<Row> reused;
  for (const Point& p : e.points()) {
    if ((p.number - o.shard) % o.shards != 0) continue;
    const auto row = known.find(p.id);
    if (!p.broken.empty()) {
      ++(o.resume ? state.reused : state.unrun);
    } else if (row != known.end() && row->second != "failed") {
      ++state.reused;
      reused.push_back(written_as(e, p));
    } else {
      todo.push_back(p.number);
    }
  }
  store.rewrite(reused);
  state.done = state.infeasible = state.unrun;
  state.total = static_cast<std::int64_t>(todo.size()) + state.unrun;
  return todo;
}

// What became of the whole study.
void sum_up(const Expansion& e, const Store& store, SweepState& state) {
  if (!store.lists(e))
    throw InputError({store.file()},
                     fmt::format("another sweep gave the study '{}' other points meanwhile; what ran is "
                                 "kept, and --resume goes on from here",
                                 e.study().name));
  const result::Table table = store.points(e.study().name);
  const std::size_t status = column_index(table, "status", {});
  for (const auto& row : table.rows) ++state.statuses[result::to_text(row[status])];
  state.notes = study_notes(table, e.columns(), e.groups());
}

// An interrupt ends the run in order; put back at the end.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    ::sigaction(SIGINT, &action, &old_int_);
    ::sigaction(SIGTERM, &action, &old_term_);
    ::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is an error of the write, not a death
  }
  ~InterruptGuard() {
    ::sigaction(SIGINT, &old_int_, nullptr);
    ::sigaction(SIGTERM, &old_term_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

void run(const Expansion& e, const SweepOptions& options, const std::vector<std::int64_t>& todo,
         SweepState& state, const std::function<void()>& tell) {
  process::ChildProcess scheduler = scheduler_of(e, todo, options.jobs);
  Store store(options.results, Store::Mode::write);
  Judge judge(e);
  for (bool more = true; more && !state.stopped && !state.interrupted;) {
    more = receive(scheduler);
    for (const std::string& part : scheduler.take_parts()) {
      const Row row = row_from_bytes(part);
      store.put(row, options.tool);
      count(state, row, judge.status(row));
      tell();
      if (options.fail_fast && row.status == "failed") {
        state.stopped = true;
        break;
      }
    }
    state.interrupted = interrupted != 0;
    tell();
  }
  if (state.done < state.total && !state.stopped && !state.interrupted)
    throw InternalError(fmt::format("the scheduler ended early, after {} of {} points: {}", state.done,
                                    state.total, scheduler.answer().outcome.why().text));
}

}  // namespace

SweepState run_sweep(const Expansion& expansion, const SweepOptions& options,
                     const std::function<void(const SweepState&)>& report) {
  const auto started = std::chrono::steady_clock::now();
  SweepState state;
  const InterruptGuard guard;
  const std::vector<std::int64_t> todo = todo_of(expansion, options, state);
  const auto tell = [&] {
    state.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    report(state);
  };
  tell();
  if (!todo.empty()) run(expansion, options, todo, state, tell);
  sum_up(expansion, Store(options.results, Store::Mode::read), state);
  return state;
}

}  // namespace edgenpu::sweep
