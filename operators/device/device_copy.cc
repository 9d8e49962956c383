#include "device/device_copy.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "builtin.h"

namespace penstock::operators {

DeviceCopy::DeviceCopy(const Params& params, const DeviceFinder& find)
    : slots_(static_cast<size_t>(params.integer("slots"))), finish_(Finish::from(params)) {
  const std::string& name = params.text("device");
  if (!is_device_name(name)) {
    throw ParamError("device", "'" + name + "' is no device",
                     "auto, cpu, cuda:0 (or another number) or simulated");
  }
  if (name == "cpu") return;
  const auto bytes_per_s = static_cast<double>(params.integer("link"));
  FoundDevice found = find(name == "auto" ? "cuda:0" : name, bytes_per_s);
  if (found.runtime == nullptr && name != "auto") {
    throw ParamError("device", name + " cannot be used: " + found.reason,
                     "device: auto takes a device where there is one");
  }
  runtime_ = std::move(found.runtime);
  refusal_ = std::move(found.reason);
}

DeviceCopy::~DeviceCopy() {
  if (ring_ != nullptr) ring_->finish();
}

std::vector<std::string> DeviceCopy::notes() const {
  if (refusal_.empty()) return {};
  return {"batches stay on the CPU: " + refusal_};
}

void DeviceCopy::infer(FieldTable& fields) {
  fields_.clear();
  for (int i = 0; i < fields.size(); ++i) {
    FieldInfo& field = fields.at(i);
    if (field.name.empty() || field.is_text) continue;
    if (field.on_device) {
      throw ParamError("from", "field '" + field.name + "' lies on a device already",
                       "one device_copy is enough");
    }
    fields_.push_back(i);
    field.on_device = runtime_ != nullptr;
  }
  if (finish_) finish_->infer(fields);
}

/// The same where batches stay on the CPU.
void DeviceCopy::finish_here(Context& ctx) const {
  const Tensor& pictures = ctx.tensor(finish_->pictures());
  const Tensor* const flips = finish_->flips() < 0 ? nullptr : &ctx.tensor(finish_->flips());
  kernels::PictureBatch job = finish_->job(pictures, flips);
  job.from = pictures.data_as<uint8_t>();
  job.flips = flips == nullptr ? nullptr : flips->data_as<uint8_t>();
  job.to = ctx.output(finish_->pictures(), finish_->sizes(job), DType::kFloat32, finish_->layout())
               .mutable_data_as<float>();
  kernels::finish_on_cpu(job);
}

FinishThere DeviceCopy::finish_there(const std::vector<const Tensor*>& sources,
                                     const std::vector<int>& fields) const {
  const auto place_of = [&fields](int field) {
    const auto found = std::find(fields.begin(), fields.end(), field);
    if (found == fields.end()) throw std::invalid_argument("a batch lacks its pictures or flips");
    return static_cast<size_t>(found - fields.begin());
  };
  FinishThere finish;
  finish.pictures = place_of(finish_->pictures());
  if (finish_->flips() >= 0) finish.flips = place_of(finish_->flips());
  finish.job =
      finish_->job(*sources[finish.pictures], finish.flips ? sources[*finish.flips] : nullptr);
  finish.sizes = finish_->sizes(finish.job);
  finish.layout = finish_->layout();
  return finish;
}

void DeviceCopy::process(Context& ctx) {
  if (runtime_ == nullptr) {
    if (finish_) finish_here(ctx);
    return;
  }
  if (ring_ == nullptr) {
    ring_ = std::make_shared<DeviceRing>(runtime_, slots_);
    there_.store(ring_.get(), std::memory_order_release);
  }
  std::vector<const Tensor*> sources;
  std::vector<int> moved;
  for (const int field : fields_) {
    const auto* tensor = std::get_if<Tensor>(&ctx.in().fields[static_cast<size_t>(field)]);
    if (tensor == nullptr || !tensor->defined()) continue;
    require_dense(*tensor);
    sources.push_back(tensor);
    moved.push_back(field);
  }
  std::optional<FinishThere> finish;
  if (finish_) finish = finish_there(sources, moved);
  std::vector<Tensor> copies = ring_->copy(sources, ctx.take_place(), finish ? &*finish : nullptr);
  for (size_t i = 0; i < copies.size(); ++i) ctx.set(moved[i], std::move(copies[i]));
}

DeviceFigures DeviceCopy::device_figures() const {
  const DeviceRing* ring = there_.load(std::memory_order_acquire);
  return ring == nullptr ? DeviceFigures{} : ring->figures();
}

std::vector<CopyRecord> DeviceCopy::take_copies() {
  DeviceRing* ring = there_.load(std::memory_order_acquire);
  return ring == nullptr ? std::vector<CopyRecord>{} : ring->take_copies();
}

OperatorDef make_device_copy_on(DeviceFinder find) {
  Schema schema("device_copy", Kind::kMap,
                "Copies batches to a device, on a stream of its own: the next one moves while the "
                "consumer computes on this one. The consumer holds a slot of the device as long as "
                "it holds the batch's tensors.");
  schema.where(Where::kDevice)
      .state(State::kSerial)
      .param({.name = "device",
              .type = ParamType::kString,
              .doc = "Where batches go: cuda:0 (or another number); auto, the first CUDA device "
                     "where there is one and else the CPU; cpu, nowhere; simulated, a device that "
                     "exists in this process only.",
              .default_value = std::string("auto")})
      .param({.name = "slots",
              .type = ParamType::kInt,
              .doc =
                  "Batches that have room on the device: one that the consumer works on, and one "
                  "that moves meanwhile.",
              .default_value = int64_t{2},
              .unit = "batches",
              .low = 1,
              .high = 1024})
      .param({.name = "link",
              .type = ParamType::kBytes,
              .doc = "What a simulated device's link moves in a second.",
              .default_value = int64_t{16} << 30,
              .unit = "a second",
              .low = 1})
      .param({.name = "normalize",
              .type = ParamType::kString,
              .doc = "Field with uint8 HWC pictures that are made float32 and normalised once they "
                     "are there, in one pass: a quarter of the bytes is copied, and the bits are "
                     "those of the operator normalize. Empty: nothing is.",
              .default_value = std::string()})
      .param({.name = "mean",
              .type = ParamType::kFloatList,
              .doc = "Mean of each channel then, as a part of the full range; a single one counts "
                     "for all.",
              .default_value = std::vector<double>{0},
              .unit = "parts of the full range",
              .min_items = 1,
              .max_items = 4})
      .param({.name = "std",
              .type = ParamType::kFloatList,
              .doc = "Standard deviation of each channel, likewise; not 0.",
              .default_value = std::vector<double>{1},
              .unit = "parts of the full range",
              .min_items = 1,
              .max_items = 4})
      .param({.name = "layout",
              .type = ParamType::kChoice,
              .doc = "Order of the axes of the normalised pictures.",
              .default_value = std::string("CHW"),
              .choices = {"CHW", "HWC"}})
      .param({.name = "flips",
              .type = ParamType::kString,
              .doc = "Field that says of each of these pictures whether it is mirrored, as "
                     "horizontal_flip writes it. Empty: none is.",
              .default_value = std::string()})
      .reads("*", "dense tensors; those that lie in one block, as pin makes them, move at once")
      .writes("*", "the same on the device; texts stay where they are")
      .example("{op: device_copy, params: {device: auto, slots: 2}}");
  return {.schema = std::move(schema), .make = [find = std::move(find)](const Params& params) {
            return std::make_unique<DeviceCopy>(params, find);
          }};
}

OperatorDef make_device_copy() { return make_device_copy_on(find_device); }

}  // namespace penstock::operators
