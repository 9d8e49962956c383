#pragma once
/// How an operating system shares CPUs among threads, for the model of a pipeline.

#include <cstddef>
#include <optional>
#include <vector>

namespace penstock {

/// The threads on a CPU share it equally. A thread that has something to compute again goes to the
/// CPU where it was; only where that one is busy, and not nearly all are, to an idle one. A CPU
/// that becomes idle takes a thread from the busiest one at once where it has been idle for long
/// lately, else at the next tick of the clock. So a CPU can be idle while two threads share
/// another, as on a real machine: a pipeline whose threads sleep often does not get all CPU time.
///
/// The figures are those of Linux: a tick every 4 ms (CONFIG_HZ=250); no search for an idle CPU
/// where n (1 - (1.17 u)^2) < 1 for n CPUs of which the part u is used (select_idle_cpu with
/// SIS_UTIL); nothing is taken where the mean idle time is below 0.5 ms (newidle_balance,
/// sched_migration_cost). Times in milliseconds.
class SharedCpus {
 public:
  /// `cpus`, a fraction where others take a part, which makes all slower; `threads` numbers them.
  SharedCpus(double cpus, size_t threads);

  /// A thread that has nothing to compute gets something.
  void compute(size_t thread, double ms);
  /// Until a thread has computed what it had to, or a tick may move one; infinite: nothing runs.
  double until_next() const;
  void advance(double ms);
  /// A thread that has computed what it had to. It stays on its CPU until sleep(), so that it can
  /// go on with something else. Nothing: there is none (left).
  std::optional<size_t> take_done();
  /// Threads without anything to compute leave their CPUs.
  void sleep();
  /// How much longer than alone the thread took since the last call.
  double take_waited(size_t thread);
  /// CPUs with a thread.
  size_t used() const;

 private:
  struct Thread {
    size_t cpu = 0;      ///< where it is, or was last
    bool on = false;     ///< it is
    bool works = false;  ///< until it is taken as done
    double left = 0;     ///< to compute
    double waited = 0;
  };
  struct Cpu {
    std::vector<size_t> threads;
    double idle_since = 0;
    double mean_idle = 1;  ///< of late
  };

  static bool has_fewer(const Cpu& a, const Cpu& b);
  void put(size_t thread, size_t cpu);
  void leave(size_t thread);
  bool looks_for_idle() const;
  void pull(Cpu* cpu);
  void tick();
  double next_tick() const;
  size_t busiest() const;

  const double speed_;
  double now_ = 0;
  size_t ticks_ = 0;
  double used_part_ = 0;  ///< of the CPUs, of late
  std::vector<Thread> threads_;
  std::vector<Cpu> cpus_;
};

}  // namespace penstock
