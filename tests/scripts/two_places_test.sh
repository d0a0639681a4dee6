#!/usr/bin/env bash
# Nothing of where, when, by whom and by how many threads a run is made goes into what it writes: the same tree in two
# places gives the same bytes in every form. So a build or a cache may take the output of one machine for another's.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"

# furnish FOLDER: kernels with a configuration above them, a header of their own, findings and problems.
furnish() {
  mkdir -p "$1/zoo/deep" "$1/zoo/headers" "$1/other/deep"
  for story in softmax unbalanced_flags handshake flash_attention; do
    cp "$repository/corpus/$story/kernel.cpp" "$1/zoo/deep/$story.cpp"
    sed '0,/pipe_barrier(PIPE_V);/s///' "$repository/corpus/$story/kernel.cpp" >"$1/other/deep/$story.cpp"
  done
  echo '#pragma once' >"$1/zoo/headers/sizes.h"
  { echo '#include "sizes.h"'; cat "$repository/corpus/line_numbers/kernel.cpp"; } >"$1/zoo/uses.cpp"
  printf '#include "pto/pto-inst.hpp"\n#include "wrong.h"\n' >"$1/zoo/bad.cpp"
  echo 'this is no C++' >"$1/zoo/headers/wrong.h"
  echo '{"arch": "a3", "include": ["headers"], "baseline": "base.json"}' >"$1/zoo/.ptosync.json"
  cp -r "$1/zoo/.ptosync.json" "$1/zoo/headers" "$1/other"
}

# everything: every command in every form, with what it prints and writes below out/.
everything() {
  mkdir out
  "$ptosync" audit zoo/deep --severity=note --baseline=zoo/base.json --write-baseline -q >/dev/null
  "$ptosync" opt zoo --output-dir=out/kernels --report=out/reports --html=out/pages --cost --sarif=out/opt.sarif \
    --table=out/opt.json --depfile=out/opt.json.d --timing="$repository/src/timing/cost_a3.json" >out/opt.txt 2>out/opt.err
  for form in csv html txt; do
    "$ptosync" opt zoo --dry-run -q "--table=out/opt.$form" 2>out/opt.err2
    "$ptosync" audit zoo -q "--table=out/audit.$form" >out/audit.log 2>&1
    "$ptosync" compare zoo other -q "--table=out/compare.$form" >out/compare.log 2>out/compare.err
  done
  "$ptosync" opt zoo --diff >out/opt.diff 2>&1
  "$ptosync" opt zoo --check --github >out/opt.github 2>&1
  "$ptosync" opt zoo/deep/softmax.cpp --dry-run --resync --bisect >out/resync.txt 2>&1
  for form in text json sarif github; do
    "$ptosync" audit zoo --severity=note --fixes "--format=$form" >"out/audit.$form" 2>&1
  done
  "$ptosync" audit zoo --print=config >out/config.txt 2>&1
  "$ptosync" fix zoo >out/fix.diff 2>&1
  "$ptosync" verify zoo other --table=out/verify.json -v >out/verify.txt 2>&1
  "$ptosync" compare zoo other --html=out/compare -v >out/compare.txt 2>&1
  "$ptosync" explain zoo/deep/flash_attention.cpp:418 --format=json >out/explain.json 2>&1
  "$ptosync" explain --memory zoo/deep/flash_attention.cpp >out/memory.txt 2>&1
  "$ptosync" timeline zoo/deep/softmax.cpp --trace=out/trace.json --html=out/timeline.html >out/timeline.txt 2>&1
  "$ptosync" model --calls=zoo/deep/softmax.cpp >out/calls.txt 2>&1
  for shard in 1 2; do
    "$ptosync" audit zoo --shard=$shard/2 --format=json >out/audit.$shard.json 2>&1
    "$ptosync" opt zoo --dry-run --shard=$shard/2 --sarif=out/opt.$shard.sarif >out/opt.$shard.txt 2>&1
  done
  rm -f out/*.err2 out/*.log
}

mkdir -p first "second one/with/more folders"
furnish first
# Made in the other order, at another time.
furnish "second one/with/more folders"
find "second one" -name '*.cpp' -exec touch -d '2001-02-03 04:05:06' {} +
(cd first && everything)
# The second time on one processor, and by somebody else.
program="$ptosync"
printf '#!/bin/bash\nexec %s "%s" "$@"\n' "$(command -v taskset >/dev/null && echo taskset -c 0)" "$program" >one-processor
chmod +x one-processor
ptosync="$work/one-processor"
(cd "second one/with/more folders" &&
  export HOME=/nowhere USER=somebody LOGNAME=somebody TZ=Asia/Tokyo LANG=C.UTF-8 COLUMNS=40 HOSTNAME=elsewhere &&
  everything)
ptosync="$program"

for folder in zoo other out; do
  run diff -r "first/$folder" "second one/with/more folders/$folder"
  expect_code 0
done
[ "$(find first/out -type f | wc -l)" -ge 55 ] || complain "only $(find first/out -type f | wc -l) files were compared"
# Nor is there a path of the place in what is written anywhere.
run grep -rl "$work" first/out
expect_equal "$output" ""
# Reports, tables and SARIF of a run on absolute names tell them, as they were given, and no others.
run "$ptosync" audit "$work/first/zoo" --format=json
expect_output "$work/first/zoo/uses.cpp"

# A compiler's own variables are not heard: which headers there are is for the command line and the configuration to say.
mkdir headers
echo '#pragma once' >headers/own.h
{ echo '#include "own.h"'; cat "$repository/corpus/softmax/kernel.cpp"; } >own.cpp
for variable in CPATH CPLUS_INCLUDE_PATH C_INCLUDE_PATH; do
  run env "$variable=$work/headers" "$ptosync" opt own.cpp --check
  expect_code 3
  expect_output "'own.h' file not found"
done
run "$ptosync" opt own.cpp --check -I headers
expect_code 1

finish
