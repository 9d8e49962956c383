#pragma once
/// The live answer to "who limits now": a hint while a run goes on, not the verdict.

#include <string>

#include "measure/snapshot.h"

namespace penstock {

struct Busiest {
  std::string id;    ///< of a unit, or "consumer"; empty: nothing ran
  double share = 0;  ///< of its slots' time in bodies (of the consumer: in its own work)
};

/// Of the time between two snapshots of a run: whose slots spent the largest share running. On one
/// saturated CPU all shares rise together, so this can mislead where the report's verdict does not.
Busiest busiest(const Snapshot& begin, const Snapshot& end);

}  // namespace penstock
