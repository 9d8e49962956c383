#include "runtime/startable_threads.h"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace penstock {
namespace {

// Plain threads that allocate nothing: std::thread frees memory in the new thread, which would make
// the C library set 64 MiB of address space aside for each of them, for good.
void* wait_for_gate(void* gate) {
  const std::lock_guard lock(*static_cast<std::mutex*>(gate));
  return nullptr;
}

}  // namespace

int startable_threads(int wanted) {
  std::mutex gate;
  std::vector<pthread_t> threads;
  threads.reserve(static_cast<size_t>(wanted));
  {
    const std::lock_guard closed(gate);
    pthread_t thread{};
    while (static_cast<int>(threads.size()) < wanted &&
           pthread_create(&thread, nullptr, wait_for_gate, &gate) == 0) {
      threads.push_back(thread);
    }
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  return static_cast<int>(threads.size());
}

}  // namespace penstock
