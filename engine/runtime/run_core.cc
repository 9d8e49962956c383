#include "runtime/run_core.h"

#include <algorithm>
#include <chrono>

#include "measure/machine.h"
#include "runtime/inline_executor.h"
#include "runtime/tbb_executor.h"

namespace penstock {
/// Bytes of this run; passes them on to the engine's budget. Buffers keep it alive.
class RunCore::Account final : public ByteAccount {
 public:
  explicit Account(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}

 protected:
  void on_add(size_t bytes) override { budget_->add(bytes); }
  void on_drop(size_t bytes) override { budget_->drop(bytes); }

 private:
  std::shared_ptr<MemoryBudget> budget_;
};

std::unique_ptr<RunImpl> RunImpl::start(std::shared_ptr<const Plan> plan, RunOptions options) {
  return std::make_unique<RunCore>(std::move(plan), std::move(options));
}

RunCore::RunCore(std::shared_ptr<const Plan> plan, RunOptions options)
    : plan_(std::move(plan)),
      options_(std::move(options)),
      engine_(options_.engine != nullptr
                  ? options_.engine
                  : std::make_shared<EngineImpl>(
                        options_.threads > 0 ? options_.threads
                                             : static_cast<int>(plan_->spec().threads.value_or(0)),
                        static_cast<int64_t>(options_.memory_bytes.value_or(
                            plan_->spec().memory_bytes.value_or(0))))),
      account_(std::make_shared<Account>(engine_->budget())),
      buffers_(std::make_shared<BufferPool>(account_)),
      consumer_worker_(&engine_->items()) {
  const GraphSpec& spec = plan_->spec();
  if (spec.serial && options_.scheduling == Scheduling::kThreads) {
    options_.scheduling = Scheduling::kInline;
  }
  const auto epochs = options_.epochs ? options_.epochs : spec.epochs;
  const auto batches = options_.batches ? options_.batches : spec.batches;
  batch_limit_ = batches.value_or(0);
  if (epochs || !batches) {  // epochs are counted in 32 bits
    const uint64_t left = UINT32_MAX - options_.first_epoch;
    end_epoch_ = options_.first_epoch + static_cast<int64_t>(std::min(epochs.value_or(1), left));
  }
  if (batches == 0U) end_epoch_ = options_.first_epoch;
  if (options_.first_epoch >= end_epoch_) finished_.store(true);  // nothing is wanted
  enter_epoch(options_.first_epoch);
  build_edges();
  build_units();
  choose_executors();
  try {
    begin();
  } catch (...) {
    tear_down();
    throw;
  }
}

void RunCore::build_edges() {
  for (const PlanEdge& planned : plan_->edges()) {
    const bool to_consumer = planned.to == static_cast<int>(plan_->nodes().size());
    Edge& edge = *edges_.emplace_back(
        std::make_unique<Edge>(serial() ? 1 : planned.capacity, planned.capacity_bytes));
    edge.index = static_cast<int>(edges_.size()) - 1;
    edge.port = static_cast<size_t>(planned.port);
    if (to_consumer) sink_edge_ = &edge;
  }
}

void RunCore::build_units() {
  int deepest = 0;
  for (const PlanNode& node : plan_->nodes()) deepest = std::max(deepest, node.depth);
  for (const PlanUnit& planned : plan_->units()) {
    const PlanNode& node = plan_->nodes()[static_cast<size_t>(planned.nodes.front())];
    const int slots = serial() ? 1 : node.concurrency;
    units_.push_back(make_unit(*this, node, static_cast<int>(units_.size()), slots));
    Unit& unit = *units_.back();
    const bool upstream_first = options_.scheduling == Scheduling::kUpstreamFirst;
    unit.depth = upstream_first ? deepest - node.depth : node.depth;
    std::vector<Edge*> in, out;
    for (const int e : node.in_edges) {
      in.push_back(edges_[static_cast<size_t>(e)].get());
      in.back()->consumer = &unit;
    }
    for (const int e : node.out_edges) {
      out.push_back(edges_[static_cast<size_t>(e)].get());
      out.back()->producer = &unit;
    }
    unit.connect(in, out);
    if (auto* source = dynamic_cast<SourceUnit*>(&unit)) sources_.push_back(source);
    if (unit.out().empty()) sinks_.push_back(&unit);
  }
  std::vector<std::string> names;
  const Unit& last = *sink_edge_->producer;
  for (const FieldInfo& field : last.node().fields.all()) names.push_back(field.name);
  names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  sink_errors_.resize(units_.size(), {0, nullptr});
}

void RunCore::choose_executors() {
  if (options_.scheduling == Scheduling::kInline || options_.scheduling == Scheduling::kSeeded) {
    std::optional<uint64_t> seed;
    if (options_.scheduling == Scheduling::kSeeded) seed = options_.schedule_seed;
    inline_ = std::make_unique<InlineExecutor>(seed);
    openmp_ = OpenMpCalls::find();
    for (auto& unit : units_) unit->executor = unit->blocking_executor = inline_.get();
    return;
  }
  int blocking = 0;
  for (const auto& unit : units_) {
    if (unit->node().where != Where::kCpu) blocking += unit->slot_count();
  }
  if (const std::string warning = engine_->prepare(blocking); !warning.empty()) warn(warning);
  if (const std::string& warning = engine_->arena().warning(); !warning.empty()) warn(warning);
  tbb_ = std::make_unique<TbbExecutor>(*this, *engine_, units_);
  const bool any_cpu = std::any_of(units_.begin(), units_.end(), [](const auto& unit) {
    return unit->node().where == Where::kCpu;
  });
  for (auto& unit : units_) {
    unit->blocking_executor = &tbb_->blocking();
    const bool waits = unit->node().where != Where::kCpu;
    const bool tries = waits && any_cpu && unit->node().prototype->has_try_now();
    unit->executor = waits && !tries ? unit->blocking_executor : tbb_.get();
  }
}

void RunCore::enter_epoch(uint32_t epoch) {
  constexpr int64_t kMostAhead = 1024;
  consumer_epoch_ = epoch;
  epoch_bound_.store(std::min(end_epoch_, int64_t{epoch} + kMostAhead), std::memory_order_seq_cst);
  if (!epoch_refused_.exchange(false, std::memory_order_seq_cst)) return;
  for (const auto& unit : units_) kick_soon(unit.get());
}

bool RunCore::may_begin_epoch(uint32_t epoch) {
  if (int64_t{epoch} < epoch_bound_.load(std::memory_order_relaxed)) return true;
  if (int64_t{epoch} >= end_epoch_) return false;
  epoch_refused_.store(true, std::memory_order_seq_cst);
  // Else the bound moved in between, and nobody would kick.
  return int64_t{epoch} < epoch_bound_.load(std::memory_order_seq_cst);
}

void RunCore::begin() {
  engine_->budget()->join(this);
  process_cpu_at_start_ = process_cpu_ns();
  start_ = now_ns();
  recording_ = kClocks && records_all();
  consumer_.begin(start_, engine_->sample_cost_ns());
  cpus_ = cpu_affinity();
  for (auto& edge : edges_) edge->begin(start_);
  for (auto& unit : units_) unit->begin(start_);
  enter();
  {
    const WorkerScope scope(&consumer_worker_);
    consumer_worker_.now = start_;
    consumer_worker_.run = this;
    for (auto& unit : units_) consumer_worker_.kick(unit.get());
  }
  leave();
}

RunCore::~RunCore() { tear_down(); }

void RunCore::tear_down() {
  cancel();
  wait_idle();
  engine_->budget()->leave(this);
  for (auto& unit : units_) unit->close_pool();
  wait_idle();  // a budget that opened meanwhile, or a place given back, may have kicked
  if (tbb_) tbb_->shutdown();
  if (inline_) {
    const WorkerScope scope(&consumer_worker_);
    while (Slot* slot = inline_->take()) slot->unit->run_firing(*slot, consumer_worker_);
  }
  for (auto& edge : edges_) {
    while (edge->has_entry()) {
      if (Item* item = edge->front().item; item != nullptr) {
        item->reservation = nullptr;
        consumer_worker_.items.give(item);
      }
      edge->pop(0);
    }
  }
}

// ---------------------------------------------------------------- activity

void RunCore::leave() {
  while (SourceUnit* admitted = give_token_back()) {
    admitted->admit();
    admissions_.fetch_add(1, std::memory_order_relaxed);
    Worker worker(&engine_->items());
    const WorkerScope scope(&worker);
    worker.run = this;
    worker.now = now_ns();
    worker.kick(admitted);
  }
}

// Returns a source that may pass the gate, and with it the token.
SourceUnit* RunCore::give_token_back() {
  int seen = activity_.load(std::memory_order_relaxed);
  while (seen > 1) {
    if (activity_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel)) return nullptr;
  }
  // Possibly the last token: under the mutex, so that nobody who waits for idleness can take the
  // run apart before we are out of here.
  std::lock_guard lock(mutex_);
  if (activity_.fetch_sub(1, std::memory_order_acq_rel) != 1) return nullptr;
  SourceUnit* admitted = on_quiescent();
  if (admitted != nullptr) {
    enter();
  } else {
    idle_.notify_all();
  }
  return admitted;
}

