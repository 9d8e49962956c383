#pragma once
/// device_copy on a device that a test or measurement brings, as an operator named `upload`.

#include <memory>
#include <utility>

#include "device/device_copy.h"

namespace penstock {

inline OperatorDef upload_to(const std::shared_ptr<operators::DeviceRuntime>& device) {
  OperatorDef def = operators::make_device_copy_on([device](const std::string&, double) {
    return operators::FoundDevice{device, ""};
  });
  Schema schema("upload", Kind::kMap, def.schema.doc());
  schema.where(def.schema.where()).state(def.schema.state());
  for (const Param& param : def.schema.params()) schema.param(param);
  return {.schema = std::move(schema), .make = def.make};
}

}  // namespace penstock
