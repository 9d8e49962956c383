#include "diagnose/busiest.h"

namespace penstock {

Busiest busiest(const Snapshot& begin, const Snapshot& end) {
  Busiest result;
  const auto window = static_cast<double>(end.now - begin.now);
  if (window <= 0) return result;
  for (size_t u = 0; u < end.units.size(); ++u) {
    const UnitSnapshot& unit = end.units[u];
    const int64_t before = u < begin.units.size() ? begin.units[u].states.running : 0;
    const double share =
        static_cast<double>(unit.states.running - before) / (window * unit.concurrency);
    if (share > result.share) result = {unit.id, share};
  }
  const auto work = static_cast<double>(end.consumer.work_ns - begin.consumer.work_ns) / window;
  if (work > result.share) result = {"consumer", work};
  return result;
}

}  // namespace penstock
