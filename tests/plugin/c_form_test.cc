// The C form of the entry point.
#include <doctest/doctest.h>

#include "base/dlpack_view.h"
#include "penstock/c_plugin.h"
#include "penstock/pipeline.h"
#include "plugin/loader.h"
#include "support/plugin_library.h"

namespace penstock {
namespace {

using namespace penstock::testing;

std::string example(const std::string& file) {
  return bytes_of_file(std::string(PENSTOCK_SOURCE_DIR "/plugins/") + file);
}

/// Each under a name of its own: a library stays in the process, and its path stands for it.
std::string c_library(const Scratch& scratch, const std::string& code) {
  static int count = 0;
  const std::string name = "c_library_" + std::to_string(count++);
  const std::string source = scratch.write(name + ".c", code);
  const std::string command =
      "cc -std=c11 -O0 -Wall -Wextra -Werror -shared -fPIC "
      "-I'" PENSTOCK_SOURCE_DIR "/engine/include' '" +
      source + "' -o '" + scratch.file(name + ".so") + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  return scratch.file(name + ".so");
}

constexpr const char* kPipeline = R"(
penstock: 1
nodes:
  - {id: make, op: synthetic, params: {items: 6, shape: [3], dtype: float32}}
  - {id: scale, op: c_scale, params: {factor: 10}, on_error: {policy: skip}}
)";

TEST_CASE("an operator in C runs in a pipeline, and its parameters are checked as any") {
  const Scratch scratch;
  LoadOptions options;
  options.plugins = {c_library(scratch, example("c_scale/c_scale.c"))};
  Run run = Pipeline::parse(kPipeline, options).start();
  const Next first = run.next();
  REQUIRE(first.kind == Next::Kind::kBatch);
  LoadOptions plain;
  Run before =
      Pipeline::parse(std::string(kPipeline).replace(std::string(kPipeline).find("  - {id: scale"),
                                                     std::string::npos, ""),
                      plain)
          .start();
  const Next unscaled = before.next();
  for (int i = 0; i < 3; ++i) {
    CHECK(first.batch.tensor("x").data_as<float>()[i] ==
          10 * unscaled.batch.tensor("x").data_as<float>()[i]);
  }
  options.set = {"nodes.scale.params.factor=5000"};
  CHECK_THROWS_WITH_AS(Pipeline::parse(kPipeline, options),
                       doctest::Contains("must be between -1000 and 1000"), InvalidPipeline);
  options.set = {"nodes.make.params.dtype=uint8"};
  CHECK_THROWS_WITH_AS(Pipeline::parse(kPipeline, options),
                       doctest::Contains("it is no float32 tensor"), InvalidPipeline);
}

TEST_CASE("an operator in C can keep a picture's layout") {
  const std::string pipeline = R"(
penstock: 1
nodes:
  - {id: read, op: read_folder, params: {root: ")" PENSTOCK_SOURCE_DIR R"(/tests/data/photos"}}
  - {id: decode, op: decode_image}
  - {id: normalize, op: normalize, params: {mean: [0, 0, 0], std: [1, 1, 1]}}
)";
  const Scratch scratch;
  LoadOptions options;
  options.plugins = {c_library(scratch, example("c_scale/c_scale.c"))};
  const auto layout = [&](const std::string& more) {
    return Pipeline::parse(pipeline + more, options).start().next().batch.tensor("image").layout();
  };
  CHECK(layout("") != Layout::kNone);
  CHECK(layout("  - {id: scale, op: c_scale, params: {field: image}}\n") == layout(""));
}

TEST_CASE("a parameter of an operator in C that has no value is told, and no surprise") {
  const Scratch scratch;
  const auto error = [&](const std::string& how) {
    std::string code = with(example("c_scale/c_scale.c"), "     .default_value = \"2\",\n", "");
    code = with(code, "scale->factor = (float)host->number(setup, \"factor\");",
                "scale->factor = (float)" + how + ";");
    LoadOptions options;
    options.plugins = {c_library(scratch, code)};
    options.set = {"nodes.scale.params={}"};
    try {
      Pipeline::parse(kPipeline, options).start().next();
      return std::string();
    } catch (const std::exception& failure) {
      return std::string(failure.what());
    }
  };
  CHECK(error("host->has(setup, \"factor\")") == "");
  CHECK(
      error("host->number(setup, \"factor\")").find("'factor', which has no value (has() tells)") !=
      std::string::npos);
}

TEST_CASE("what an operator in C does wrong becomes an error of the engine") {
  const Scratch scratch;
  const auto reason = [&](const std::string& from, const std::string& to) {
    const std::string path = c_library(scratch, with(example("c_scale/c_scale.c"), from, to));
    Registry registry;
    std::string text = load_library(path, &registry);
    return text.empty() ? text : text.substr(text.find("': ") + 3);
  };
  CHECK(reason(".kind = PENSTOCK_MAP", ".kind = 77") ==
        "operator 'c_scale': its kind, place or state is one that this engine does not know");
  CHECK(reason(".kind = PENSTOCK_MAP", ".kind = PENSTOCK_SOURCE") ==
        "operator 'c_scale': a source needs size()");
  CHECK(reason(".default_value = \"2\"", ".default_value = \"two\"")
            .starts_with("operator 'c_scale': parameter 'factor': "));
  CHECK(
      reason("PENSTOCK_OPERATOR_SIZES", ".struct_size = 8") ==
      "an operator's structures have 8, 0 and 0 bytes, not at least 144, 64 and 16: begin it with "
      "PENSTOCK_OPERATOR_SIZES");
  const auto declared = [](const std::string& type, const std::string& value) {
    return ".type = PENSTOCK_" + type +
           ",\n     .doc = \"What each element is multiplied by.\",\n     .default_value = \"" +
           value + "\"";
  };
  CHECK(reason(declared("FLOAT", "2"), declared("FLOAT_LIST", "[1, 2")) ==
        "operator 'c_scale': parameter 'factor': the default '[1, 2' is no flat list like [1, 2] "
        "without quotes");
  CHECK(reason(".doc = \"Multiplies the elements of a tensor.\"", ".doc = 0") ==
        "operator 'c_scale' has no documentation");
}

