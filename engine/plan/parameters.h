#pragma once
/// Parameters as written -> typed values, checked against the schema.

#include <string>
#include <vector>

#include "penstock/schema.h"
#include "plan/complaints.h"
#include "plan/graph_spec.h"

namespace penstock {

/// Parameters that the engine itself reads, of every operator of a kind: `shuffle` of a source,
/// `cycle` and `chunk` of an expand.
std::vector<Param> engine_params(Kind kind);

struct CheckedParams {
  Params params;          ///< of the operator, complete
  Params engine;          ///< see engine_params(), complete
  std::string canonical;  ///< the same for equal values, however they were written
};

/// Every mistake goes to `say`; the result is of use only when there was none.
CheckedParams check_params(const NodeSpec& node, const Schema& schema, Complaints* say);

}  // namespace penstock
