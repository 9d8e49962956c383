#pragma once
/// Who runs ready firings. Units know only this interface, so that gates and seeded schedules drive
/// the same units as the product's threads.

namespace penstock {

class Unit;
class Worker;
struct Slot;

class Executor {
 public:
  virtual ~Executor() = default;
  /// The firing in `slot` may run now. Called by the unit's evaluator on any thread; must not run
  /// the body itself.
  virtual void submit(Slot& slot, Worker& worker) = 0;
  /// Whether the calling thread would take a firing of that unit before all others.
  virtual bool takes_next(const Unit& unit, const Worker& worker) const {
    (void)unit, (void)worker;
    return false;
  }
};

}  // namespace penstock
