#include "diagnose/shared_cpus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace penstock {
namespace {

constexpr double kTick = 4;
constexpr double kSlice = 1.4;        // 0.7 (1 + log2 n) with n = 2 CPUs; up to 2.8 with 8 and more
constexpr double kMostLag = 4;        // a tick, or two slices
constexpr size_t kBalanceTicks = 64;  // from one levelling of the CPUs to the next
constexpr double kLeastIdle = 0.5, kMostIdle = 1;
constexpr double kIdleWeight = 1.0 / 8;  // of the newest idle time
constexpr double kUsedOver = 46;         // half of it is 32 ms old
constexpr double kFullScale = 1.17;
constexpr double kWhole = 0.02;  // less than that beyond whole CPUs is none
constexpr double kNothing = 1e-9;

size_t whole(double cpus) { return static_cast<size_t>(std::max(1.0, std::ceil(cpus - kWhole))); }

}  // namespace

SharedCpus::SharedCpus(double cpus, size_t threads)
    : speed_(std::min(1.0, cpus / static_cast<double>(whole(cpus)))),
      threads_(threads),
      cpus_(whole(cpus)) {
  for (size_t t = 0; t < threads; ++t) threads_[t].cpu = t % cpus_.size();
}

void SharedCpus::compute(size_t thread, double ms) {
  Thread& of = threads_[thread];
  of.left = ms;
  of.works = true;
  if (of.on) return;
  size_t cpu = of.cpu;
  if (!cpus_[cpu].threads.empty() && looks_for_idle()) {
    const auto idle = std::find_if(cpus_.begin(), cpus_.end(),
                                   [](const Cpu& other) { return other.threads.empty(); });
    if (idle != cpus_.end()) cpu = static_cast<size_t>(idle - cpus_.begin());
  }
  put(thread, cpu);
  if (ends_slice(cpus_[cpu]) || !is_spared(cpus_[cpu])) choose(&cpus_[cpu]);
}

bool SharedCpus::looks_for_idle() const {
  const double part = kFullScale * used_part_;
  return static_cast<double>(cpus_.size()) * (1 - part * part) >= 1;
}

double SharedCpus::mean_time(const Cpu& cpu) const {
  if (cpu.threads.empty()) return cpu.time;
  const double sum =
      std::accumulate(cpu.threads.begin(), cpu.threads.end(), 0.0,
                      [this](double all, size_t thread) { return all + threads_[thread].time; });
  return sum / static_cast<double>(cpu.threads.size());
}

/// Of a thread that comes. Who had more than its part has paid for it once the others got there.
double SharedCpus::lag_at(const Cpu& cpu, const Thread& thread) const {
  if (thread.lag >= 0) return thread.lag;
  if (&cpu != &cpus_[thread.cpu]) return 0;
  return std::clamp(mean_time(cpu) - thread.time, -kMostLag, 0.0);
}

bool SharedCpus::comes_before(size_t a, size_t b, const Cpu& cpu) const {
  const double sooner = threads_[b].deadline - threads_[a].deadline;
  if (std::abs(sooner) < kNothing) return b == cpu.running;
  return sooner > 0;
}

void SharedCpus::choose(Cpu* cpu) {
  const double mean = mean_time(*cpu) + kNothing;
  size_t best = kNone;
  for (const size_t thread : cpu->threads) {
    if (threads_[thread].time > mean) continue;
    if (best == kNone || comes_before(thread, best, *cpu)) best = thread;
  }
  cpu->running = best;
  if (best != kNone) cpu->spared_until = threads_[best].deadline;
}

/// Whether the thread that runs has used its slice; it gets a new one then.
/// Asked where another one is there or comes: who is alone goes on with what is over.
bool SharedCpus::ends_slice(const Cpu& cpu) {
  Thread& running = threads_[cpu.running];
  if (running.time < running.deadline - kNothing) return false;
  running.deadline = running.time + kSlice;
  return true;
}

bool SharedCpus::is_spared(const Cpu& cpu) const {
  const double time = threads_[cpu.running].time;
  return time < cpu.spared_until - kNothing && time <= mean_time(cpu) + kNothing;
}

