// Pictures that are finished on the device: the same bits as the operators give on the CPU.

#include <doctest/doctest.h>

#include "builtin.h"
#include "device/devices.h"
#include "penstock/pipeline.h"
#include "report/digest.h"
#include "support/upload.h"

namespace penstock {
namespace {

const std::string kHead =
    "penstock: 1\nname: finish\nseed: 5\nthreads: 2\nnodes:\n"
    "  - {id: make, op: synthetic, params: {items: 37, shape: [13, 9, 3], layout: HWC, field: "
    "image}}\n";
const std::string kNumbers = "mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

/// Images of every batch, as bytes on the CPU.
std::vector<std::vector<uint8_t>> images_of(const std::string& nodes,
                                            const std::vector<OperatorDef>& more = {}) {
  LoadOptions options;
  options.operators = more;
  const Pipeline pipeline = Pipeline::parse(kHead + nodes, options);
  Run run = pipeline.start();
  std::vector<std::vector<uint8_t>> images;
  for (;;) {
    const Next next = run.next();
    if (next.kind == Next::Kind::kEnd) return images;
    if (next.kind != Next::Kind::kBatch) continue;
    const Tensor image = on_host(next.batch.tensor("image"));
    CHECK(image.dtype() == DType::kFloat32);
    images.emplace_back(image.bytes().begin(), image.bytes().end());
  }
}

TEST_CASE("finished on the device is what the operators give, bit by bit") {
  for (const std::string layout : {"CHW", "HWC"}) {
    const auto before =
        images_of(joined({"  - {id: flip, op: horizontal_flip}\n"
                          "  - {id: normalize, op: normalize, params: {",
                          kNumbers, ", layout: ", layout,
                          "}}\n  - {id: batch, op: collate, params: {batch_size: 5}}\n"}));
    const std::string behind =
        "  - {id: flip, op: horizontal_flip, params: {flag: mirrored}}\n"
        "  - {id: batch, op: collate, params: {batch_size: 5}}\n  - {id: pin, op: pin}\n";
    const std::string finish =
        joined({"normalize: image, flips: mirrored, layout: ", layout, ", ", kNumbers, "}}\n"});
    CHECK(images_of(joined(
              {behind, "  - {id: up, op: device_copy, params: {device: cpu, ", finish})) == before);
    for (const auto& make : tested_devices()) {
      const TestedDevice device = make();
      CAPTURE(device.name);
      CHECK(images_of(joined({behind, "  - {id: up, op: upload, params: {", finish}),
                      {upload_to(device.runtime)}) == before);
      if (device.lazy != nullptr) CHECK(device.lazy->violations().empty());
    }
  }
}

TEST_CASE("what cannot be finished is refused at its place") {
  const std::string batches = "  - {id: batch, op: collate, params: {batch_size: 5}}\n";
  const auto refusal = [](const std::string& nodes) -> std::string {
    try {
      (void)images_of(nodes);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const auto on = [&](std::string_view params) {
    return refusal(
        joined({batches, "  - {id: up, op: device_copy, params: {device: cpu, ", params, "}}\n"}));
  };
  CHECK(on("normalize: picture").find("there is no field 'picture' here") != std::string::npos);
  CHECK(on("normalize: label").find("is no batch of uint8 HWC pictures") != std::string::npos);
  CHECK(on("flips: label").find("mirrors only pictures that are normalised here") !=
        std::string::npos);
  for (const char* params : {"mean: [0.5]", "std: [0]", "layout: HWC"}) {
    CAPTURE(params);
    CHECK(on(params).find("is only for pictures that are normalised here") != std::string::npos);
  }
  CHECK(on("std: [0]").find(":8:") != std::string::npos);  // the parameter's line
  CHECK(on("normalize: image, std: [0]").find("must be finite in float32 and not 0") !=
        std::string::npos);
  CHECK(on("normalize: image, mean: [0, 1]").find("has 3 channels, and there are 2 means") !=
        std::string::npos);
  CHECK(on("normalize: image, flips: label").find("not one bool or uint8 a picture") !=
        std::string::npos);
}

}  // namespace
}  // namespace penstock
