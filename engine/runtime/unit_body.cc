// Bodies: everything that happens on the thread that runs a firing.

#include <algorithm>
#include <new>

#include "base/thrown.h"
#include "measure/thread_clock.h"
#include "runtime/run_core.h"
#include "runtime/unit.h"

namespace penstock {
namespace {

constexpr size_t kLine = 64;

void prefetch_from_to(const void* from, const void* to) {
  for (const auto* at = static_cast<const char*>(from); at < to; at += kLine) {
    __builtin_prefetch(at, 1);
  }
}

}  // namespace

// What a node that packs or copies its input will write.
size_t BodyContext::size_of_inputs(size_t at_least) const {
  constexpr size_t kAlign = 256;
  const std::vector<FieldInfo>& fields = slot_->unit->node().fields.all();
  size_t total = 0;
  for (size_t field = 0; field < fields.size(); ++field) {
    if (fields[field].name.empty() || fields[field].is_text) continue;
    size_t bytes = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (field >= inputs_[i]->fields.size()) continue;
      const auto* tensor = std::get_if<Tensor>(&inputs_[i]->fields[field]);
      if (tensor != nullptr && tensor->defined()) bytes += tensor->nbytes();
    }
    total += (bytes + kAlign - 1) / kAlign * kAlign;
  }
  return std::max(total, at_least);
}

Tensor& BodyContext::output(int field, std::span<const int64_t> sizes, DType dtype, Layout layout) {
  size_t bytes = size_of(dtype);
  for (const int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) {
      throw std::invalid_argument("an output of impossible size was asked for");
    }
  }
  RunCore& run = slot_->unit->run();
  if (ItemMemory* memory = slot_->unit->node().output_memory.get(); memory != nullptr) {
    auto* const blocks = block_ ? nullptr : dynamic_cast<BlockMemory*>(memory);
    if (blocks != nullptr) blocks->open(size_of_inputs(bytes), run.account(), &block_);
    ItemMemory::Piece piece = memory->allocate(bytes, run.account(), &block_);
    Tensor tensor(std::move(piece.owner), piece.data, dtype, sizes, layout);
    tensor.set_device(memory->device());
    return std::get<Tensor>(add(field, std::move(tensor)));
  }
  BufferRef buffer = run.buffers().allocate(bytes);
  void* data = buffer.get()->data;
  return std::get<Tensor>(add(field, Tensor(std::move(buffer), data, dtype, sizes, layout)));
}

void BodyContext::set(int field, Field value) { add(field, std::move(value)); }

Field& BodyContext::add(int field, Field&& value) {
  if (used_ == pending_.size()) pending_.push_back(std::make_unique<Pending>());
  Pending& pending = *pending_[used_++];
  pending.field = field;
  pending.value = std::move(value);
  return pending.value;
}

// Among the fields, so that it is forgotten where they are, and costs nothing where there is none.
void BodyContext::tally(size_t which, uint64_t by) {
  if (which >= slot_->unit->node().tallies.size()) {
    throw std::out_of_range("the operator's schema has no tally of that number");
  }
  const int place = kFirstTally + static_cast<int>(which);
  for (size_t i = 0; i < used_; ++i) {
    if (pending_[i]->field == place) {
      pending_[i]->count += by;
      return;
    }
  }
  add(place, Field());
  pending_[used_ - 1]->count = by;
}

// All of them at the first one, and none where a field is wrong: the body fails then.
void BodyContext::count_tallies(int fields) {
  for (size_t i = 0; i < used_; ++i) {
    const Pending& pending = *pending_[i];
    if (!pending.is_tally() && (pending.field < 0 || pending.field >= fields)) {
      throw std::logic_error("the operator wrote a field that infer() did not add");
    }
  }
  for (size_t i = 0; i < used_; ++i) {
    Pending& pending = *pending_[i];
    if (!pending.is_tally()) continue;
    slot_->unit->count_tally(static_cast<size_t>(pending.field - kFirstTally),
                             std::exchange(pending.count, 0));
  }
}

std::shared_ptr<void> BodyContext::take_place() {
  if (slot_->reservation == nullptr) return nullptr;
  return std::exchange(slot_->reservation, nullptr)->token();
}

bool BodyContext::cancelled() const { return slot_->unit->stopped(); }

