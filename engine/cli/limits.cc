#include "cli/limits.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include "penstock/device.h"
#include "report/words.h"

namespace penstock::cli {
namespace {

// Libraries, plugins and the terminal; then for each blocking slot a file, a folder or socket and
// what a library opens beside it.
constexpr uint64_t kFilesOfProcess = 64;
constexpr uint64_t kFilesOfSlot = 4;
constexpr uint64_t kPinnedAtLeast = uint64_t{64} << 20;

bool locks_pages(const PlanNode& node) {
  const ItemMemory* const memory = node.output_memory.get();
  if (memory == nullptr || memory->device().kind != Device::Kind::kPinned) return false;
  const auto* blocks = dynamic_cast<const BlockMemory*>(memory);
  return blocks == nullptr || blocks->locked();  // that of a simulated device is the heap's
}

uint64_t soft_limit(__rlimit_resource which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return limit.rlim_cur;
}

}  // namespace

SystemLimits system_limits() { return {soft_limit(RLIMIT_NOFILE), soft_limit(RLIMIT_MEMLOCK)}; }

std::vector<std::string> limit_warnings(const Plan& plan, const SystemLimits& limits) {
  uint64_t slots = 0;
  bool pins = false;
  for (const PlanNode& node : plan.nodes()) {
    if (node.where == Where::kBlocking) slots += static_cast<uint64_t>(node.concurrency);
    if (locks_pages(node)) pins = true;
  }
  std::vector<std::string> warnings;
  const uint64_t files = kFilesOfProcess + kFilesOfSlot * slots;
  if (limits.open_files < files) {
    warnings.push_back(fmt::format(
        "at most {} open files are allowed, and {} that wait for I/O may need {}: raise it with "
        "ulimit -n {}",
        limits.open_files, count_text(slots, "slot", "slots"), files, files));
  }
  if (pins && limits.locked_bytes < kPinnedAtLeast) {
    warnings.push_back(
        fmt::format("at most {} of memory may be locked, pinned batches may need more: raise it "
                    "with ulimit -l",
                    bytes_text(limits.locked_bytes)));
  }
  return warnings;
}

}  // namespace penstock::cli
