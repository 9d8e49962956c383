#include "device/finish.h"

#include <cmath>
#include <stdexcept>

namespace penstock::operators {
namespace {

using kernels::PictureBatch;

/// The value for a channel: its own, or the one for all.
float of_channel(const std::vector<double>& values, int channel) {
  return static_cast<float>(values[values.size() == 1 ? 0 : static_cast<size_t>(channel)]);
}

void check_values(const std::vector<double>& values, const char* param, bool zero) {
  for (const double value : values) {
    const auto narrow = static_cast<float>(value);
    if (std::isfinite(narrow) && (zero || narrow != 0)) continue;
    throw ParamError(param,
                     zero ? "must be finite in float32" : "must be finite in float32 and not 0");
  }
}

void refuse_without_pictures(bool given, const char* param, const std::string& does) {
  if (!given) return;
  throw ParamError(param, does + " pictures that are normalised here",
                   "name their field in 'normalize'");
}

}  // namespace

void require_dense(const Tensor& tensor) {
  if (tensor.contiguous()) return;
  throw std::invalid_argument("a field is " + tensor.describe() +
                              " with gaps between its elements; collate makes it dense");
}

std::optional<Finish> Finish::from(const Params& params) {
  Finish finish;
  finish.field_ = params.text("normalize");
  finish.flips_field_ = params.text("flips");
  finish.mean_ = params.numbers("mean");
  finish.std_ = params.numbers("std");
  finish.planar_ = params.text("layout") == "CHW";
  if (finish.field_.empty()) {
    const std::vector<double> none = {0}, unit = {1};
    refuse_without_pictures(!finish.flips_field_.empty(), "flips", "mirrors only");
    refuse_without_pictures(finish.mean_ != none, "mean", "is only for");
    refuse_without_pictures(finish.std_ != unit, "std", "is only for");
    refuse_without_pictures(!finish.planar_, "layout", "is only for");
    return std::nullopt;
  }
  check_values(finish.mean_, "mean", true);
  check_values(finish.std_, "std", false);
  return finish;
}

void Finish::infer(FieldTable& fields) {
  pictures_ = fields.require(field_, "normalize");
  flips_ = flips_field_.empty() ? -1 : fields.require(flips_field_, "flips");
  FieldInfo& info = fields.at(pictures_);
  if (info.is_text || (info.dtype && *info.dtype != DType::kUInt8) ||
      info.layout == Layout::kNCHW) {
    throw ParamError("normalize", "field '" + field_ + "' is no batch of uint8 HWC pictures",
                     "collate makes one of decoded pictures of one size");
  }
  if (planar_ && info.shape && info.shape->size() == 4) {
    auto& shape = *info.shape;
    shape = {shape[0], shape[3], shape[1], shape[2]};
  }
  info.dtype = DType::kFloat32;
  info.layout = layout();
}

PictureBatch Finish::job(const Tensor& pictures, const Tensor* flips) const {
  if (pictures.dtype() != DType::kUInt8 || pictures.dims() != 4 ||
      pictures.layout() != Layout::kNHWC) {
    throw std::invalid_argument("field '" + field_ + "' is " + pictures.describe() +
                                ", not a batch of uint8 HWC pictures");
  }
  for (const Tensor* tensor : {&pictures, flips}) {
    if (tensor != nullptr) require_dense(*tensor);
  }
  PictureBatch job;
  job.batch = pictures.size(0);
  job.height = pictures.size(1);
  job.width = pictures.size(2);
  const int64_t channels = pictures.size(3);
  const auto fits = [channels](const std::vector<double>& values) {
    return values.size() == 1 || static_cast<int64_t>(values.size()) == channels;
  };
  if (channels > PictureBatch::kMostChannels || !fits(mean_) || !fits(std_)) {
    throw std::invalid_argument("field '" + field_ + "' has " + std::to_string(channels) +
                                " channels, and there are " + std::to_string(mean_.size()) +
                                " means and " + std::to_string(std_.size()) + " deviations");
  }
  job.channels = static_cast<int>(channels);
  job.planar = planar_;
  for (int channel = 0; channel < job.channels; ++channel) {
    job.mean[channel] = of_channel(mean_, channel);
    job.std[channel] = of_channel(std_, channel);
  }
  if (flips != nullptr && (size_of(flips->dtype()) != 1 || flips->numel() != job.batch)) {
    throw std::invalid_argument("field '" + flips_field_ + "' is " + flips->describe() +
                                ", not one bool or uint8 a picture");
  }
  return job;
}

std::vector<int64_t> Finish::sizes(const PictureBatch& job) const {
  if (planar_) return {job.batch, job.channels, job.height, job.width};
  return {job.batch, job.height, job.width, job.channels};
}

}  // namespace penstock::operators
