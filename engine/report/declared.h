#pragma once
/// What operators declare of their outputs beside what they make.

#include <string>
#include <vector>

#include "penstock/operator.h"

namespace penstock {

/// Compares an item's fields with what infer() says of them; adds each difference that `faults`
/// does not have yet: "field 'x' is declared float32 and is int32 [8]".
void add_untrue(const FieldTable& declared, const Item& item, std::vector<std::string>* faults);

}  // namespace penstock
