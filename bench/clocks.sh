#!/usr/bin/env bash
# What the clocks cost: builds Release with and without them, counts instructions of quickstart with
# callgrind and times interleaved pairs of runs. Prints one JSON object. One CPU thread, since without
# clocks the engine does not know when a second one pays, and whole epochs, so that both do the same
# work.
#   bench/clocks.sh [PAIRS]     default 15
# Needs valgrind.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
pairs=${1:-15}
on=$here/build/clocks-on
off=$here/build/clocks-off
graph=$here/graphs/quickstart.yaml

for kind in on off; do
  cmake -S "$here" -B "$here/build/clocks-$kind" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DPENSTOCK_CLOCKS=${kind^^} -DPENSTOCK_WITH_TORCH=OFF -DPENSTOCK_TESTS=OFF >&2
  cmake --build "$here/build/clocks-$kind" --target penstock_cli penstock_operators penstock_bench >&2
done

instructions() {
  local out
  out=$(mktemp)
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1/bin/penstock" run "$graph" \
    --epochs 4 --batches 12 --set consumer.spin=0ms --set threads=1 --format json \
    >/dev/null 2>"$out"
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$out"
  rm -f "$out"
}

seconds() {
  "$1/bin/penstock_bench" pull --rounds 1 --graph "$graph" --format json |
    sed -n 's/^ *"value": \([0-9.]*\),/\1/p'
}

instructions_on=$(instructions "$on")
instructions_off=$(instructions "$off")
seconds "$on" >/dev/null
seconds "$off" >/dev/null
times=""
for ((i = 0; i < pairs; ++i)); do
  if ((i % 2 == 0)); then a=$(seconds "$on"); b=$(seconds "$off"); else
    b=$(seconds "$off"); a=$(seconds "$on")
  fi
  times+="$a $b"$'\n'
done

python3 - "$instructions_on" "$instructions_off" "$times" <<'PY'
import json, math, os, platform, statistics, sys
on, off = int(sys.argv[1]), int(sys.argv[2])
pairs = [tuple(map(float, line.split())) for line in sys.argv[3].split("\n") if line]
logs = [math.log(a / b) for a, b in pairs]
mean = statistics.mean(logs)
half = 1.76 * statistics.stdev(logs) / math.sqrt(len(logs))  # one-sided 95 %, t of 14
print(json.dumps({
    "name": "clocks", "value": on / off, "unit": "instructions with clocks / without",
    "baseline": 1.0, "ratio": on / off,
    "ok": on / off <= 1.01 and math.exp(mean + half) <= 1.03,
    "detail": {"instructions_on": on, "instructions_off": off,
               "paired_time_ratio": math.exp(mean), "upper_95": math.exp(mean + half),
               "pairs": len(pairs)},
    "machine": {"cpus": os.cpu_count(), "kernel": platform.release()}}, indent=2))
PY
