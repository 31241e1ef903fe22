#include "cli/sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace edgenpu::cli {

namespace {

constexpr double kTerminalEvery_s = 0.1, kPipeEvery_s = 10;

std::string duration(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds + 0.5);
  if (s < 100) return fmt::format("{} s", s);
  if (s < 6000) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

}  // namespace

std::string progress_line(const sweep::SweepState& s) {
  std::string line = fmt::format("{}/{} points", s.done, s.total);
  const std::int64_t ran = s.done - s.unrun;
  const double rate = s.seconds > 0 ? static_cast<double>(ran) / s.seconds : 0;
  if (ran > 0) line += fmt::format(", {:.1f} points/s", rate);
  if (s.infeasible > 0) line += fmt::format(", {} infeasible", s.infeasible);
  line += fmt::format(", {} failed", s.failed);
  if (ran > 0 && s.done < s.total)
    line += fmt::format(", {} left", duration(static_cast<double>(s.total - s.done) / rate));
  return line;
}

SweepProgress::SweepProgress(std::ostream& out) : out_(out), terminal_(::isatty(STDERR_FILENO) != 0) {}

void SweepProgress::clear_line() {
  if (terminal_) out_ << "\r\x1b[K";
}

void SweepProgress::show(const sweep::SweepState& s) {
  if (!announced_) {
    announced_ = true;
    if (s.reused > 0) out_ << fmt::format("{} points reused, {} to run\n", s.reused, s.total);
  }
  if (s.failed > failures_) {
    failures_ = s.failed;
    clear_line();
    out_ << visible(s.last_failure) << "\n";
  }
  if (s.seconds - shown_at_ < (terminal_ ? kTerminalEvery_s : kPipeEvery_s)) return;
  shown_at_ = s.seconds;
  clear_line();
  out_ << progress_line(s) << (terminal_ ? "" : "\n") << std::flush;
}

void SweepProgress::finish(const sweep::SweepState& s, const std::string& results) {
  clear_line();
  if (s.interrupted) out_ << "interrupted; --resume goes on from here\n";
  if (s.stopped) out_ << "stopped at the first failure; --resume goes on from here\n";
  out_ << fmt::format(
      "{} in {}: {} ok, {} infeasible, {} failed",
      s.done == s.total ? fmt::format("{} points", s.done) : fmt::format("{} of {} points", s.done, s.total),
      duration(s.seconds), s.ok, s.infeasible, s.failed);
  const auto ran = static_cast<double>(s.done - s.unrun);
  if (ran > 0) out_ << fmt::format("; {:.1f} points/s, {:.3f} CPU s a point", ran / s.seconds, s.cpu_s / ran);
  out_ << "\n";
  for (const std::string& note : s.notes) out_ << "note: " << one_line(note) << "\n";
  std::string all;
  for (const auto& [status, points] : s.statuses)
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", points, status);
  out_ << "results: " << one_line(results) << (all.empty() ? "" : " (" + all + ")") << "\n";
}

}  // namespace edgenpu::cli
