#include "runtime/forked.h"

#include <unistd.h>

#include <atomic>
#include <stdexcept>

namespace penstock {
namespace {

std::atomic<pid_t> owner{0};  // of the threads; oneTBB's outlive every engine

}  // namespace

void note_threads() { owner.store(getpid(), std::memory_order_relaxed); }

bool threads_lost() {
  const pid_t known = owner.load(std::memory_order_relaxed);
  return known != 0 && known != getpid();
}

void require_threads() {
  if (!threads_lost()) return;
  throw std::runtime_error(
      "this process was forked from one in which Penstock had started threads, and a fork has none "
      "of them: fork before the first start(), or exec, or use workers: 0");
}

}  // namespace penstock
