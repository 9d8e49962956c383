#pragma once
/// Small pipelines for the tests of the command line.

#include <string>

namespace penstock::testing {

/// 64 records in batches of 4, without files or time.
inline const std::string kPlain = R"(penstock: 1
name: plain
seed: 3
nodes:
  - {id: make, op: synthetic, params: {items: 64, shape: [3], dtype: uint8}}
  - {id: batch, op: collate, params: {batch_size: 4}}
)";

/// The photographs in the folder `root`, as small crops in batches of 4.
inline std::string photos(const std::string& root) {
  return "penstock: 1\nname: photos\nnodes:\n  - {id: read, op: read_folder, params: {root: \"" +
         root +
         "\"}}\n"
         "  - {id: decode, op: decode_image}\n"
         "  - {id: crop, op: center_crop, params: {size: 32}}\n"
         "  - {id: batch, op: collate, params: {batch_size: 4}}\n";
}

}  // namespace penstock::testing
