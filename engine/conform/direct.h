#pragma once
/// Bodies called one by one, without the engine: what they do to their inputs, and what they make
/// of inputs that do not lie dense.

#include <memory>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace penstock::conform {

/// True of a map, an expand and a collate: their bodies have inputs and outputs.
bool makes_outputs(Kind kind);

/// Calls the subject of `plan` on ordinary samples and compares its inputs before and after; what
/// was changed ("it changes its input: field 'x'"), or "".
std::string changed_input(const std::shared_ptr<const Plan>& plan);

/// Names of the fields that bodies of the subject wrote on ordinary samples; none of one that
/// makes_outputs() does not know.
std::vector<std::string> written_fields(const std::shared_ptr<const Plan>& plan);

/// What a subject makes of strided inputs.
struct Strided {
  int same = 0, refused = 0;  ///< samples
  std::string wrong;          ///< the first other output, or empty
  bool changes_input = false;
};
/// Calls the subject, which makes_outputs(), on dense samples and on strided views of the same
/// elements.
Strided try_strided(const std::shared_ptr<const Plan>& plan);

}  // namespace penstock::conform
