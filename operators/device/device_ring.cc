#include "device/device_ring.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

#include "device/extent.h"

namespace penstock::operators {
namespace {

constexpr size_t kMostCopies = 4096;  // that wait for take_copies()
/// A device's times are float milliseconds: behind this their steps are a microsecond.
constexpr double kMoveOriginMs = 10'000;

int64_t wall_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t ns_of(double ms) { return static_cast<int64_t>(ms * 1e6); }

}  // namespace

/// What the consumer's stream was told around its work on one batch.
struct DeviceRing::Use {
  EventHandle asked = nullptr, arrived = nullptr, done = nullptr;
  bool streamed = false;  ///< the first two were recorded
  bool untold = false;    ///< all were, and its times are not in the figures yet
};

struct DeviceRing::Slot {
  /// kLettingGo: free for the next copy, and the run does not know yet that it may make one.
  enum State : uint8_t { kFree, kCopied, kHeld, kLettingGo };

  Buffer buffer;                     // one at a time; its context is the slot
  std::shared_ptr<DeviceRing> ring;  // while the buffer is out
  std::shared_ptr<void> place;       // the same
  size_t capacity = 0;
  State state = kFree;
  uint64_t let_go_at = 0;         // when it was let go: the order of use
  Sources sources;                // what its copy is made from
  bool copying = false;           // not known to be over
  bool timed = false;             // `moved` was recorded behind it
  bool worked_on = false;         // last_use().done says when what it held was last used
  StreamHandle stream = nullptr;  // the consumer's
  EventHandle begun = nullptr, moved = nullptr;  // before the copies and behind them
  EventHandle copied = nullptr;                  // behind all that was put on the copies' stream
  /// The host may be two rounds ahead of the device, so that the times of the step before last are
  /// the latest that are known.
  std::array<Use, 2> uses;
  size_t use = 0;

  Use& last_use() { return uses[use]; }
};

DeviceRing::DeviceRing(std::shared_ptr<DeviceRuntime> runtime, size_t slots)
    : runtime_(std::move(runtime)), stream_(runtime_->create_stream()) {
  try {
    for (size_t i = 0; i < slots; ++i) make_slot();
    origin_ = runtime_->create_event();
    next_origin_ = runtime_->create_event();
    runtime_->record(origin_, stream_);
    runtime_->synchronize(origin_);
  } catch (...) {
    destroy();
    throw;
  }
  origin_ns_ = wall_ns();
}

void DeviceRing::make_slot() {
  Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
  slot.begun = runtime_->create_event();
  slot.moved = runtime_->create_event();
  slot.copied = runtime_->create_event();
  for (Use& use : slot.uses) {
    for (EventHandle* event : {&use.asked, &use.arrived, &use.done}) {
      *event = runtime_->create_event();
    }
  }
  slot.buffer.release = &DeviceRing::release;
  slot.buffer.context = &slot;
  slot.buffer.memory = this;
}

DeviceRing::~DeviceRing() {
  finish();
  destroy();
}

// What was made of it.
void DeviceRing::destroy() noexcept {
  // First the stream: where the device is at fault, copies may still be on it.
  runtime_->drain(stream_);
  runtime_->destroy_stream(stream_);
  const auto end = [this](EventHandle event) {
    if (event != nullptr) runtime_->destroy_event(event);
  };
  for (const auto& slot : slots_) {
    if (slot->buffer.data != nullptr) runtime_->free(slot->buffer.data);
    for (EventHandle event : {slot->begun, slot->moved, slot->copied}) end(event);
    for (const Use& use : slot->uses) {
      for (EventHandle event : {use.asked, use.arrived, use.done}) end(event);
    }
  }
  end(origin_);
  end(next_origin_);
}

void DeviceRing::finish() noexcept {
  for (const auto& slot : slots_) {
    try {
      wait_for(*slot, true);
    } catch (...) {  // a device at fault may still read what copies are made from: it stays
    }
  }
}

void DeviceRing::check() {
  for (const auto& slot : slots_) wait_for(*slot, false);
}

// For the copy into the slot, and for what the consumer does with it; on whatever thread the batch
// is let go of meanwhile.
void DeviceRing::wait_for(Slot& slot, bool work_too) {
  EventHandle copied = nullptr, done = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (slot.copying) copied = slot.copied;
    if (work_too && slot.worked_on) done = slot.last_use().done;
  }
  if (copied != nullptr) runtime_->synchronize(copied);
  if (done != nullptr) runtime_->synchronize(done);
  Sources over;
  const std::lock_guard lock(mutex_);
  over = retire(slot);
}

// Free for longest, so that the slots are used in turn.
DeviceRing::Slot& DeviceRing::take_slot() {
  const std::lock_guard lock(mutex_);
  Slot* oldest = nullptr;
  for (const auto& slot : slots_) {
    if (slot->state != Slot::kFree && slot->state != Slot::kLettingGo) continue;
    if (oldest == nullptr || slot->let_go_at < oldest->let_go_at) oldest = slot.get();
  }
  if (oldest == nullptr) throw DeviceError("no slot of the device is free");
  oldest->state = Slot::kCopied;
  return *oldest;
}