TEST_CASE("the host's functions give failures and never throw") {
  const Scratch scratch;
  const auto error = [&](const std::string& from, const std::string& to) {
    const std::string path = c_library(scratch, with(example("c_scale/c_scale.c"), from, to));
    LoadOptions options;
    options.plugins = {path};
    options.set = {"nodes.scale.on_error.policy=fail"};
    try {
      Run run = Pipeline::parse(kPipeline, options).start();
      run.next();
      return std::string();
    } catch (const std::exception& failure) {
      return std::string(failure.what());
    }
  };
  const std::string start = "  int64_t count = 1;\n";
  CHECK(error(start, start + "  return -1;\n").find("gives no reason") != std::string::npos);
  CHECK(error(start, start + "  return host->fail(firing, \"no luck\");\n").find("no luck") !=
        std::string::npos);
  CHECK(error(start, start + "  host->output(firing, 0, kFloat, 9, NULL, 0, &out);\n")
            .find("0 to 6 dimensions") != std::string::npos);
  CHECK(error(start, start + "  host->input(firing, 0, 7, &in);\n").find("no such input") !=
        std::string::npos);
  CHECK(error("host->number(setup, \"factor\")", "host->number(setup, \"fcator\")")
            .find("'fcator' that it does not declare") != std::string::npos);
}

TEST_CASE("what an operator in C counts is in the report, in a library of C ABI 1.1") {
  const Scratch scratch;
  const auto run = [&](const std::string& sizes, const std::string& tally) {
    std::string code = with(example("c_scale/c_scale.c"), "PENSTOCK_OPERATOR_SIZES",
                            sizes + ", .tallies = kTallies");
    code = with(code, "  int64_t count = 1;\n", "  int64_t count = 1;\n  " + tally + "\n");
    code = with(code, "static const PenstockOperator kScale",
                "static const PenstockField kTallies[] = {{\"seen\", \"tensors\"}, {NULL, NULL}};\n"
                "static const PenstockOperator kScale");
    LoadOptions options;
    options.plugins = {c_library(scratch, code)};
    Run run = Pipeline::parse(kPipeline, options).start();
    while (run.next().kind != Next::Kind::kEnd) continue;
    return run.report().nodes[1];
  };
  using Sums = std::vector<std::pair<std::string, uint64_t>>;
  CHECK(run("PENSTOCK_OPERATOR_SIZES", "host->tally(firing, 0, 2);").tallies == Sums{{"seen", 12}});
  CHECK(run("PENSTOCK_OPERATOR_SIZES", "if (host->tally(firing, 1, 1) != 0) return -1;").skipped ==
        6);
  CHECK(run(".struct_size = 144, .param_size = 64, .field_size = 16", "").tallies.empty());
}

#if defined(__x86_64__)
TEST_CASE("the layout of the C form is that of C ABI 1") {
  CHECK(sizeof(DLTensor) == 48);
  CHECK(offsetof(DLTensor, dtype) == 20);
  CHECK(sizeof(DLManagedTensor) == 64);
  CHECK(sizeof(PenstockCPlugin) == 40);
  CHECK(offsetof(PenstockCPlugin, operators) == 32);
  CHECK(sizeof(PenstockField) == 16);
  CHECK(sizeof(PenstockParam) == 64);
  CHECK(offsetof(PenstockParam, choices) == 56);
  CHECK(sizeof(PenstockOperator) == 152);
  CHECK(offsetof(PenstockOperator, name) == 24);
  CHECK(offsetof(PenstockOperator, create) == 72);
  CHECK(offsetof(PenstockOperator, process) == 96);
  CHECK(offsetof(PenstockOperator, close) == 136);
  CHECK(offsetof(PenstockOperator, tallies) == 144);
  CHECK(offsetof(PenstockOperator, kind) == 8);
  CHECK(sizeof(PenstockHost) == 208);
  CHECK(offsetof(PenstockHost, require) == 64);
  CHECK(offsetof(PenstockHost, count) == 104);
  CHECK(offsetof(PenstockHost, fail_of_machine) == 192);
  CHECK(offsetof(PenstockHost, tally) == 200);
}
#endif

TEST_CASE("shared tensors outlive their owner, and types go both ways") {
  DLManagedTensor* shared = nullptr;
  {
    Tensor tensor = Tensor::empty({2, 3}, DType::kInt16);
    tensor.mutable_data_as<int16_t>()[5] = 7;
    shared = dlpack_share(tensor);
  }
  CHECK(static_cast<int16_t*>(shared->dl_tensor.data)[5] == 7);
  CHECK(shared->dl_tensor.shape[1] == 3);
  CHECK(shared->dl_tensor.strides[0] == 3);
  shared->deleter(shared);
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    const auto dtype = static_cast<DType>(i);
    CHECK(dtype_of(dlpack_type(dtype)) == dtype);
    CHECK(dlpack_type(dtype).bits == 8 * size_of(dtype));
  }
  CHECK_FALSE(dtype_of({4, 16, 1}));  // bfloat16
  CHECK_FALSE(dtype_of({kDLFloat, 32, 4}));
}

}  // namespace
}  // namespace penstock
