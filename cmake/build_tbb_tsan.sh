#!/usr/bin/env bash
# Builds oneTBB for the thread sanitizer from Debian's source package into .deps/tbb-tsan: the
# distribution's library reports races in correct programs, and suppressing them hides real ones.
# Leaves apt's own configuration and lists alone, and needs no rights. Needs cmake, ninja, dpkg-dev.
set -euo pipefail
cd "$(dirname "$0")/.."
deps=$PWD/.deps
work=$deps/tbb-source
prefix=$deps/tbb-tsan
[ -e "$prefix/complete" ] && exit 0
rm -rf "$work" "$prefix"
mkdir -p "$work/apt/sources" "$work/apt/lists/partial" "$work/apt/cache"

# apt's sources of binary packages, read as sources of source packages.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  [ -r "$file" ] || continue
  case $file in
    *.list) sed -n 's/^deb /deb-src /p' "$file" >"$work/apt/sources/${file##*/}" ;;
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/apt/sources/${file##*/}" ;;
  esac
done
apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/apt/sources"
  -o "Dir::State::Lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache")
[ "$(id -u)" != 0 ] || apt+=(-o APT::Sandbox::User=root)

cd "$work"
"${apt[@]}" update || true  # a source without source packages is no reason to stop
"${apt[@]}" source onetbb || {
  echo "build_tbb_tsan: the source package onetbb could not be fetched" >&2
  exit 1
}
cmake -S onetbb-*/ -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DTBB_SANITIZE=thread \
  -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF -DTBB_TEST=OFF -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_INSTALL_PREFIX="$prefix"
cmake --build build
cmake --install build
touch "$prefix/complete"
rm -rf "$work"
