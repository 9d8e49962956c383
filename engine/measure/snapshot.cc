#include "measure/snapshot.h"

#include <numeric>

namespace penstock {

int64_t SlotStates::sum() const {
  const int64_t waits = std::accumulate(starved.begin(), starved.end(), int64_t{0}) +
                        std::accumulate(blocked.begin(), blocked.end(), int64_t{0});
  return waits + thread_wait + running + handover + order_held + blocked_pool + drained;
}

}  // namespace penstock
