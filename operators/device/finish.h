#pragma once
/// What device_copy does to the pictures of a batch once they are on the device.

#include <optional>
#include <string>

#include "kernels/finish_pictures.h"
#include "penstock/operator.h"

namespace penstock::operators {

/// Throws std::invalid_argument for a tensor with gaps between its elements.
void require_dense(const Tensor& tensor);

/// By the parameters `normalize`, `mean`, `std`, `layout` and `flips`.
class Finish {
 public:
  /// Nothing where `normalize` names no field. Throws ParamError.
  static std::optional<Finish> from(const Params& params);
  /// Finds its fields and says what becomes of the pictures. Throws ParamError.
  void infer(FieldTable& fields);

  int pictures() const { return pictures_; }
  /// -1: none are mirrored.
  int flips() const { return flips_; }
  /// What is to be done with pictures of that shape, but for where they lie. Throws
  /// std::invalid_argument for what is no batch of such pictures.
  kernels::PictureBatch job(const Tensor& pictures, const Tensor* flips) const;
  std::vector<int64_t> sizes(const kernels::PictureBatch& job) const;
  Layout layout() const { return planar_ ? Layout::kNCHW : Layout::kNHWC; }

 private:
  std::string field_, flips_field_;
  std::vector<double> mean_, std_;
  bool planar_ = true;
  int pictures_ = -1, flips_ = -1;
};

}  // namespace penstock::operators
