#!/usr/bin/env bash
# One cache under many processes: some are killed, kernels change meanwhile, the disk is full. Whatever comes out is what
# comes out without a cache, and nothing is left lying about.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"

rounds="${PTOSYNC_CACHE_ROUNDS:-3}"

# kernel NAME NUMBER: a vector kernel whose result depends on the number.
kernel() {
  local barriers=""
  [ $(($2 % 2)) -eq 0 ] || barriers='  pipe_barrier(PIPE_V);'
  cat >"$1.part$$" <<TEXT
#include "pto/pto-inst.hpp"
#include "common.h"
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float* g, int32_t n) {
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) (8192 + SHIFT));
  TADDS(a, a, $2.0f);
  pipe_barrier(PIPE_V);
  TADDS(b, b, 1.0f);
$barriers
  TADDS(a, a, 2.0f);
#endif
}
TEXT
  mv "$1.part$$" "$1"
}

# header NUMBER: what every kernel includes.
header() {
  printf '#define SHIFT %s\n' "$1" >inc/common.part
  mv inc/common.part inc/common.h
}

mkdir zoo inc
header 0
for i in $(seq 40); do kernel "zoo/k$i.cpp" "$i"; done

# --- the same bytes in every form ----------------------------------------------------------------------------------
# outputs FOLDER ARGUMENT...: what a run leaves and prints.
outputs() {
  local into="$1"
  shift
  mkdir -p "$into"
  run "$ptosync" opt zoo -I inc "--output-dir=$into/k" "--report=$into/r" "--html=$into/h" "--table=$into/t.json" \
    "--sarif=$into/s.sarif" "$@"
  printf '%s\n%s\n' "$code" "${output//$into/INTO}" >"$into/told"
}
outputs plain
outputs cold --cache-dir=cache
outputs warm --cache-dir=cache
expect_same_folder plain cold
expect_same_folder plain warm
run "$ptosync" opt zoo -I inc --dry-run --quiet "--report=r" "--html=h" "--sarif=s" --verbose --cache-dir=cache
expect_code 0

# --- every kernel of corpus/, in the forms that each command has -----------------------------------------------------
mkdir corpus
for folder in "$repository"/corpus/*/; do cp "$folder/kernel.cpp" "corpus/$(basename "$folder").cpp"; done
while read -r -a arguments; do
  rm -rf each
  mkdir each
  for kind in plain cold warm; do
    more=()
    [ "$kind" = plain ] || more=(--cache-dir=each/cache)
    mkdir out
    code=0
    "$ptosync" "${arguments[@]}" "${more[@]}" >out/stdout 2>out/stderr || code=$?
    echo "$code" >out/code
    sed -i '/^cache: /d; /^ptosync: [a-z]*: [0-9]* of/d' out/stderr
    mv out "each/$kind"
  done
  for other in cold warm; do
    code=0
    output="$(diff -r each/plain "each/$other" 2>&1 | head -n 20)" || code=$?
    [ -z "$output" ] || complain "${arguments[*]}: $other differs"
  done
  expect_equal "$(find each/cache -name '*.result' | wc -l)" "$(find corpus -name '*.cpp' | wc -l)"
done <<'LIST'
opt corpus --output-dir=out/k --report=out/r --html=out/h --table=out/t.json --sarif=out/s.sarif --cost
opt corpus --diff --trust=library
opt corpus --dry-run --verbose --arch=a5
fix corpus --output-dir=out/k --table=out/t.html
audit corpus --severity=note --fixes --sarif=out/s.sarif --table=out/t.json
audit corpus --color=always --rule=removable-sync=warning
compare corpus corpus --html=out/h --format=json
LIST

# --- eight processes, kills and changes ----------------------------------------------------------------------------
# worker NUMBER: runs again and again with the one cache, and is killed now and then.
worker() {
  local turn seed=$(($1 * 7919 + 17)) pid
  for turn in $(seq $((rounds * 6))); do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    "$ptosync" opt zoo -I inc --check --quiet --jobs=2 --cache-dir=shared --cache-size=1M >/dev/null 2>&1 &
    pid=$!
    if [ $((seed / 65536 % 2)) -eq 0 ]; then
      sleep "0.$(printf '%02d' $((seed / 131072 % 25)))"
      kill -9 "$pid" 2>/dev/null
    fi
    wait "$pid" 2>/dev/null
  done
}
workers=()
for i in $(seq 8); do
  worker "$i" &
  workers+=($!)
done
for turn in $(seq $((rounds * 10))); do
  kernel "zoo/k$((turn % 40 + 1)).cpp" $((turn + 100))
  [ $((turn % 7)) -ne 0 ] || header $((turn % 3 * 32))
  sleep 0.1
done
wait "${workers[@]}"

# Every result that is kept now is right, and nothing is left of those that were killed.
outputs plain2
outputs shared2 --cache-dir=shared
outputs shared3 --cache-dir=shared
expect_same_folder plain2 shared2
expect_same_folder plain2 shared3
run "$ptosync" opt zoo -I inc --check --cache-dir=shared
"$ptosync" opt zoo -I inc --check >expected 2>&1
expect_equal "$output" "$(cat expected)"
run find shared/tmp -type f
expect_equal "$output" ""
torn=0
for entry in shared/??/*; do # each begins with its own key
  name="${entry#shared/}"
  name="${name%.*}"
  [ "$(head -c 200 "$entry" | head -n 1 | cut -d ' ' -f 3)" = "${name/\//}" ] || torn=$((torn + 1))
done
expect_equal "$torn" 0

# --- the bound -----------------------------------------------------------------------------------------------------
for i in $(seq 6); do
  header $((i * 32))
  run "$ptosync" opt zoo -I inc --dry-run --quiet --html=h --cache-dir=small --cache-size=1M
  expect_code 0
  size="$(find small -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')"
  [ "$size" -le $((1100 * 1024)) ] || complain "the cache holds $size bytes of 1 MiB"
done

# --- clocks, full disks, folders that are read-only ------------------------------------------------------------------
header 0
"$ptosync" opt zoo -I inc --check >expected 2>&1
find cache -type f -exec touch -d '2200-01-01' {} +
run "$ptosync" opt zoo -I inc --check --cache-dir=cache
expect_equal "$output" "$(cat expected)"
find cache -type f -exec touch -d '1971-01-01' {} +
run "$ptosync" opt zoo -I inc --check --cache-dir=cache
expect_equal "$output" "$(cat expected)"

if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=64k none full 2>/dev/null; then
  run "$ptosync" opt zoo -I inc --check --html=h --cache-dir=full/cache
  expect_code 1
  expect_output 'ptosync: cache: full/cache: a result could not be kept there: No space left on device'
  expect_equal "$(grep -v '^ptosync: cache:' <<<"$output")" "$(cat expected)"
  run "$ptosync" opt zoo -I inc --check --html=h --cache-dir=full/cache
  expect_equal "$(grep -v '^ptosync: cache:' <<<"$output")" "$(cat expected)"
  umount full
  mkdir ro
  cp -r cache ro/cache
  mount -t tmpfs -o size=8m none full
  cp -r cache full/cache
  mount -o remount,ro full
  run "$ptosync" opt zoo -I inc --check --cache-dir=full/cache
  expect_equal "$(grep -v '^ptosync: cache:' <<<"$output")" "$(cat expected)"
  kernel zoo/k1.cpp 1000
  run "$ptosync" opt zoo -I inc --check --cache-dir=full/cache
  expect_output 'a result could not be kept there: Read-only file system'
  umount full
else
  echo "skipped: a full disk and a read-only one (a tmpfs cannot be mounted here)"
fi

finish
