#pragma once
/// Who runs ready firings. Units know only this interface, so that gates and seeded schedules drive
/// the same units as the product's threads.

namespace penstock {

class Worker;
struct Slot;

class Executor {
 public:
  virtual ~Executor() = default;
  /// The firing in `slot` may run now. Called by the unit's evaluator on any thread; must not run
  /// the body itself.
  virtual void submit(Slot& slot, Worker& worker) = 0;
};

}  // namespace penstock