// Nothing runs and nothing is ready (the mutex is held). Returns a source that may pass the gate.
SourceUnit* RunCore::on_quiescent() {
  const bool waits = waiting_.load(std::memory_order_relaxed) != 0 && !woken_;
  const bool ends = finished_.load();
  if (waits && ends && sinks_finished()) {  // it waits for just this
    woken_ = true;
    wake_.notify_all();
    return nullptr;
  }
  if (held_.load() || (!waits && !ends)) return nullptr;
  if (waits && !inline_ && all_held_memory() != nullptr) {  // more in flight would not help it
    out_of_buffers_ = true;
    woken_ = true;
    wake_.notify_all();
    return nullptr;
  }
  SourceUnit* least = nullptr;
  for (SourceUnit* source : sources_) {
    if (!source->gated() || source->stopped()) continue;
    if (least == nullptr || source->progress() < least->progress()) least = source;
  }
  if (least != nullptr) return least;
  if (waits && !inline_) {
    failure_ = describe_stall();
    woken_ = true;
    wake_.notify_all();
  }
  return nullptr;
}

void RunCore::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = reason;
  woken_ = true;
  wake_.notify_all();
}

std::string RunCore::describe_stall() const {
  std::string text = "the run is stalled: nothing runs and nothing is ready";
  for (const auto& edge : edges_) {
    const uint64_t content = edge->content();
    const std::string to = edge->consumer != nullptr ? edge->consumer->node().id : "consumer";
    text += "; " + edge->producer->node().id + " -> " + to + " " +
            (content == 0 ? "empty"
             : content >= edge->capacity()
                 ? "full"
                 : std::to_string(content) + " of " + std::to_string(edge->capacity()));
  }
  for (const auto& unit : units_) {
    int ready = 0, finished = 0;
    for (int i = 0; i < unit->slot_count(); ++i) {
      const Slot::State state = unit->slot(i).state.load(std::memory_order_acquire);
      if (state == Slot::kTaken) ++ready;
      if (state == Slot::kDone) ++finished;
    }
    if (ready + finished == 0) continue;
    text += "; " + unit->node().id + " keeps " + std::to_string(ready + finished) + " of " +
            std::to_string(unit->slot_count()) + " slots";
    if (ready > 0) text += " (" + std::to_string(ready) + " not run)";
  }
  return text;
}