std::vector<Tensor> DeviceRing::copy(const std::vector<const Tensor*>& sources,
                                     std::shared_ptr<void> place, const FinishThere* finish) {
  Slot& slot = take_slot();
  slot.buffer.refs.store(1, std::memory_order_relaxed);
  slot.ring = shared_from_this();
  slot.place = std::move(place);
  const BufferRef owner = BufferRef::adopt(&slot.buffer);  // gives the slot back if this throws
  const int64_t begin = wall_ns();
  if (slot.copying) runtime_->synchronize(slot.copied);
  const int64_t waited = wall_ns() - begin;
  retire_copies();
  move_origin();
  const Extent extent(sources);
  const size_t result = aligned(extent.bytes);  // where what is finished there goes
  const auto bytes = finish == nullptr
                         ? extent.bytes
                         : result + sizeof(float) * static_cast<size_t>(finish->job.elements());
  make_room(slot, bytes);
  if (slot.worked_on) runtime_->wait(stream_, slot.last_use().done);
  slot.worked_on = false;
  runtime_->record(slot.begun, stream_);
  {
    const std::lock_guard lock(mutex_);
    for (const Tensor* from : sources) slot.sources.push_back(from->owner());
    slot.copying = true;
    slot.timed = false;
  }
  put_on_stream(slot, extent, finish, result);
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Tensor& from = *sources[i];
    const bool finished = finish != nullptr && i == finish->pictures;
    void* const at = static_cast<char*>(slot.buffer.data) + (finished ? result : extent.offsets[i]);
    tensors.push_back(finished ? Tensor(owner, at, DType::kFloat32, finish->sizes, finish->layout)
                               : Tensor(owner, at, from.dtype(), from.shape(), from.layout()));
    tensors.back().set_device(runtime_->device());
  }
  const std::lock_guard lock(mutex_);
  ++figures_.copies;
  figures_.transfers += extent.copies.size();
  for (const Extent::Copy& each : extent.copies) figures_.bytes += each.bytes;
  figures_.waited_ns += waited;
  return tensors;
}

