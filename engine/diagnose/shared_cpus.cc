#include "diagnose/shared_cpus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace penstock {
namespace {

constexpr double kTick = 4;
constexpr size_t kBalanceTicks = 16;  // from one levelling of the CPUs to the next
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
}

bool SharedCpus::looks_for_idle() const {
  const double part = kFullScale * used_part_;
  return static_cast<double>(cpus_.size()) * (1 - part * part) >= 1;
}

void SharedCpus::put(size_t thread, size_t cpu) {
  Cpu& to = cpus_[cpu];
  if (to.threads.empty()) {
    to.mean_idle += kIdleWeight * (std::min(now_ - to.idle_since, kMostIdle) - to.mean_idle);
  }
  to.threads.push_back(thread);
  threads_[thread].cpu = cpu;
  threads_[thread].on = true;
}

void SharedCpus::leave(size_t thread) {
  Cpu& cpu = cpus_[threads_[thread].cpu];
  std::erase(cpu.threads, thread);
  threads_[thread].on = false;
  if (cpu.threads.empty()) cpu.idle_since = now_;
}

double SharedCpus::next_tick() const { return static_cast<double>(ticks_ + 1) * kTick; }

double SharedCpus::until_next() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Cpu& cpu : cpus_) {
    const auto sharing = static_cast<double>(cpu.threads.size());
    for (const size_t thread : cpu.threads) {
      next = std::min(next, threads_[thread].left * sharing / speed_);
    }
    if (sharing > 1 && cpus_.size() > 1) next = std::min(next, next_tick() - now_);
  }
  return std::max(0.0, next);
}

void SharedCpus::advance(double ms) {
  now_ += ms;
  const double part = static_cast<double>(used()) / static_cast<double>(cpus_.size());
  used_part_ += (part - used_part_) * (1 - std::exp(-ms / kUsedOver));
  for (const Cpu& cpu : cpus_) {
    const double share = 1 / static_cast<double>(std::max<size_t>(1, cpu.threads.size()));
    for (const size_t thread : cpu.threads) {
      Thread& of = threads_[thread];
      of.left -= ms * speed_ * share;
      if (of.left < kNothing) of.left = 0;
      of.waited += ms * (1 - share);
    }
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

/// A thread that still computes, from the busiest CPU, where that one keeps another.
void SharedCpus::pull(Cpu* cpu) {
  const std::vector<size_t>& from = cpus_[busiest()].threads;
  if (from.size() < 2) return;
  const auto found = std::find_if(from.rbegin(), from.rend(),
                                  [this](size_t thread) { return threads_[thread].left > 0; });
  if (found == from.rend()) return;
  const size_t thread = *found;
  leave(thread);
  put(thread, static_cast<size_t>(cpu - cpus_.data()));
}

std::optional<size_t> SharedCpus::take_done() {
  for (const Cpu& cpu : cpus_) {
    for (const size_t thread : cpu.threads) {
      Thread& of = threads_[thread];
      if (of.works && of.left == 0) {
        of.works = false;
        return thread;
      }
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
