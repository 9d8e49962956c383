#pragma once
/// What the picture operators share: which fields they work on, and views of them for the kernels.

#include <string>
#include <vector>

#include "kernels/image.h"
#include "kernels/resize_weights.h"
#include "penstock/operator.h"

namespace penstock::operators {

/// A field that an operator works on.
struct PictureField {
  std::string name;
  int index = -1;        ///< In the node's field table; set by resolve_fields().
  bool is_mask = false;  ///< Resized without making new values.
};

/// The fields that the parameters `fields`, and `masks` where the schema has it, name.
std::vector<PictureField> picture_fields(const Params& params);

/// Parameters `fields` and, for operators that resize, `masks`.
Schema& add_fields(Schema& schema, bool with_masks);

/// Looks the fields up; throws ParamError for one that is not there or is known not to be a
/// picture.
void resolve_fields(std::vector<PictureField>& fields, FieldTable& table);

/// Says that the pictures behind this node have `height` x `width` pixels (-1: not known).
void set_known_size(const std::vector<PictureField>& fields, FieldTable& table, int64_t height,
                    int64_t width);

/// Height, width and channels of a picture of any element type, in HWC or CHW. Three dimensions
/// without a layout count as HWC.
struct PictureShape {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  bool planar = false;  ///< CHW
};

/// Throws std::invalid_argument naming `field` when the tensor is not a dense picture.
PictureShape picture_shape(const Tensor& tensor, const std::string& field);

/// The tensor as an 8-bit interleaved picture. Throws std::invalid_argument saying what it is and
/// where in a pipeline `op` belongs, when it is something else.
kernels::ImageView view_of(const Tensor& tensor, const std::string& field, const std::string& op);

/// Memory for a picture of that size in the output.
kernels::MutableImageView output_picture(Context& ctx, int field, int64_t height, int64_t width,
                                         int64_t channels);

/// A side or area as the kernels take it; throws std::invalid_argument for one above 2^31 - 1.
int to_int(int64_t value);

/// Parameter `size`: one number or [height, width].
Param size_param(std::string doc);

/// Height and width of parameter `size`; one number counts for both.
std::pair<int, int> size_of_param(const Params& params);

/// Parameter `filter`: bilinear, bicubic or nearest.
Param filter_param();

/// The filter that parameter `filter` names.
kernels::Filter filter_of_param(const Params& params);

}  // namespace penstock::operators
