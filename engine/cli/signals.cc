#include "cli/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/common.h"

namespace penstock::cli {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

SignalWatch::SignalWatch() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // threads made from here on inherit it
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    throw std::runtime_error("the system lets this process start no thread (see ulimit -u)");
  }
}

SignalWatch::~SignalWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  pthread_kill(watcher_.native_handle(), SIGINT);  // wakes sigwait()
  watcher_.join();
  if (stopper_.joinable()) stopper_.join();
}

void SignalWatch::on_stop(std::function<void()> stop) {
  const std::lock_guard lock(mutex_);
  stop_ = std::move(stop);
}

void SignalWatch::watch() {
  const sigset_t set = watched();
  while (true) {
    int signal = 0;
    sigwait(&set, &signal);
    const std::lock_guard lock(mutex_);
    if (ending_) return;
    if (!stop_ || stopper_.joinable()) _exit(kInterrupted);
    stopper_ = std::thread(std::exchange(stop_, nullptr));
  }
}

}  // namespace penstock::cli
