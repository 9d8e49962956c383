#include "builtin.h"

namespace penstock::operators {

// Taking turns is the engine's work; the operator has no body.
OperatorDef make_merge() {
  return {.schema = Schema("merge", Kind::kMerge,
                           "Passes on the items of several in-edges in turn, one of each, leaving "
                           "out those whose epoch has ended; with `order: any` whichever comes "
                           "first. The inputs must have the same fields.")
                        .reads("*", "the same fields on every input")
                        .example("{op: merge, from: [day, night]}"),
          .make = [](const Params&) { return std::make_unique<Operator>(); }};
}

}  // namespace penstock::operators
