#include "support/lazy_device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace penstock {

using operators::DeviceError;

struct LazyDevice::Op {
  enum Kind : uint8_t { kCopy, kFinish, kRecord, kWait } kind = kCopy;
  kernels::PictureBatch pictures;
  char* to = nullptr;
  const char* from = nullptr;
  size_t bytes = 0;
  bool fails = false;
  bool from_host = false;
  uint64_t sum = 0;  // of a copy's source when it was asked for
  Mark* mark = nullptr;
  uint64_t number = 0;     // of the record
  Queue* queue = nullptr;  // of a wait: where that record is
  uint64_t place = 0;
};

struct LazyDevice::Queue {
  std::deque<Op> ops;
  uint64_t done = 0;  // ops that are done and gone
  bool failed = false;
  uint64_t end() const { return done + ops.size(); }
};

struct LazyDevice::Mark {
  uint64_t recorded = 0, done = 0, at = 0;
  Queue* queue = nullptr;
  uint64_t place = 0;
};

LazyDevice::LazyDevice(LazyDeviceOptions options) : options_(options) {
  queues_.push_back(std::make_unique<Queue>());
}

LazyDevice::~LazyDevice() {
  for (const auto& [memory, bytes] : memory_) std::free(memory);
}

uint64_t LazyDevice::sum_of(const void* from, size_t bytes) {
  uint64_t sum = bytes;
  for (size_t i = 0; i < bytes; ++i) sum = mix64(sum, static_cast<const uint8_t*>(from)[i]);
  return sum;
}

LazyDevice::Queue& LazyDevice::queue_of(Stream stream) {
  return stream == nullptr ? *queues_.front() : *static_cast<Queue*>(stream);
}

void LazyDevice::fail_if_lost() const {
  if (options_.lost_after != 0 && copies_ > options_.lost_after) {
    throw DeviceError("the device is lost");
  }
}

void* LazyDevice::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  constexpr size_t kAlign = 256;
  void* memory = std::aligned_alloc(kAlign, (bytes / kAlign + 1) * kAlign);
  std::memset(memory, 0xDB, bytes);
  memory_[memory] = bytes;
  return memory;
}

// Nothing that is still to be done may use it.
void LazyDevice::give(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(memory);
  if (found == memory_.end()) return;
  const auto* begin = static_cast<const char*>(memory);
  const char* end = begin + found->second;
  for (const auto& queue : queues_) {
    for (const Op& op : queue->ops) {
      if (op.kind != Op::kCopy) continue;
      if (op.from >= begin && op.from < end) violations_.push_back("a copy's source was freed");
      if (op.to >= begin && op.to < end) violations_.push_back("a copy's target was freed");
    }
  }
  std::free(memory);
  memory_.erase(found);
}

void* LazyDevice::allocate(size_t bytes) {
  const std::lock_guard lock(mutex_);
  fail_if_lost();
  if (bytes > options_.memory - std::min(used_, options_.memory)) {
    throw DeviceError("allocating device memory: out of memory");
  }
  used_ += bytes;
  return take(bytes);
}

void LazyDevice::free(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(memory);
  if (found != memory_.end()) used_ -= std::min(used_, found->second);
  give(memory);
}

void* LazyDevice::allocate_pinned(size_t bytes) {
  const std::lock_guard lock(mutex_);
  fail_if_lost();
  if (++pinned_ > options_.pinned_blocks) {
    --pinned_;
    throw DeviceError("allocating pinned memory: out of memory");
  }
  return take(bytes);
}

void LazyDevice::free_pinned(void* memory) noexcept {
  --pinned_;
  give(memory);
}

LazyDevice::Stream LazyDevice::create_stream() {
  const std::lock_guard lock(mutex_);
  fail_if_lost();
  return queues_.emplace_back(std::make_unique<Queue>()).get();
}

// What is on it is done first; the queue stays, for waits that name it.
void LazyDevice::destroy_stream(Stream stream) noexcept { drain(stream); }

void LazyDevice::drain(Stream stream) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    run(queue_of(stream), queue_of(stream).end());
  } catch (const DeviceError&) {
    queue_of(stream).ops.clear();
  }
}

LazyDevice::Event LazyDevice::create_event() {
  const std::lock_guard lock(mutex_);
  fail_if_lost();
  return marks_.emplace_back(std::make_unique<Mark>()).get();
}

void LazyDevice::destroy_event(Event event) noexcept { (void)event; }

