#include "diagnose/busiest.h"

namespace penstock {

Busiest busiest(const Snapshot& begin, const Snapshot& end) {
  Busiest result;
  const auto window = static_cast<double>(end.now - begin.now);
  if (window <= 0) return result;
  for (size_t u = 0; u < end.units.size(); ++u) {
    const UnitSnapshot& unit = end.units[u];
    const bool seen = u < begin.units.size();
    const int64_t running = unit.states.running - (seen ? begin.units[u].states.running : 0);
    const int64_t passed = unit.now - (seen ? begin.units[u].now : 0);
    if (passed <= 0) continue;
    const double share =
        static_cast<double>(running) / (static_cast<double>(passed) * unit.concurrency);
    if (share > result.share) result = {unit.id, share};
  }
  const auto work = static_cast<double>(end.consumer.work_ns - begin.consumer.work_ns) / window;
  if (work > result.share) result = {"consumer", work};
  return result;
}

}  // namespace penstock
