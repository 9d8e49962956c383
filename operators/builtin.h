#pragma once
/// The built-in operators: one function each, defined in the operator's own file. A new one adds a
/// line here and a line in builtin.cc.

#include "penstock/operator.h"

namespace penstock::operators {

// read/
OperatorDef make_read_folder();
// decode/
OperatorDef make_decode_image();
// synthetic/
OperatorDef make_synthetic();
OperatorDef make_sleep();
OperatorDef make_spin();
// transform/
OperatorDef make_center_crop();
OperatorDef make_convert();
OperatorDef make_filter();
OperatorDef make_horizontal_flip();
OperatorDef make_merge();
OperatorDef make_normalize();
OperatorDef make_random_resized_crop();
OperatorDef make_repeat();
OperatorDef make_resize();
OperatorDef make_take();
OperatorDef make_to_float();
OperatorDef make_zip();
// collate/
OperatorDef make_collate();
// device/
OperatorDef make_device_copy();
OperatorDef make_pin();

}  // namespace penstock::operators