void LazyDevice::put(Stream stream, Op op) {
  const std::lock_guard lock(mutex_);
  fail_if_lost();
  queue_of(stream).ops.push_back(op);
  run_some();
}

void LazyDevice::copy_to_device(void* to, const void* from, size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  Op op;
  op.to = static_cast<char*>(to);
  op.from = static_cast<const char*>(from);
  op.bytes = bytes;
  op.from_host = true;
  op.sum = sum_of(from, bytes);
  op.fails = ++copies_ == options_.failing_copy;
  put(stream, op);
}

void LazyDevice::copy_to_host(void* to, const void* from, size_t bytes, Stream stream) {
  Op op;
  op.to = static_cast<char*>(to);
  op.from = static_cast<const char*>(from);
  op.bytes = bytes;
  put(stream, op);
}

void LazyDevice::finish(const kernels::PictureBatch& pictures, Stream stream) {
  Op op;
  op.kind = Op::kFinish;
  op.pictures = pictures;
  put(stream, op);
}

void LazyDevice::record(Event event, Stream stream) {
  const std::lock_guard lock(mutex_);
  if (record_fails_ > 0 && --record_fails_ == 0) {
    throw DeviceError("an injected failure of record()");
  }
  auto* const mark = static_cast<Mark*>(event);
  Queue& queue = queue_of(stream);
  Op op;
  op.kind = Op::kRecord;
  op.mark = mark;
  op.number = mark->recorded + 1;
  fail_if_lost();
  mark->recorded = op.number;
  mark->queue = &queue;
  mark->place = queue.end();
  put(stream, op);
}

void LazyDevice::wait(Stream stream, Event event) {
  const std::lock_guard lock(mutex_);
  const auto* const mark = static_cast<const Mark*>(event);
  if (mark->recorded == 0) return;
  Op op;
  op.kind = Op::kWait;
  op.queue = mark->queue;
  op.place = mark->place;
  put(stream, op);
}

void LazyDevice::synchronize(Event event) {
  const std::lock_guard lock(mutex_);
  if (synchronize_fails_ > 0 && --synchronize_fails_ == 0) {
    throw DeviceError("an injected failure of synchronize()");
  }
  fail_if_lost();
  const auto* const mark = static_cast<const Mark*>(event);
  if (mark->recorded != 0) run(*mark->queue, mark->place + 1);
}

bool LazyDevice::is_done(Event event) {
  const std::lock_guard lock(mutex_);
  fail_if_lost();
  const auto* const mark = static_cast<const Mark*>(event);
  return mark->done == mark->recorded;
}

double LazyDevice::elapsed_ms(Event from, Event to) {
  const std::lock_guard lock(mutex_);
  const auto at = [](Event event) { return static_cast<double>(static_cast<Mark*>(event)->at); };
  return at(to) - at(from);
}

void LazyDevice::run(Queue& queue, uint64_t until) {
  while (queue.done < until && !queue.ops.empty()) {
    const Op op = queue.ops.front();
    queue.ops.pop_front();
    ++queue.done;
    execute(queue, op);
  }
}

void LazyDevice::execute(Queue& queue, const Op& op) {
  clock_ += options_.clock_step;
  switch (op.kind) {
    case Op::kWait:
      run(*op.queue, op.place + 1);
      break;
    case Op::kFinish:
      kernels::finish_on_cpu(op.pictures);
      break;
    case Op::kRecord:
      op.mark->done = op.number;
      op.mark->at = clock_;
      break;
    case Op::kCopy:
      if (op.from_host && op.sum != sum_of(op.from, op.bytes)) {
        violations_.push_back("a copy's source was changed before the copy was made");
      }
      if (op.fails) queue.failed = true;
      if (queue.failed) throw DeviceError("an injected failure of a copy");
      std::memcpy(op.to, op.from, op.bytes);
      ++made_;
      break;
  }
}

void LazyDevice::run_some() {
  if (options_.seed == 0) return;
  const auto draw = [this](uint64_t below) { return mix64(options_.seed, ++drawn_) % below; };
  for (uint64_t i = draw(4); i > 0; --i) {
    Queue& queue = *queues_[draw(queues_.size())];
    run(queue, queue.done + 1);
  }
}

std::vector<std::string> LazyDevice::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}

size_t LazyDevice::live() const {
  const std::lock_guard lock(mutex_);
  return memory_.size();
}

uint64_t LazyDevice::copies() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

}  // namespace penstock
