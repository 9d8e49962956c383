#include "cli/progress.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "diagnose/busiest.h"
#include "report/words.h"
#include "runtime/run.h"

namespace penstock::cli {
namespace {

constexpr auto kPeriod = std::chrono::milliseconds(500);

std::string line_of(const Snapshot& begin, const Snapshot& end) {
  const double seconds = static_cast<double>(end.now - begin.now) / 1e9;
  const uint64_t examples = end.consumer.examples - begin.consumer.examples;
  const double rate = seconds > 0 ? static_cast<double>(examples) / seconds : 0;
  std::string line =
      fmt::format("{}, {}, {} ex/s", count_text(end.consumer.batches, "batch", "batches"),
                  count_text(end.consumer.examples, "example", "examples"), rate_text(rate));
  const Busiest limit = busiest(begin, end);
  if (!limit.id.empty()) {
    line += fmt::format(", limit now {} ({:.0f} % busy)", limit.id, limit.share * 100);
  }
  return line;
}

}  // namespace

Progress::Progress(Run& run, Console& console, std::string label)
    : run_(run), console_(console), label_(std::move(label)) {
  if (console.shows_progress()) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::show() {
  Snapshot last = run_.impl().snapshot();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kPeriod, [this] { return ending_; })) {
    Snapshot now = run_.impl().snapshot();
    console_.progress(label_ + line_of(last, now));
    last = std::move(now);
  }
}

}  // namespace penstock::cli
