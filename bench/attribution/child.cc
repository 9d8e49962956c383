#include "attribution/child.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "attribution/cost_table.h"
#include "attribution/load_ops.h"
#include "attribution/observation.h"
#include "measure/machine.h"
#include "measurement.h"
#include "runtime/run.h"

namespace penstock::bench::attribution {
namespace {

constexpr uint64_t kWarmup = 16;
constexpr int kLongestSeconds = 20;  // of one run

/// The last `count` of the CPUs that this process may use: the first one has the most interrupts.
void use_cpus(int count) {
  const std::vector<int> all = cpu_affinity();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < count && i < static_cast<int>(all.size()); ++i) {
    CPU_SET(static_cast<size_t>(all[all.size() - 1 - static_cast<size_t>(i)]), &set);
  }
  sched_setaffinity(0, sizeof(set), &set);
}

/// In the child, before any thread exists: threads inherit both.
void settle_in(const PipelineCase& pipeline) {
  use_cpus(pipeline.cpus);
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // sleeps end when they say
}

struct Taken {
  std::unique_ptr<RunImpl> run;
  int64_t began = 0, ended = 0;  ///< arrivals of batch `warmup` and of the last one
};

Taken take_batches(const PipelineCase& pipeline, const Load& load, const RunLength& length) {
  RunOptions options;
  options.batches = length.batches;
  options.threads = pipeline.threads;
  Taken taken;
  taken.run = RunImpl::start(plan_of(pipeline), options);
  for (uint64_t batch = 0;;) {
    const Next next = taken.run->next(std::nullopt);
    if (next.kind == Next::Kind::kEnd) break;
    if (next.kind != Next::Kind::kBatch) continue;
    const int64_t now = wall_now();
    if (batch == length.warmup) taken.began = now;
    taken.ended = now;
    load.work(batch++);
  }
  return taken;
}

/// The median of a few steps of the consumer's work with nothing else going on.
double reference_ms(const Load& load) {
  std::vector<double> times;
  for (uint64_t i = 0; i < 9; ++i) {
    const int64_t before = wall_now();
    load.work(i);
    times.push_back(static_cast<double>(wall_now() - before) / 1e6);
  }
  return median(times);
}

void write_all(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count <= 0) return;
    done += static_cast<size_t>(count);
  }
}

std::string read_all(int file, int64_t deadline_ns) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const int64_t left_ms = (deadline_ns - wall_now()) / 1000000;
    pollfd waiting{file, POLLIN, 0};
    if (left_ms <= 0 || poll(&waiting, 1, static_cast<int>(left_ms)) <= 0) return text;
    const ssize_t count = read(file, buffer, sizeof(buffer));
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

[[noreturn]] void be_child(const std::function<nlohmann::ordered_json()>& work, int file) {
  nlohmann::ordered_json result;
  try {
    result = work();
  } catch (const std::exception& error) {
    result = {{"error", error.what()}};
  }
  write_all(file, result.dump());
  _exit(0);
}

}  // namespace

nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& work, int seconds) {
  int ends[2];
  if (pipe(ends) != 0) return {{"error", "no pipe"}};
  const pid_t child = fork();
  if (child < 0) return {{"error", "no process"}};
  if (child == 0) {
    close(ends[0]);
    be_child(work, ends[1]);
  }
  close(ends[1]);
  const std::string text = read_all(ends[0], wall_now() + int64_t{seconds} * 1000000000);
  close(ends[0]);
  kill(child, SIGKILL);  // of no effect where it has ended
  waitpid(child, nullptr, 0);
  auto result = nlohmann::ordered_json::parse(text, nullptr, false);
  if (result.is_discarded()) return {{"error", "no result within the time"}};
  return result;
}

RunLength run_length(uint64_t periods) { return {kWarmup + periods * kPeriod + 1, kWarmup}; }

std::optional<double> measure_rate(const PipelineCase& pipeline, const RunLength& length) {
  const auto work = [&]() -> nlohmann::ordered_json {
    settle_in(pipeline);
    const Load load = consumer_load(pipeline);
    const Taken taken = take_batches(pipeline, load, length);
    const auto counted = static_cast<double>(length.batches - 1 - length.warmup);
    return {{"rate", counted / (static_cast<double>(taken.ended - taken.began) / 1e9)}};
  };
  const auto result = in_child(work, kLongestSeconds);
  if (!result.contains("rate")) return std::nullopt;
  return result["rate"].get<double>();
}

nlohmann::ordered_json observe(const PipelineCase& pipeline, const RunLength& length) {
  const auto work = [&]() -> nlohmann::ordered_json {
    settle_in(pipeline);
    const Load load = consumer_load(pipeline);
    const double reference = reference_ms(load);
    const Taken taken = take_batches(pipeline, load, length);
    const RunLog log = taken.run->log();
    const MachineFacts machine =
        machine_facts(cpu_affinity().size(), cgroup_cpu_quota(), pipeline.threads, false);
    return observation(facts_of(taken.run->plan()), machine, log, reference);
  };
  return in_child(work, 2 * kLongestSeconds);
}

}  // namespace penstock::bench::attribution
