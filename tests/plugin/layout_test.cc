// Sizes, offsets and places in virtual tables of what crosses between the engine and libraries. A
// change here breaks libraries that exist: docs/plugins.md says what has to change with it.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>

#include "penstock/plugin.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace penstock {
namespace {

/// The place in the virtual table (Itanium C++ ABI: a pointer to a virtual function holds it).
template <typename Function>
long slot_of(Function function) {
  long value = 0;
  static_assert(sizeof function >= sizeof value);
  std::memcpy(&value, &function, sizeof value);
  return (value - 1) / static_cast<long>(sizeof(void*));
}

#if defined(__x86_64__) && defined(_GLIBCXX_USE_CXX11_ABI)
TEST_CASE("the layout of what crosses to libraries is that of plugin ABI 1") {
  REQUIRE(kPluginAbiMajor == 1);
  CHECK(sizeof(PluginDescriptor) == 88);
  CHECK(offsetof(PluginDescriptor, abi_major) == 4);
  CHECK(offsetof(PluginDescriptor, abi_minor) == 8);
  CHECK(offsetof(PluginDescriptor, name) == 16);
  CHECK(offsetof(PluginDescriptor, version) == 24);
  CHECK(offsetof(PluginDescriptor, penstock) == 32);
  CHECK(offsetof(PluginDescriptor, author) == 40);
  CHECK(offsetof(PluginDescriptor, licence) == 48);
  CHECK(offsetof(PluginDescriptor, register_operators) == 56);
  CHECK(offsetof(PluginDescriptor, torch) == 64);
  CHECK(offsetof(PluginDescriptor, compiler) == 72);
  CHECK(offsetof(PluginDescriptor, standard_library) == 80);
  CHECK(sizeof(OperatorDef) == 264);
  CHECK(offsetof(OperatorDef, schema) == 0);
  CHECK(offsetof(OperatorDef, make) == 232);
  CHECK(sizeof(Schema) == 232);
  CHECK(sizeof(Param) == 256);
  CHECK(offsetof(Param, name) == 0);
  CHECK(offsetof(Param, type) == 32);
  CHECK(offsetof(Param, doc) == 40);
  CHECK(offsetof(Param, default_value) == 72);
  CHECK(offsetof(Param, required) == 112);
  CHECK(offsetof(Param, unit) == 120);
  CHECK(offsetof(Param, low) == 152);
  CHECK(offsetof(Param, high) == 168);
  CHECK(offsetof(Param, choices) == 184);
  CHECK(offsetof(Param, min_items) == 208);
  CHECK(offsetof(Param, max_items) == 216);
  CHECK(offsetof(Param, deprecated) == 224);
  CHECK(sizeof(Params) == 24);
  CHECK(sizeof(Tensor) == 120);
  CHECK(sizeof(Buffer) == 56);
  CHECK(offsetof(Buffer, refs) == 0);
  CHECK(offsetof(Buffer, counted) == 4);
  CHECK(offsetof(Buffer, data) == 8);
  CHECK(offsetof(Buffer, bytes) == 16);
  CHECK(offsetof(Buffer, release) == 24);
  CHECK(offsetof(Buffer, context) == 32);
  CHECK(offsetof(Buffer, account) == 40);
  CHECK(offsetof(Buffer, memory) == 48);
  CHECK(sizeof(Field) == 128);
  CHECK(sizeof(Item) == 136);
  CHECK(offsetof(Item, origin) == 0);
  CHECK(offsetof(Item, samples) == 48);
  CHECK(offsetof(Item, fields) == 72);
  CHECK(offsetof(Item, error) == 96);
  CHECK(offsetof(Item, bytes) == 112);
  CHECK(sizeof(Origin) == 48);
  CHECK(offsetof(Origin, source) == 0);
  CHECK(offsetof(Origin, epoch) == 4);
  CHECK(offsetof(Origin, position) == 8);
  CHECK(offsetof(Origin, index) == 16);
  CHECK(offsetof(Origin, shard) == 24);
  CHECK(offsetof(Origin, depth) == 28);
  CHECK(offsetof(Origin, child) == 32);
  CHECK(sizeof(FieldInfo) == 80);
  CHECK(offsetof(FieldInfo, name) == 0);
  CHECK(offsetof(FieldInfo, is_text) == 32);
  CHECK(offsetof(FieldInfo, dtype) == 33);
  CHECK(offsetof(FieldInfo, shape) == 40);
  CHECK(offsetof(FieldInfo, layout) == 72);
  CHECK(offsetof(FieldInfo, on_device) == 73);
  CHECK(sizeof(FieldTable) == 24);
  CHECK(sizeof(Context) == 104);
  CHECK(sizeof(Rng) == 44);
  CHECK(sizeof(Operator) == 8);
  CHECK(sizeof(Region) == 32);
  CHECK(slot_of(&Operator::infer) == 2);
  CHECK(slot_of(&Operator::notes) == 3);
  CHECK(slot_of(&Operator::process) == 4);
  CHECK(slot_of(&Operator::has_try_now) == 5);
  CHECK(slot_of(&Operator::try_now) == 6);
  CHECK(slot_of(&Operator::region) == 7);
  CHECK(slot_of(&Operator::checkpoint) == 8);
  CHECK(slot_of(&Operator::restore) == 9);
  CHECK(slot_of(&Operator::reset) == 10);
  CHECK(slot_of(&Operator::output_pool) == 11);
  CHECK(slot_of(&Operator::link) == 12);
  CHECK(slot_of(&Operator::output_memory) == 13);
  CHECK(slot_of(&Operator::device_figures) == 14);
  CHECK(slot_of(&Operator::take_copies) == 15);
  CHECK(slot_of(&Source::size) == 16);
  CHECK(slot_of(&Source::key) == 17);
  CHECK(slot_of(&Stream::next) == 2);
  CHECK(slot_of(&Expand::open) == 16);
  CHECK(slot_of(&Collate::batch_size) == 16);
  CHECK(slot_of(&Collate::drop_last) == 17);
  CHECK(slot_of(&Take::limit) == 16);
  CHECK(slot_of(&Context::key) == 2);
  CHECK(slot_of(&Context::set) == 4);
  CHECK(slot_of(&Context::cancelled) == 5);
  CHECK(slot_of(&Context::take_place) == 6);
  CHECK(slot_of(&Context::tally) == 7);
  CHECK(slot_of(&OperatorSink::add) == 2);
}
#endif

}  // namespace
}  // namespace penstock
