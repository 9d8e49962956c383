#include "device/timed_device.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace penstock::operators {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

/// Done once what was put on a stream before its last record() is.
struct TimedDevice::Event {
  std::mutex mutex;
  std::condition_variable reached;
  uint64_t recorded = 0, done = 0;  // numbers of records
  Clock::time_point at;             // of the last one done
};

/// One copy at a time; each begins where the one before ended, so that what a sleep oversleeps is
/// not lost.
struct TimedDevice::Link {
  std::mutex mutex;
  Clock::time_point free_at;
};

/// A thread that does what it is given, in turn.
class TimedDevice::Stream {
  struct Task {
    Clock::time_point given_at;
    std::function<void(Stream&)> work;
  };

 public:
  Stream() : thread_([this] { run(); }) {}
  ~Stream() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void put(std::function<void(Stream&)> work) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back({Clock::now(), std::move(work)});
    }
    changed_.notify_all();
  }
  /// When what it did last was over, or was given: a device has no late wake-ups, so times follow
  /// from each other and not from when a thread was there. Its own thread's.
  Clock::time_point now;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      if (tasks_.empty()) return;  // what it was given is done even when it ends
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      now = std::max(now, task.given_at);
      task.work(*this);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool ends_ = false;
  std::thread thread_;  // last: it uses the others
};

TimedDevice::TimedDevice(TimedDeviceOptions options)
    : options_(options),
      link_(std::make_unique<Link>()),
      default_stream_(std::make_unique<Stream>()) {}

TimedDevice::~TimedDevice() = default;

TimedDevice::Stream& TimedDevice::stream_of(StreamHandle stream) {
  return stream == nullptr ? *default_stream_ : *static_cast<Stream*>(stream);
}

void* TimedDevice::allocate(size_t bytes) {
  constexpr size_t kAlign = 256;
  void* memory = std::aligned_alloc(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void TimedDevice::free(void* memory) noexcept { std::free(memory); }

StreamHandle TimedDevice::create_stream() { return std::make_unique<Stream>().release(); }

void TimedDevice::destroy_stream(StreamHandle stream) noexcept {
  const std::unique_ptr<Stream> ended(static_cast<Stream*>(stream));
}

void TimedDevice::drain(StreamHandle stream) noexcept {
  EventHandle const over = create_event();
  record(over, stream);
  synchronize(over);
  destroy_event(over);
}

EventHandle TimedDevice::create_event() {
  return std::make_unique<SharedEvent>(std::make_shared<Event>()).release();
}

// Streams keep what they have of it.
void TimedDevice::destroy_event(EventHandle event) noexcept {
  const std::unique_ptr<SharedEvent> ended(static_cast<SharedEvent*>(event));
}

const TimedDevice::SharedEvent& TimedDevice::event_of(EventHandle event) {
  return *static_cast<SharedEvent*>(event);
}

void TimedDevice::copy_to_device(void* to, const void* from, size_t bytes, StreamHandle stream) {
  copy(to, from, bytes, stream);
}

void TimedDevice::copy_to_host(void* to, const void* from, size_t bytes, StreamHandle stream) {
  copy(to, from, bytes, stream);
}

void TimedDevice::copy(void* to, const void* from, size_t bytes, StreamHandle stream) {
  const auto takes = std::chrono::nanoseconds(
      options_.latency_ns +
      static_cast<int64_t>(static_cast<double>(bytes) / options_.bytes_per_s * 1e9));
  stream_of(stream).put([this, to, from, bytes, takes](Stream& on) {
    {
      const std::lock_guard lock(link_->mutex);
      on.now = link_->free_at = std::max(on.now, link_->free_at) + takes;
    }
    std::memcpy(to, from, bytes);
    std::this_thread::sleep_until(on.now);
  });
}

void TimedDevice::record(EventHandle event, StreamHandle stream) {
  const SharedEvent of = event_of(event);
  uint64_t number = 0;
  {
    const std::lock_guard lock(of->mutex);
    number = ++of->recorded;
  }
  stream_of(stream).put([of, number](Stream& on) {
    const std::lock_guard lock(of->mutex);
    of->done = number;
    of->at = on.now;
    of->reached.notify_all();
  });
}

void TimedDevice::wait(StreamHandle stream, EventHandle event) {
  const SharedEvent of = event_of(event);
  uint64_t number = 0;
  {
    const std::lock_guard lock(of->mutex);
    number = of->recorded;
  }
  stream_of(stream).put([of, number](Stream& on) {
    std::unique_lock lock(of->mutex);
    of->reached.wait(lock, [&] { return of->done >= number; });
    on.now = std::max(on.now, of->at);
  });
}

void TimedDevice::synchronize(EventHandle event) {
  const SharedEvent of = event_of(event);
  std::unique_lock lock(of->mutex);
  const uint64_t number = of->recorded;
  of->reached.wait(lock, [&] { return of->done >= number; });
}

bool TimedDevice::is_done(EventHandle event) {
  const SharedEvent of = event_of(event);
  const std::lock_guard lock(of->mutex);
  return of->done == of->recorded;
}

double TimedDevice::elapsed_ms(EventHandle from, EventHandle to) {
  const auto at = [](EventHandle event) {
    const SharedEvent of = event_of(event);
    const std::lock_guard lock(of->mutex);
    return of->at;
  };
  return std::chrono::duration<double, std::milli>(at(to) - at(from)).count();
}

void TimedDevice::finish(const kernels::PictureBatch& pictures, StreamHandle stream) {
  stream_of(stream).put([pictures](Stream& on) {
    kernels::finish_on_cpu(pictures);
    on.now = std::max(on.now, Clock::now());  // takes what it takes here
  });
}

void TimedDevice::work(int64_t ns, StreamHandle stream) {
  stream_of(stream).put([ns](Stream& on) {
    on.now += std::chrono::nanoseconds(ns);
    std::this_thread::sleep_until(on.now);
  });
}

}  // namespace penstock::operators