// The copies and what is done behind them. `copied` is recorded also behind what was begun of a
// batch that failed; where it cannot be, nothing is left on the stream.
void DeviceRing::put_on_stream(Slot& slot, const Extent& extent, const FinishThere* finish,
                               size_t result) {
  auto* const there = static_cast<char*>(slot.buffer.data);
  std::exception_ptr failure;
  try {
    for (const Extent::Copy& each : extent.copies) {
      runtime_->copy_to_device(there + each.to, each.from, each.bytes, stream_);
    }
    runtime_->record(slot.moved, stream_);
    {
      const std::lock_guard lock(mutex_);
      slot.timed = true;
    }
    if (finish != nullptr) {
      const auto at = [&](size_t i) {
        return reinterpret_cast<uint8_t*>(there) + extent.offsets[i];
      };
      kernels::PictureBatch job = finish->job;
      job.from = at(finish->pictures);
      job.to = reinterpret_cast<float*>(there + result);
      if (finish->flips) job.flips = at(*finish->flips);
      runtime_->finish(job, stream_);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    runtime_->record(slot.copied, stream_);
  } catch (...) {
    runtime_->drain(stream_);
    if (!failure) failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
}

// Memory for the slot; nobody uses what it had.
void DeviceRing::make_room(Slot& slot, size_t needed) {
  const size_t bytes = std::max(kFieldAlign, aligned(needed));
  if (bytes <= slot.capacity && slot.buffer.data != nullptr) return;
  if (slot.worked_on) runtime_->synchronize(slot.last_use().done);
  if (bytes > room_) room_ = grown(room_, bytes);
  void* memory = nullptr;
  try {
    memory = runtime_->allocate(room_);
  } catch (...) {
    if (room_ == bytes) throw;
    room_ = bytes;  // there is no memory to spare
    memory = runtime_->allocate(room_);
  }
  if (slot.buffer.data != nullptr) runtime_->free(slot.buffer.data);
  const std::lock_guard lock(mutex_);
  slot.buffer.data = memory;
  slot.buffer.bytes = slot.capacity = room_;
  ++figures_.allocations;
}

// What copies that are over were made from is let go early: others need the pinned memory.
void DeviceRing::retire_copies() {
  for (const auto& slot : slots_) {
    Sources over;  // goes without the lock
    const std::lock_guard lock(mutex_);
    if (slot->copying && runtime_->is_done(slot->copied)) over = retire(*slot);
  }
}

// With the mutex held; the copy is over. Returns what it was made from, to be let go of without the
// mutex: others may be waiting for that memory, and go on with it on this thread.
DeviceRing::Sources DeviceRing::retire(Slot& slot) {
  if (!std::exchange(slot.copying, false)) return {};
  if (std::exchange(slot.timed, false)) {
    try {
      const int64_t copy_ns = ns_of(runtime_->elapsed_ms(slot.begun, slot.moved));
      since_origin_ms_ = runtime_->elapsed_ms(origin_, slot.begun);
      const int64_t begin_ns = origin_ns_ + ns_of(since_origin_ms_);
      ++figures_.timed;
      figures_.copy_ns += copy_ns;
      if (copies_.size() < kMostCopies) copies_.push_back({begin_ns, begin_ns + copy_ns});
    } catch (...) {  // it is not in the figures; what comes next on the device says what is wrong
    }
  }
  return std::exchange(slot.sources, {});
}

// Copies are timed from an event that is never long ago.
void DeviceRing::move_origin() {
  const std::lock_guard lock(mutex_);
  if (!moving_origin_) {
    if (since_origin_ms_ < kMoveOriginMs) return;
    runtime_->record(next_origin_, stream_);
    moving_origin_ = true;
  } else if (runtime_->is_done(next_origin_)) {
    origin_ns_ += ns_of(runtime_->elapsed_ms(origin_, next_origin_));
    std::swap(origin_, next_origin_);
    since_origin_ms_ = 0;
    moving_origin_ = false;
  }
}

// With the mutex held: a step two rounds ago.
void DeviceRing::time_step(Use& use) {
  if (!std::exchange(use.untold, false) || !runtime_->is_done(use.done)) return;
  ++figures_.steps;
  figures_.exposed_ns += ns_of(runtime_->elapsed_ms(use.asked, use.arrived));
  figures_.step_ns += ns_of(runtime_->elapsed_ms(use.arrived, use.done));
}

void DeviceRing::hand_over(Buffer& buffer, const DeviceStream* stream) {
  auto& slot = *static_cast<Slot*>(buffer.context);
  if (stream != nullptr && stream->device != runtime_->device()) {
    if (!stream->device.is_host()) {
      throw DeviceError("the stream that next() was given is another device's: the batch lies on " +
                        runtime_->name());
    }
    stream = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    if (slot.state == Slot::kHeld) return;  // another field of the same batch
    slot.state = Slot::kHeld;
    slot.use = 1 - slot.use;
    time_step(slot.last_use());
    slot.last_use().streamed = stream != nullptr;
    slot.stream = stream != nullptr ? stream->handle : nullptr;
  }
  if (stream != nullptr) {
    runtime_->record(slot.last_use().asked, slot.stream);
    runtime_->wait(slot.stream, slot.copied);
    runtime_->record(slot.last_use().arrived, slot.stream);
    return;
  }
  const int64_t begin = wall_ns();
  runtime_->synchronize(slot.copied);
  const int64_t exposed = wall_ns() - begin;
  Sources over;
  const std::lock_guard lock(mutex_);
  figures_.exposed_ns += exposed;
  over = retire(slot);
}

void DeviceRing::read(const Buffer& buffer, size_t offset, void* out, size_t bytes) {
  EventHandle const over = runtime_->create_event();
  try {  // on the copies' stream: behind the copy that brought it
    runtime_->copy_to_host(out, static_cast<const char*>(buffer.data) + offset, bytes, stream_);
    runtime_->record(over, stream_);
    runtime_->synchronize(over);
  } catch (...) {
    runtime_->drain(stream_);  // `out` may go now
    runtime_->destroy_event(over);
    throw;
  }
  runtime_->destroy_event(over);
}

bool DeviceRing::all_held() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(slots_.begin(), slots_.end(), [](const auto& slot) {
    return slot->state == Slot::kHeld || slot->state == Slot::kLettingGo;
  });
}

std::vector<CopyRecord> DeviceRing::take_copies() {
  const std::lock_guard lock(mutex_);
  return std::exchange(copies_, {});
}

DeviceFigures DeviceRing::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

// Nobody looks at the batch any more; what the consumer's stream was given to do with it may still
// be going on.
uint64_t DeviceRing::let_go(Slot& slot) noexcept {
  const bool was_held = slot.state == Slot::kHeld;
  bool recorded = false;
  if (was_held) {
    try {
      runtime_->record(slot.last_use().done, slot.stream);
      recorded = true;
    } catch (...) {  // where the device is gone, the next call on it says so
      runtime_->drain(slot.stream);
    }
  }
  const std::lock_guard lock(mutex_);
  if (was_held) {
    slot.worked_on = recorded;
    slot.last_use().untold = recorded && slot.last_use().streamed;
  }
  slot.let_go_at = ++let_go_count_;
  slot.state = Slot::kLettingGo;
  return slot.let_go_at;
}

// The run knows; unless it has used the slot already.
void DeviceRing::is_let_go(Slot& slot, uint64_t at) noexcept {
  const std::lock_guard lock(mutex_);
  if (slot.state == Slot::kLettingGo && slot.let_go_at == at) slot.state = Slot::kFree;
}

void DeviceRing::release(Buffer* buffer) {
  auto& slot = *static_cast<Slot*>(buffer->context);
  const std::shared_ptr<DeviceRing> ring = std::move(slot.ring);
  std::shared_ptr<void> place = std::move(slot.place);
  const uint64_t at = ring->let_go(slot);
  place.reset();  // who gets it starts the next copy, perhaps right here
  ring->is_let_go(slot, at);
}

}  // namespace penstock::operators
