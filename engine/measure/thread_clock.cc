#include "measure/thread_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace penstock {
namespace {

int64_t read_clock(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

class SchedstatFile {
 public:
  SchedstatFile() : fd_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ~SchedstatFile() {
    if (fd_ >= 0) close(fd_);
  }
  SchedstatFile(const SchedstatFile&) = delete;
  SchedstatFile& operator=(const SchedstatFile&) = delete;

  int64_t run_queue_ns() const {
    if (fd_ < 0) return -1;
    std::array<char, 96> text{};
    if (pread(fd_, text.data(), text.size() - 1, 0) <= 0) return -1;
    unsigned long long on_cpu = 0, waited = 0, slices = 0;
    if (std::sscanf(text.data(), "%llu %llu %llu", &on_cpu, &waited, &slices) != 3) return -1;
    if (on_cpu == 0 && slices == 0) return -1;  // a kernel without schedstats tells zeros
    return static_cast<int64_t>(waited);
  }

 private:
  int fd_;
};

}  // namespace

int64_t thread_cpu_ns() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

int64_t thread_run_queue_ns() {
  static thread_local SchedstatFile schedstat;
  return schedstat.run_queue_ns();
}

int64_t measure_sample_cost() {
  thread_run_queue_ns();
  int64_t best = INT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const int64_t before = read_clock(CLOCK_MONOTONIC);
    for (int reading = 0; reading < 2; ++reading) {
      thread_run_queue_ns();
      thread_cpu_ns();
    }
    best = std::min(best, read_clock(CLOCK_MONOTONIC) - before);
  }
  return best;
}

}  // namespace penstock
