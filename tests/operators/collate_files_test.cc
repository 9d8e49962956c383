// Batches of real files through the whole engine: COL-01, COL-03 and COL-04 of the problem cases.
#include <doctest/doctest.h>

#include "penstock/pipeline.h"

namespace penstock {
namespace {

const std::string kCases = std::string(PENSTOCK_TEST_DATA) + "/cases/";

Run start(const std::string& nodes, const StartOptions& options = {}) {
  return Pipeline::parse("penstock: 1\nnodes:\n" + nodes).start(options);
}

std::string pictures(const std::string& folder) {
  return "  - {id: read, op: read_folder, params: {root: \"" + kCases + folder + "\"}}\n";
}

/// Samples of each batch of an epoch; throws RunError.
std::vector<uint64_t> sizes_of_epoch(Run* run) {
  std::vector<uint64_t> sizes;
  for (;;) {
    const Next next = run->next();
    if (next.kind != Next::Kind::kBatch) return sizes;
    sizes.push_back(next.batch.size());
  }
}

TEST_CASE("COL-01: pictures of unequal shape are named by field, shapes and files") {
  Run run = start(pictures("COL-01_shapes") +
                  "  - {id: decode, op: decode_image}\n"
                  "  - {id: batch, op: collate, params: {batch_size: 3}}\n");
  try {
    run.next();
    FAIL("no error");
  } catch (const RunError& error) {
    CHECK(error.info().node == "batch");
    CHECK(error.info().message ==
          "field 'image' differs within the batch: uint8 [8, 8, 3] HWC in sample 0 (a/0.png), "
          "uint8 [8, 9, 3] HWC in sample 2 (a/2.png); bring them to one shape first (resize, "
          "center_crop)");
  }
}

TEST_CASE("COL-03: batches are filled from the samples behind broken ones") {
  StartOptions options;
  for (const bool inline_run : {false, true}) {
    options.inline_run = inline_run;
    Run run = start(pictures("COL-03_folder") +
                        "  - {id: decode, op: decode_image, on_error: {policy: skip}}\n"
                        "  - {id: batch, op: collate, params: {batch_size: 4}}\n",
                    options);
    CHECK(sizes_of_epoch(&run) == std::vector<uint64_t>{4, 4});
    CHECK(run.report().errors_skipped == 4);
  }
}

TEST_CASE("COL-03: an epoch with nothing left ends without a batch") {
  Run run = start(
      "  - {id: read, op: synthetic, params: {items: [5, 6], shape: 1}}\n"
      "  - {id: none, op: filter, params: {keep: 0}}\n"
      "  - {id: batch, op: collate, params: {batch_size: 4}}\n",
      {.epochs = 2});
  CHECK(sizes_of_epoch(&run).empty());
  CHECK(sizes_of_epoch(&run).empty());
}

TEST_CASE("COL-04: the last batch is kept or dropped in every epoch, and the length says so") {
  const auto batches = [](const std::string& drop_last) {
    Run run = start(
        "  - {id: read, op: synthetic, params: {items: 10, shape: 2, shuffle: true}}\n"
        "  - {id: batch, op: collate, params: {batch_size: 4, drop_last: " +
            drop_last + "}}\n",
        {.epochs = 3});
    std::vector<std::vector<uint64_t>> epochs;
    for (int epoch = 0; epoch < 3; ++epoch) {
      epochs.push_back(sizes_of_epoch(&run));
      CHECK(run.size() == epochs.back().size());
    }
    return epochs;
  };
  using Epochs = std::vector<std::vector<uint64_t>>;
  CHECK(batches("false") == Epochs(3, {4, 4, 2}));
  CHECK(batches("true") == Epochs(3, {4, 4}));
}

}  // namespace
}  // namespace penstock
