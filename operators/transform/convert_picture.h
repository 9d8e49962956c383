#pragma once
/// The body that to_float and convert share.

#include "builtin.h"
#include "transform/planes.h"

namespace penstock::operators {

/// What becomes of a picture's elements.
struct Conversion {
  DType dtype = DType::kFloat32;
  bool scale = false;
  std::string layout = "keep";
};

/// Changes element type and order of axes of the fields that `params` names. Throws ParamError for
/// an element type that pictures cannot have.
std::unique_ptr<Operator> make_converter(const Params& params, Conversion conversion);

}  // namespace penstock::operators
