#pragma once
/// Schemas in words: what `describe` prints and the page docs/operators.md are made of.

#include <string>
#include <vector>

#include "penstock/schema.h"

namespace penstock {

/// A parameter as people read it. Empty: there is nothing to say.
struct ParamWords {
  std::string name;
  std::string type;           ///< "int", "list of int", "one of none, HWC, CHW"
  std::string default_value;  ///< as one would write it in YAML; "required"; empty: optional
  std::string range;          ///< "0 to 1", "at least 1", "1 to 3 values, each at least 0"
  std::string unit;
  std::string doc;
};
ParamWords words_of(const Param& param);

/// The operator's own parameters, in the order declared, then those that the engine adds for its
/// kind (shuffle; cycle and chunk).
std::vector<Param> all_params(const Schema& schema);

/// "map: one item in, one or none out; on the CPU threads; stateless; draws random numbers".
std::string traits_of(const Schema& schema);

/// A section about one operator: heading, text, table of parameters, fields, example.
std::string format_markdown(const Schema& schema);
/// The whole page: an overview, then all sections, in the order given.
std::string operators_page(const std::vector<Schema>& schemas);

}  // namespace penstock