std::string RunCore::describe_work() const {
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  for (const auto& unit : units_) {
    for (int i = 0; i < unit->slot_count(); ++i) {
      const Slot& slot = unit->slot(i);
      if (slot.state.load(std::memory_order_acquire) != Slot::kTaken ||
          slot.t_start.load(std::memory_order_relaxed) == 0) {
        continue;
      }
      add("node '" + unit->node().id + "', busy with the item at position " +
          std::to_string(slot.position.load(std::memory_order_relaxed)));
    }
  }
  if (awaits_device_.load()) add("the copy of a batch to the device, in next()");
  return text.empty() ? "a call of next() to return" : text;
}

// Of a serial run too: a thread that lets go of a batch works for it meanwhile.
void RunCore::wait_idle() {
  constexpr double kSaySeconds = 3;
  using Clock = std::chrono::steady_clock;
  const auto say_at =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                         std::min(kSaySeconds, options_.stuck_warning_seconds)));
  bool said = false;
  std::unique_lock lock(mutex_);
  while (!idle_.wait_for(lock, std::chrono::milliseconds(20),
                         [this] { return activity_.load(std::memory_order_acquire) == 0; })) {
    if (tbb_) tbb_->offer_again();
    if (said || Clock::now() < say_at) continue;
    said = true;
    lock.unlock();
    warn("stopping waits for " + describe_work());
    lock.lock();
  }
}

