#pragma once
/// Putting one field of several samples together; used by operators that make batches.

#include <string>

#include "penstock/operator.h"

namespace penstock::operators {

/// The layout of a batch of pictures: HWC gives NHWC, CHW gives NCHW, all others kNone.
Layout batch_layout(Layout layout);

/// Writes the elements of `tensor` densely in row-major order, whatever its strides.
void copy_dense(const Tensor& tensor, void* out);

/// Outputs field number `field` of all of ctx's inputs as one: stacked tensors or a list of texts.
/// `name` is for messages. Throws std::invalid_argument when they do not go together, naming the
/// field and both samples.
void pack_field(Context& ctx, int field, const std::string& name);

}  // namespace penstock::operators
