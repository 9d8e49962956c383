#include "builtin.h"

#include "penstock/plugin.h"

namespace penstock::operators {
namespace {

constexpr OperatorDef (*kMakers[])() = {
    // read/, decode/
    make_read_folder,
    make_decode_image,
    // synthetic/
    make_synthetic,
    make_sleep,
    make_spin,
    // transform/: pictures
    make_center_crop,
    make_convert,
    make_horizontal_flip,
    make_normalize,
    make_random_resized_crop,
    make_resize,
    make_to_float,
    // transform/: the stream
    make_filter,
    make_merge,
    make_repeat,
    make_take,
    make_zip,
    // collate/
    make_collate,
    // device/
    make_device_copy,
    make_pin,
};

void register_operators(OperatorSink& sink) {
  for (auto* make : kMakers) sink.add(make());
}

}  // namespace
}  // namespace penstock::operators

PENSTOCK_PLUGIN("penstock_operators", PENSTOCK_VERSION, "the Penstock authors", "Apache-2.0",
                penstock::operators::register_operators)
