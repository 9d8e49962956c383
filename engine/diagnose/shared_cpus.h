#pragma once
/// How an operating system shares CPUs among threads, for the model of a pipeline.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace penstock {

/// A thread that has something to compute again goes to the CPU where it was; only where that one
/// is busy, and not nearly all are, to an idle one. A CPU that becomes idle takes a waiting thread
/// from the busiest one at once where it has been idle for long lately, else at the next tick of
/// the clock. So a CPU can be idle while two threads want another, as on a real machine: a pipeline
/// whose threads sleep often does not get all CPU time.
///
/// On each CPU one thread runs. Of those that have had no more than their part, the one whose slice
/// is to end first comes next: when the running one has used its slice or sleeps, and when a thread
/// wakes, unless the running one is within the slice with which it began and has had no more than
/// its part. So a thread that wakes for a moment waits for up to a slice for one that has just
/// begun to compute, but not for one that computes for long, nor where it has waited lately.
///
/// The rules and figures are those of Linux: earliest eligible virtual deadline first (EEVDF, with
/// PLACE_LAG and RUN_TO_PARITY) with equal weights; a tick every 4 ms (CONFIG_HZ=250); no search
/// for an idle CPU where n (1 - (1.17 u)^2) < 1 for n CPUs of which the part u is used
/// (select_idle_cpu with SIS_UTIL); nothing is taken where the mean idle time is below 0.5 ms
/// (newidle_balance, sched_migration_cost). Times in milliseconds.
class SharedCpus {
 public:
  /// `cpus`, a fraction where others take a part, which makes all slower; `threads` numbers them.
  SharedCpus(double cpus, size_t threads);

  /// A thread that has nothing to compute gets something.
  void compute(size_t thread, double ms);
  /// Until a thread has computed what it had to, or another may run or move; infinite: nothing
  /// runs.
  double until_next() const;
  void advance(double ms);
  /// A thread that has computed what it had to. It stays on its CPU until sleep(), so that it can
  /// go on with something else. Nothing: there is none (left).
  std::optional<size_t> take_done();
  /// Threads without anything to compute leave their CPUs.
  void sleep();
  /// How long the thread has waited since the last call while another ran.
  double take_waited(size_t thread);
  /// CPUs with a thread.
  size_t used() const;

 private:
  static constexpr size_t kNone = SIZE_MAX;

  /// `time` is virtual: CPU time, where a thread that comes begins with what those have who are
  /// there, less its lag.
  struct Thread {
    size_t cpu = 0;      ///< where it is, or was last
    bool on = false;     ///< it is
    bool works = false;  ///< until it is taken as done
    double left = 0;     ///< to compute
    double waited = 0;
    double time = 0, deadline = 0;  ///< its slice ends when its time gets there
    double lag = 0;                 ///< what it lacked of its part when it left; negative: had more
  };
  struct Cpu {
    std::vector<size_t> threads;
    size_t running = kNone;
    double spared_until = 0;  ///< its deadline when it was chosen
    double time = 0;          ///< mean of its threads' when the last one left
    double idle_since = 0;
    double mean_idle = 1;  ///< of late
  };

  static bool has_fewer(const Cpu& a, const Cpu& b);
  double mean_time(const Cpu& cpu) const;
  double lag_at(const Cpu& cpu, const Thread& thread) const;
  bool comes_before(size_t a, size_t b, const Cpu& cpu) const;
  void choose(Cpu* cpu);
  bool ends_slice(const Cpu& cpu);
  bool is_spared(const Cpu& cpu) const;
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