std::string BodyContext::key(size_t i) const {
  std::string key = slot_->unit->run().key(i < count_ ? inputs_[i]->origin : *origin_);
  return key.empty() ? Context::key(i) : key;
}

void BodyContext::commit(Item& item, int fields) {
  if (item.fields.size() < static_cast<size_t>(fields)) {
    item.fields.resize(static_cast<size_t>(fields));
  }
  if (used_ == 0 && item.bytes != 0) return;
  for (size_t i = 0; i < used_; ++i) {
    Pending& pending = *pending_[i];
    if (pending.field < 0 || pending.field >= fields) {
      count_tallies(fields);
      continue;
    }
    item.fields[static_cast<size_t>(pending.field)] = std::move(pending.value);
  }
  used_ = 0;  // what was moved from holds no memory
  block_.reset();
  item.bytes = 0;
  for (const Field& field : item.fields) item.bytes += bytes_of(field);
}

void Unit::run_firing(Slot& slot, Worker& worker) {
  execute(slot, worker);
  worker.kick(this);
}

void Unit::execute(Slot& slot, Worker& worker) {
  worker.now = own_now_ns();
  slot.t_start.store(worker.now, std::memory_order_relaxed);
  if (!stopped_.load(std::memory_order_relaxed)) {
    if (kClocks && --slot.until_sample == 0) {
      return run_sampled(slot, worker);
    }
    run_body(slot, worker);
  } else {
    skip_body(slot);
  }
  finish_firing(slot, worker, own_now_ns());
}

void Unit::prefetch_hot() const {
  prefetch_from_to(&pending_, reinterpret_cast<const char*>(&service_) + kLine);
}

void Unit::prefetch(const Slot& slot) const {
  prefetch_from_to(&slot, &slot.context);
  prefetch_hot();
  for (const Edge* edge : in_) edge->prefetch_head();
  for (const Edge* edge : out_) {
    edge->prefetch_tail();
    if (edge->consumer != nullptr) edge->consumer->prefetch_hot();
  }
}

bool Unit::try_firing(Slot& slot, Worker& worker) {
  worker.now = own_now_ns();
  slot.t_start.store(worker.now, std::memory_order_relaxed);
  slot.first_try = true;
  if (stopped_.load(std::memory_order_relaxed)) {
    slot.first_try = false;
    skip_body(slot);
  } else {
    run_body(slot, worker);
  }
  if (slot.first_try) {  // still: nothing came of it
    slot.t_start.store(0, std::memory_order_relaxed);
    slot.first_try = false;
    return false;
  }
  finish_firing(slot, worker, own_now_ns());
  worker.kick(this);
  return true;
}

void Unit::finish_firing(Slot& slot, Worker& worker, int64_t end) {
  worker.now = end;
  slot.t_end.store(worker.now, std::memory_order_relaxed);
  slot.state.store(Slot::kDone, std::memory_order_release);
}

// A thread that is to give its CPU to another one often does so as it returns from a system call,
// such as these readings. So the stamps lie where each such wait is either in the body's time and
// in the run queue's, or in neither.
void Unit::run_sampled(Slot& slot, Worker& worker) {
  const int64_t start = worker.now;  // before the readings
  const int64_t queued_before = thread_run_queue_ns();
  const int64_t cpu_before = thread_cpu_ns();
  run_body(slot, worker);
  const int64_t cpu = thread_cpu_ns() - cpu_before;
  const int64_t end = own_now_ns();
  const int64_t queued = std::max<int64_t>(0, thread_run_queue_ns() - queued_before);
  const int64_t reading = std::min(run_.sample_cost_ns() / 2, end - start - cpu - queued);
  SampledClocks& sampled = slot.sampled;
  ++sampled.firings;
  sampled.wall_ns += end - start - std::max<int64_t>(0, reading);
  sampled.cpu_ns += cpu;
  sampled.run_queue_ns += queued;
  sampled.has_run_queue = queued_before >= 0;
  // One in N so that the reads cost at most 0.5 % of the bodies.
  // The first body of all is its own mean: without one the slot would not be sampled again.
  const int64_t known = mean_body();
  const auto mean = static_cast<double>(std::max<int64_t>(1, known > 0 ? known : end - start));
  const double n = static_cast<double>(run_.sample_cost_ns()) / (0.005 * mean);
  slot.until_sample = static_cast<uint32_t>(std::clamp(n + 1.0, 1.0, 1e9));
  finish_firing(slot, worker, end);
}

