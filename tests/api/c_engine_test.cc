// The engine's C interface where it is used wrongly; tests/api/ctypes_loop.py uses it rightly.
#include "penstock/c_engine.h"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("the engine in C fails where it is given null, and says what was null") {
  const auto reason = [] { return std::string(penstock_error()); };
  CHECK(penstock_load(nullptr) == nullptr);
  CHECK(reason() == "the path is null");
  CHECK(penstock_start(nullptr) == nullptr);
  CHECK(reason() == "the pipeline is null");
  PenstockBatch* batch = nullptr;
  CHECK(penstock_next(nullptr, &batch) == -1);
  CHECK(reason() == "the run is null");
  CHECK(penstock_report(nullptr) == nullptr);
  CHECK(penstock_batch_size(nullptr) == 0);
  CHECK(reason() == "the batch is null");
  CHECK(penstock_field_count(nullptr) == 0);
  CHECK(penstock_field_name(nullptr, 0) == nullptr);
  CHECK(penstock_field_tensor(nullptr, 0) == nullptr);
  CHECK(penstock_field_text(nullptr, 0, 0, nullptr) == nullptr);
  penstock_free_batch(nullptr);
  penstock_free_run(nullptr);
  penstock_free_pipeline(nullptr);
}

TEST_CASE("the place for a batch is needed, and fields have bounds") {
  PenstockPipeline* pipeline = penstock_load(PENSTOCK_SOURCE_DIR "/graphs/chapter/sleep.yaml");
  REQUIRE(pipeline != nullptr);
  PenstockRun* run = penstock_start(pipeline);
  REQUIRE(run != nullptr);
  CHECK(penstock_next(run, nullptr) == -1);
  CHECK(std::string(penstock_error()) == "the place for a batch is null");
  PenstockBatch* batch = nullptr;
  CHECK(penstock_next(run, &batch) == PENSTOCK_BATCH);
  CHECK(penstock_batch_size(batch) == 32);
  CHECK(penstock_field_tensor(batch, penstock_field_count(batch)) == nullptr);
  const std::string none = "there is no field 2: the batch has 2, counted from 0";
  CHECK(std::string(penstock_error()) == none);
  CHECK(penstock_field_name(batch, 2) == nullptr);
  CHECK(std::string(penstock_error()) == none);
  penstock_free_batch(batch);
  penstock_free_run(run);
  penstock_free_pipeline(pipeline);
}
