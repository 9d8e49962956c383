#!/usr/bin/env bash
# Runs every measurement and writes bench/results/<name>.json. For a machine that does nothing else.
#   bench/record.sh [BUILD_FOLDER] [NAME...]     default: build, all of them and the clocks
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$here/build}
shift || true
names=("$@")
if ((${#names[@]} == 0)); then
  mapfile -t names < <("$build/bin/penstock_bench" list | awk '{print $1}')
  names+=(clocks)
fi
mkdir -p "$here/bench/results"
failed=0
for name in "${names[@]}"; do
  target=$here/bench/results/$name.json
  echo "$name" >&2
  if [[ $name == clocks ]]; then
    "$here/bench/clocks.sh" >"$target.new" || failed=1
  else
    "$build/bin/penstock_bench" "$name" --format json >"$target.new" || failed=1
  fi
  if [[ -s $target.new ]]; then mv "$target.new" "$target"; else rm -f "$target.new"; fi
done
exit $failed
