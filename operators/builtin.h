#pragma once
/// The built-in operators: one function each, defined in the operator's own file. A new one adds a
/// line here and a line in builtin.cc.

#include "penstock/operator.h"

namespace penstock::operators {

// synthetic/
OperatorDef make_synthetic();
OperatorDef make_sleep();
OperatorDef make_spin();
// transform/
OperatorDef make_filter();
OperatorDef make_merge();
OperatorDef make_repeat();
OperatorDef make_take();
OperatorDef make_zip();
// collate/
OperatorDef make_collate();

}  // namespace penstock::operators
