#pragma once
/// Bodies on several threads at once, for the thread sanitizer.

#include <memory>

#include "plan/plan.h"

namespace penstock::conform {

/// True when the thread sanitizer's runtime is in this process: only then is a race seen.
bool watches_threads();

/// Calls bodies of the subject of `plan` on four threads at once, as its state allows, with inputs
/// and outputs of their own. The engine is left aside: it is not instrumented, so its
/// synchronisation would not be seen. False: the sanitizer reports something; its words go on to
/// stderr.
bool call_from_threads(const std::shared_ptr<const Plan>& plan);

}  // namespace penstock::conform
