#include <array>

#include "penstock/schema.h"
#include "penstock/tensor.h"

namespace penstock {
namespace {

struct DTypeFacts {
  std::string_view name;
  size_t bytes;
};

// In the order of the enumeration.
constexpr std::array<DTypeFacts, 10> kDTypes = {{{"uint8", 1},
                                                 {"int8", 1},
                                                 {"uint16", 2},
                                                 {"int16", 2},
                                                 {"int32", 4},
                                                 {"int64", 8},
                                                 {"float16", 2},
                                                 {"float32", 4},
                                                 {"float64", 8},
                                                 {"bool", 1}}};
constexpr std::array<std::string_view, 5> kLayouts = {"", "HWC", "CHW", "NHWC", "NCHW"};
constexpr std::array<std::string_view, 8> kKinds = {"source", "map",   "expand", "collate",
                                                    "zip",    "merge", "take",   "sink"};
constexpr std::array<std::string_view, 3> kWheres = {"cpu", "blocking", "device"};
constexpr std::array<std::string_view, 3> kStates = {"stateless", "per_slot", "serial"};
constexpr std::array<std::string_view, 12> kParamTypes = {
    "bool",  "int",    "float", "string",       "path",           "duration",
    "bytes", "choice", "dtype", "list of ints", "list of floats", "list of strings"};

template <typename Table, typename Enum>
auto& entry(const Table& table, Enum value) {
  return table.at(static_cast<size_t>(value));
}

}  // namespace

size_t size_of(DType dtype) { return entry(kDTypes, dtype).bytes; }
std::string_view name_of(DType dtype) { return entry(kDTypes, dtype).name; }
std::string_view name_of(Layout layout) { return entry(kLayouts, layout); }
std::string_view name_of(Kind kind) { return entry(kKinds, kind); }
std::string_view name_of(Where where) { return entry(kWheres, where); }
std::string_view name_of(State state) { return entry(kStates, state); }
std::string_view name_of(ParamType type) { return entry(kParamTypes, type); }

bool dtype_from_name(std::string_view name, DType* dtype) {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name != name) continue;
    *dtype = static_cast<DType>(i);
    return true;
  }
  return false;
}

}  // namespace penstock
