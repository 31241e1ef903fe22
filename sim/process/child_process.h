// A forked process and the pipe through which it answers: the one mechanism of workers and pools.
//
// Fork while the process has a single thread and no database open. The child dies with its parent, however that
// ends, leaves without the parent's destructors, and can be limited in address space. A crash, a hang or a runaway
// allocation stays in it. It answers once, at its end, and can send parts before; what it sends comes in frames of a
// kind (one byte), a length (eight) and as many bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/error.h"
#include "base/outcome.h"

namespace edgenpu::process {

// The system gives no process or no pipe (ulimit -u, ulimit -n).
class NoProcess : public InputError {
 public:
  explicit NoProcess(const std::string& reason);
};

// What the child's work returned, or why it did not.
struct Answer {
  Outcome<std::string> outcome;
  int signal = 0;  // that it died of, if it did
  double cpu_s = 0;
  std::int64_t peak_rss_B = 0;
};

// Of a child to its parent: a part that it need not wait for. Ends the child if nobody listens any more.
using SendPart = std::function<void(const std::string&)>;

class ChildProcess {
 public:
  // `work` runs in the child; what it returns or throws is its answer. `memory_B`: of address space; 0: no limit.
  // Throws NoProcess.
  explicit ChildProcess(const std::function<std::string()>& work, std::int64_t memory_B = 0);
  explicit ChildProcess(const std::function<std::string(const SendPart&)>& work, std::int64_t memory_B = 0);
  // One that has not answered is killed.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  // Takes what has come; false when no more will.
  bool receive();
  // The parts that have come since the last call.
  std::vector<std::string> take_parts();
  // When no more will come: waits for the process and says what it answered.
  Answer answer();
  void kill() const;

 private:
  struct Frame {
    char kind;
    std::string text;
  };
  std::vector<Frame> take_frames();
  friend std::vector<bool> wait_for(const std::vector<const ChildProcess*>& children, int timeout_ms);
  void release();

  pid_t pid_ = -1;
  int fd_ = -1;
  std::string received_;
};

// Waits until something has come from at least one, or for `timeout_ms` (-1: without end): from which.
std::vector<bool> wait_for(const std::vector<const ChildProcess*>& children, int timeout_ms);

}  // namespace edgenpu::process
