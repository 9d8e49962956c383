#include "builtin.h"

namespace penstock::operators {

// Pairing and renaming fields is the engine's work; the operator has no body.
OperatorDef make_zip() {
  return {
      .schema =
          Schema("zip", Kind::kZip,
                 "Joins one item of each in-edge into one that has the fields of all. The items "
                 "must be of the same place in the epoch; the first in-edge's origin goes on. An "
                 "epoch ends with the shortest input.")
              .writes("*", "all fields of all inputs; of `from: {left: a}` as left.*")
              .example("{op: zip, from: {picture: decode, mask: decode_mask}}"),
      .make = [](const Params&) { return std::make_unique<Operator>(); }};
}

}  // namespace penstock::operators
