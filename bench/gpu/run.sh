#!/usr/bin/env bash
# On a machine with a CUDA device: the tests of the devices, the overlap of copies with steps and the
# bandwidth table, as one JSON object on stdout; what is built and tested on stderr. Builds from the
# sources against the toolkit that it finds, or takes a build folder:
#   bench/gpu/run.sh [BUILD_FOLDER]
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-}
if [[ -z $build ]]; then
  build=$here/build-gpu
  cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPENSTOCK_WITH_CUDA=ON \
    -DPENSTOCK_WITH_TORCH=OFF >&2
  cmake --build "$build" --target test_device penstock_bench penstock_cuda >&2
fi
passed=true
(cd "$here" && "$build/bin/test_device") >&2 || passed=false
within=true
overlap=$("$build/bin/penstock_bench" device --device cuda:0 --rounds 300 --format json) || within=false
printf '{"conformance": %s, "within_bounds": %s, "overlap": %s}\n' "$passed" "$within" "${overlap:-null}"
[[ $passed == true && $within == true ]]