void SharedCpus::put(size_t thread, size_t cpu) {
  Cpu& to = cpus_[cpu];
  Thread& of = threads_[thread];
  of.time = mean_time(to);
  if (to.threads.empty()) {
    to.mean_idle += kIdleWeight * (std::min(now_ - to.idle_since, kMostIdle) - to.mean_idle);
  } else {
    // So far from the mean that it lacks its lag also from the mean with it.
    const auto others = static_cast<double>(to.threads.size());
    of.time -= lag_at(to, of) * (others + 1) / others;
  }
  of.deadline = of.time + kSlice;
  to.threads.push_back(thread);
  of.cpu = cpu;
  of.on = true;
  if (to.running == kNone) choose(&to);
}

void SharedCpus::leave(size_t thread) {
  Thread& of = threads_[thread];
  Cpu& cpu = cpus_[of.cpu];
  cpu.time = mean_time(cpu);
  of.lag = std::clamp(cpu.time - of.time, -kMostLag, kMostLag);
  std::erase(cpu.threads, thread);
  of.on = false;
  if (cpu.threads.empty()) cpu.idle_since = now_;
  if (cpu.running == thread) choose(&cpu);
}

double SharedCpus::next_tick() const { return static_cast<double>(ticks_ + 1) * kTick; }

double SharedCpus::until_next() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Cpu& cpu : cpus_) {
    if (cpu.running == kNone) continue;
    const Thread& running = threads_[cpu.running];
    next = std::min(next, running.left / speed_);
    if (cpu.threads.size() < 2) continue;
    next = std::min(next, running.deadline - running.time);
    if (cpus_.size() > 1) next = std::min(next, next_tick() - now_);
  }
  return std::max(0.0, next);
}

void SharedCpus::advance(double ms) {
  now_ += ms;
  const double part = static_cast<double>(used()) / static_cast<double>(cpus_.size());
  used_part_ += (part - used_part_) * (1 - std::exp(-ms / kUsedOver));
  for (Cpu& cpu : cpus_) {
    if (cpu.running == kNone) continue;
    for (const size_t thread : cpu.threads) {
      if (thread != cpu.running) threads_[thread].waited += ms;
    }
    Thread& running = threads_[cpu.running];
    running.time += ms;
    running.left -= ms * speed_;
    if (running.left < kNothing) running.left = 0;
    if (cpu.threads.size() > 1 && ends_slice(cpu)) choose(&cpu);
  }
  for (; now_ >= next_tick() - kNothing; ++ticks_) tick();
}

void SharedCpus::tick() {
  for (Cpu& cpu : cpus_) {
    if (cpu.threads.empty()) pull(&cpu);
  }
  if ((ticks_ + 1) % kBalanceTicks != 0) return;
  const auto least = std::min_element(cpus_.begin(), cpus_.end(), has_fewer);
  if (cpus_[busiest()].threads.size() > least->threads.size()) pull(&*least);
}

bool SharedCpus::has_fewer(const Cpu& a, const Cpu& b) {
  return a.threads.size() < b.threads.size();
}

size_t SharedCpus::busiest() const {
  const auto most = std::max_element(cpus_.begin(), cpus_.end(), has_fewer);
  return static_cast<size_t>(most - cpus_.begin());
}

/// A thread that waits, from the busiest CPU.
void SharedCpus::pull(Cpu* cpu) {
  const Cpu& from = cpus_[busiest()];
  const auto found = std::find_if(from.threads.rbegin(), from.threads.rend(), [&](size_t thread) {
    return thread != from.running && threads_[thread].left > 0;
  });
  if (found == from.threads.rend()) return;
  const size_t thread = *found;
  leave(thread);
  put(thread, static_cast<size_t>(cpu - cpus_.data()));
}

std::optional<size_t> SharedCpus::take_done() {
  for (const Cpu& cpu : cpus_) {
    if (cpu.running == kNone) continue;
    Thread& running = threads_[cpu.running];
    if (running.works && running.left == 0) {
      running.works = false;
      return cpu.running;
    }
  }
  return std::nullopt;
}

void SharedCpus::sleep() {
  for (Cpu& cpu : cpus_) {
    if (cpu.threads.empty()) continue;
    const std::vector<size_t> there = cpu.threads;
    for (const size_t thread : there) {
      if (!threads_[thread].works) leave(thread);
    }
    if (cpu.threads.empty() && cpu.mean_idle >= kLeastIdle) pull(&cpu);
  }
}

double SharedCpus::take_waited(size_t thread) {
  return std::exchange(threads_[thread].waited, 0.0);
}

size_t SharedCpus::used() const {
  return static_cast<size_t>(std::count_if(cpus_.begin(), cpus_.end(),
                                           [](const Cpu& cpu) { return !cpu.threads.empty(); }));
}

}  // namespace penstock
