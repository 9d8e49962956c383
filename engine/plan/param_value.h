#pragma once
/// One value as written -> the type that a parameter has.

#include <optional>
#include <string>

#include "penstock/schema.h"
#include "plan/complaints.h"
#include "plan/graph_spec.h"

namespace penstock {

/// Nothing after a complaint. `path` names the value: "nodes.crop.params.size".
std::optional<ParamValue> convert_value(const Value& value, const Param& param,
                                        const std::string& path, const std::string& base_dir,
                                        Complaints* say);
/// A text that is equal for equal values.
std::string canonical_text(const ParamValue& value);

}  // namespace penstock
