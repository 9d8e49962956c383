#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/cli_pipelines.h"
#include "support/command.h"

using namespace penstock::testing;
using nlohmann::json;

namespace {

TEST_CASE("inspect shows the first batches, as many as are asked for") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome one = penstock_command({"inspect", file});
  CHECK(one.code == 0);
  CHECK(one.out.starts_with("epoch 0, 4 examples\nfield  type   shape   strides  lies on  pinned"));
  CHECK(one.out.find("\nx      uint8  [4, 3]  [3, 1]   cpu      no ") != std::string::npos);
  const Outcome all = penstock_command({"inspect", file, "--batches", "18", "--format", "json"});
  const json batches = json::parse(all.out)["batches"];
  REQUIRE(batches.size() == 18);
  CHECK(batches[15]["epoch"] == 0);
  CHECK(batches[16]["epoch"] == 1);
  CHECK(penstock_command({"inspect", file, "--batches", "0"}).code == 2);
}

TEST_CASE("inspect reads batches on a device, more of them than it has slots") {
  const TempFolder folder;
  const std::string file = folder.write(
      "device.yaml", kPlain +
                         "  - {id: pin, op: pin}\n"
                         "  - {id: up, op: device_copy, params: {device: simulated, slots: 2}}\n");
  const Outcome outcome = penstock_command({"inspect", file, "--batches", "5", "--format", "json"});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const json there = json::parse(outcome.out)["batches"];
  const json here = json::parse(penstock_command({"inspect", folder.write("plain.yaml", kPlain),
                                                  "--batches", "5", "--format", "json"})
                                    .out)["batches"];
  REQUIRE(there.size() == 5);
  for (size_t i = 0; i < there.size(); ++i) {
    json field = there[i]["fields"][0];
    CHECK(field["device"] == "simulated");
    field["device"] = "cpu";
    CHECK(field == here[i]["fields"][0]);
  }
}

TEST_CASE("inspect says why there is no batch, and shows those before a failure") {
  const TempFolder folder;
  const Outcome none = penstock_command(
      {"inspect", folder.write("none.yaml",
                               "penstock: 1\nname: none\nnodes:\n"
                               "  - {id: make, op: synthetic, params: {items: 3, shape: [2], "
                               "dtype: uint8}}\n"
                               "  - {id: batch, op: collate, params: {batch_size: 4, "
                               "drop_last: true}}\n")});
  CHECK(none.code == 1);
  CHECK(none.out.empty());
  CHECK(none.err.find("error: the run gave no batch: ") != std::string::npos);
  std::filesystem::create_directories(folder / "pictures/one");
  for (const auto& [from, to] :
       {std::pair{"IMG-04_gray.jpg", "a.jpg"}, std::pair{"IMG-14_exif_1.jpg", "b.jpg"},
        std::pair{"IMG-16_truncated.jpg", "c.jpg"}}) {
    std::filesystem::copy_file(std::string(PENSTOCK_TEST_DATA "/cases/") + from,
                               folder / "pictures/one" / to);
  }
  const Outcome failed = penstock_command(
      {"inspect", folder.write("photos.yaml", photos((folder / "pictures").string())), "--set",
       "nodes.batch.params.batch_size=1", "--batches", "5"});
  CHECK(failed.code == 1);
  CHECK(failed.out.find("epoch 0, 1 example\n") != std::string::npos);
  CHECK(failed.err.find("c.jpg") != std::string::npos);
}

}  // namespace