void Unit::run_body(Slot& slot, Worker& worker) {
  try {
    body(slot, worker);
  } catch (const std::bad_alloc&) {
    fail(slot, "out of memory", worker, true);
  } catch (const MachineError& error) {
    fail(slot, error.what(), worker, true);
  } catch (...) {
    fail(slot, thrown_text(), worker);
  }
}

void Unit::body(Slot& slot, Worker& worker) {
  Operator& operation = op(slot);
  Item* item = slot.inputs[0];
  slot.context.begin(slot.inputs.data(), 1, &item->origin);
  if (!invoke(operation, slot)) return;
  finish_body(slot, item, worker);
  slot.inputs[0] = nullptr;
}

// The operator's method; false: try_now() would block.
bool Unit::invoke(Operator& operation, Slot& slot) {
  if (slot.first_try) {
    if (!operation.try_now(slot.context)) return false;
    slot.first_try = false;
    return true;
  }
  operation.process(slot.context);
  return true;
}

void Unit::finish_body(Slot& slot, Item* item, Worker& worker) {
  (void)worker;
  Output output;
  output.epoch = slot.epoch;
  output.item = item;
  if (slot.context.dropped()) {
    output.kind = EntryKind::kTombstone;
    item->fields.clear();
    item->bytes = 0;
    slot.context.discard();
  } else {
    slot.context.commit(*item, node_.fields.size());
  }
  slot.outputs.push_back(output);
}

Operator& Unit::op(Slot& slot) {
  if (shared_operator_ != nullptr) return *shared_operator_;
  std::unique_ptr<Operator>& own =
      node_.state == State::kSerial ? serial_operator_ : slot.own_operator;
  if (!own) {
    own = node_.make(node_.params);
    FieldTable fields = node_.input_fields;
    own->infer(fields);
    if (node_.state == State::kSerial) figures_of_.store(own.get(), std::memory_order_release);
  }
  if (node_.state == State::kSerial && operator_epoch_ != static_cast<int64_t>(slot.epoch)) {
    operator_epoch_ = slot.epoch;
    own->reset(slot.epoch);
  }
  return *own;
}

void Unit::fail(Slot& slot, const std::string& message, Worker& worker, bool of_machine) {
  slot.first_try = false;
  slot.context.discard();
  Item* input = slot.inputs.empty() ? nullptr : slot.inputs[0];
  if (input == nullptr) {
    input = worker.items.take();
    input->origin = slot.origin;
    input->samples.clear();
  }
  auto info = std::make_shared<ErrorInfo>();
  info->node = node_.id;
  info->where = node_.at.text();
  info->key = run_.key(input->origin);
  info->origin = input->origin;
  info->message = message;
  info->of_machine = of_machine;
  info->shapes = describe_fields(*input);
  if (!slot.inputs.empty()) slot.inputs[0] = nullptr;
  if (slot.inputs.size() > 1 && node_.kind == Kind::kCollate) {
    input->samples.clear();
    for (const Item* item : slot.inputs) {
      if (item == nullptr) continue;
      if (input->samples.empty()) input->samples.push_back(info->origin);
      input->samples.push_back(item->origin);
    }
  }
  input->fields.clear();
  input->bytes = 0;
  input->error = std::move(info);
  Output output;
  output.item = input;
  output.failed = true;
  output.epoch = slot.epoch;
  slot.outputs.push_back(output);
}

std::string Unit::describe_fields(const Item& item) const {
  std::string text;
  const FieldTable& table = node_.input_fields;
  for (size_t i = 0; i < item.fields.size() && i < static_cast<size_t>(table.size()); ++i) {
    if (!text.empty()) text += ", ";
    text += table.at(static_cast<int>(i)).name + ": ";
    const Field& field = item.fields[i];
    if (const auto* tensor = std::get_if<Tensor>(&field)) {
      text += tensor->describe();
    } else {
      text += "text of " + std::to_string(bytes_of(field)) + " bytes";
    }
  }
  return text;
}

}  // namespace penstock