void RunCore::kick_from_outside(Unit* unit) {
  enter();
  {
    Worker worker(&engine_->items());
    const WorkerScope scope(&worker);
    worker.run = this;
    worker.now = now_ns();
    worker.kick(unit);
  }
  leave();
}

void RunCore::kick_soon(Unit* unit) {
  if (Worker* worker = Worker::current(); worker != nullptr && worker->run == this) {
    worker->queue_kick(unit);
  } else {
    kick_from_outside(unit);
  }
}

void RunCore::budget_opened() {
  for (SourceUnit* source : sources_) {
    if (source->gated()) kick_soon(source);
  }
}

void RunCore::hold(bool on) {
  held_.store(on, std::memory_order_seq_cst);
  if (on) return;
  for (SourceUnit* source : sources_) kick_from_outside(source);
}

// ---------------------------------------------------------------- errors and facts

void RunCore::warn(const std::string& message) const {
  if (options_.on_warning) options_.on_warning(message);
}

void RunCore::note_skipped(const ErrorInfo& error) {
  constexpr size_t kKept = 1000;
  std::lock_guard lock(skipped_mutex_);
  if (skipped_.size() < kKept) skipped_.push_back(error);
}

std::vector<ErrorInfo> RunCore::skipped() const {
  std::lock_guard lock(skipped_mutex_);
  return skipped_;
}

Item* RunCore::make_error_item(const PlanNode& node, const Origin& origin,
                               const std::string& message) {
  auto info = std::make_shared<ErrorInfo>();
  info->node = node.id;
  info->where = node.at.text();
  info->message = message;
  info->origin = origin;
  Item* item = engine_->items().take(1);
  item->origin = info->origin;
  item->error = std::move(info);
  return item;
}

void RunCore::sink_error(const Unit& sink, std::shared_ptr<const ErrorInfo> error, uint32_t epoch) {
  std::lock_guard lock(mutex_);
  auto& kept = sink_errors_[static_cast<size_t>(sink.index())];
  if (!kept.second) kept = {epoch, std::move(error)};
}

std::string RunCore::key(const Origin& origin) const {
  if (origin.source >= sources_.size()) return {};
  try {
    return sources_[origin.source]->key(origin.index);
  } catch (...) {
    return {};  // a name for messages: without it they say the place
  }
}

uint64_t RunCore::known_length(const PlanNode& node, uint32_t epoch) const {
  const PlanNode* at = &node;
  while (at->kind == Kind::kMap && at->in_edges.size() == 1) {
    const PlanEdge& edge = plan_->edges()[static_cast<size_t>(at->in_edges[0])];
    at = &plan_->nodes()[static_cast<size_t>(edge.from)];
  }
  if (at->kind != Kind::kSource) return 0;
  try {
    return sources_[at->source_index]->length(epoch);
  } catch (...) {
    return 0;  // the source's own unit reports it
  }
}

std::string RunCore::status() const {
  switch (status_.load()) {
    case 1:
      return "complete";
    case 2:
      return "stopped";
    case 3:
      return "failed";
    default:
      return "running";
  }
}

}  // namespace penstock
