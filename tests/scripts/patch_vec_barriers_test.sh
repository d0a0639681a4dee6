#!/usr/bin/env bash
# scripts/patch_vec_barriers: what scripts around the text script of that name rely on, and what is better here.
source "$(dirname "$0")/check.sh"
patch="$repository/scripts/patch_vec_barriers"
corpus="$repository/corpus/flash_attention/kernel.cpp"
all=gu,softmax-exp-sum,softmax-sum-add

# The default is gu; the log goes to standard error.
run "$patch" "$corpus" gu.cpp
expect_code 0
expect_equal "$(head -n 1 <<<"$output")" "Patched generated C++ -> gu.cpp (removed 4 PIPE_V barriers; lines=0, patterns=4)"
expect_output "arch a3 (text: line"
expect_equal "$("$patch" "$corpus" gu.cpp 2>/dev/null)" ""
expect_equal "$(diff "$corpus" gu.cpp | grep -c '^>')" 4
"$PTOSYNC" opt "$corpus" -o opt.cpp --patterns=gu >/dev/null
expect_same gu.cpp opt.cpp

# Environment, aliases, nothing.
FA_REMOVE_VEC_BARRIER_PATTERNS=trowexpandmul-tadd run "$patch" "$corpus" alias.cpp
expect_same alias.cpp gu.cpp
FA_REMOVE_VEC_BARRIER_PATTERNS='' run "$patch" "$corpus" empty.cpp # as in the script's caller, empty is the default
expect_same empty.cpp gu.cpp
for nothing in none off disable disabled ""; do
  FA_REMOVE_VEC_BARRIER_PATTERNS=gu run "$patch" "$corpus" none.cpp --remove-vec-barrier-patterns "$nothing"
  expect_code 0
  expect_output "(removed 0 PIPE_V barriers; lines=0, patterns=0)"
  expect_same none.cpp "$corpus"
done

# What is not proved stays and is named; PTOSYNC_TRUST and --trust reach what the library orders itself.
run "$patch" "$corpus" all.cpp --remove-vec-barrier-patterns "$all"
expect_code 0
expect_output "warning: experimental PIPE_V barrier pattern(s) may affect benchmark timing or performance: softmax-exp-sum,softmax-sum-add"
expect_output "(removed 8 PIPE_V barriers; lines=0, patterns=8)"
expect_output "Skipped PIPE_V barrier pattern candidates: softmax-sum-add:hazard=2"
expect_output "  line 410 [softmax-sum-add]: RAW on UB [45376, 45440): "
expect_output "PTOSYNC_TRUST=library"
run "$patch" "$corpus" trusted.cpp --remove-vec-barrier-patterns "$all" --trust=library
expect_output "(removed 10 PIPE_V barriers; lines=0, patterns=10)"
expect_no_output "Skipped"
PTOSYNC_TRUST=library run "$patch" "$corpus" again.cpp --remove-vec-barrier-patterns texp-trowsum,trowsum-tadd,gu
expect_same trusted.cpp again.cpp
PTOSYNC_TRUST=nobody run "$patch" "$corpus" again.cpp
expect_code 2

# Lines: 319 and 502 can go, 321 and 410 order something. A line that a pattern took counts in both.
FA_REMOVE_VEC_BARRIERS=319,321 run "$patch" "$corpus" lines.cpp --remove-vec-barrier-patterns none
expect_code 0
expect_output "(removed 1 PIPE_V barriers; lines=1, patterns=0)"
expect_output "Kept requested PIPE_V barriers: 1"
expect_output "  line 321: RAW on UB [45056, 45120): "
expect_equal "$(diff "$corpus" lines.cpp | grep '^[0-9]')" 319c319
run "$patch" "$corpus" both.cpp --remove-vec-barriers 319,497,502
expect_output "(removed 6 PIPE_V barriers; lines=3, patterns=4)"

# The unproved on demand, and loudly; the replay sees it.
run "$patch" "$corpus" unsafe.cpp --remove-vec-barrier-patterns none --remove-vec-barriers 319,321 --unsafe
expect_code 0
expect_output "WARNING: --unsafe: line 321: removed without proof: RAW on UB"
expect_output "WARNING: --unsafe: the kernel that is written is NOT proved right: 1 barrier went"
expect_output "(removed 2 PIPE_V barriers; lines=2, patterns=0)"
expect_in_file unsafe.cpp "/* ptosync: removed pipe_barrier(PIPE_V) [UNPROVED] */"
run "$PTOSYNC" verify "$corpus" unsafe.cpp
expect_code 1
run "$PTOSYNC" verify "$corpus" lines.cpp
expect_code 0
kept="$repository/corpus/pipe_all_fallback/kernel.cpp"
run "$patch" "$kept" keep.cpp --remove-vec-barriers 218 --unsafe # a comment of the author's holds even so
expect_code 0
expect_output "Kept requested PIPE_V barriers: 1"
expect_same keep.cpp "$kept"

# Errors, with the script's codes; nothing is written.
run "$patch" "$corpus" e.cpp --remove-vec-barrier-patterns gu,zz,aa
expect_code 1
expect_output "unknown --remove-vec-barrier-patterns entries: ['aa', 'zz']; supported: gu, softmax-exp-sum, softmax-sum-add, texp-trowsum, trowexpandmul-tadd, trowsum-tadd"
run "$patch" "$corpus" e.cpp --remove-vec-barriers 12,x
expect_code 1
expect_output "invalid --remove-vec-barriers list: '12,x'"
run "$patch" "$corpus" e.cpp --remove-vec-barriers 319,1,99999
expect_code 2
expect_output "line numbers outside generated file: [99999]"
expect_output "line 1 is not a PIPE_V barrier: "
run "$patch" missing.cpp e.cpp
expect_code 1
run "$patch" "$corpus" none/such/e.cpp
expect_code 1
run "$patch" "$corpus"
expect_code 2
run "$patch" "$corpus" e.cpp --remove-vec-barrier=1
expect_code 2
echo "this is no C++" >broken.cpp
run "$patch" broken.cpp e.cpp
expect_code 3
PTOSYNC=/none run "$patch" "$corpus" e.cpp
expect_code 2
expect_output "PTOSYNC: '/none' is not there"
PTOSYNC=off run "$patch" "$corpus" e.cpp
expect_code 2
expect_no_file e.cpp
cp "$corpus" in_place.cpp # as with the script, both names may be one
run "$patch" in_place.cpp in_place.cpp
expect_code 0
expect_same in_place.cpp gu.cpp

# The kernels of the field report, where they are at hand. The script takes 24, 36 and 36 of the first.
shared="$repository/../shared/kernels/a3"
if [ -f "$shared/flash_attention_135_barriers.cpp" ]; then
  run "$patch" "$shared/flash_attention_135_barriers.cpp" fa.cpp
  expect_output "(removed 24 PIPE_V barriers; lines=0, patterns=24)"
  run "$patch" "$shared/flash_attention_135_barriers.cpp" fa.cpp --remove-vec-barrier-patterns "$all"
  expect_output "(removed 38 PIPE_V barriers; lines=0, patterns=38)"
  expect_output "softmax-sum-add:hazard=12"
  run "$patch" "$shared/flash_attention_135_barriers.cpp" fa.cpp --remove-vec-barrier-patterns "$all" --trust=library
  expect_output "(removed 50 PIPE_V barriers; lines=0, patterns=50)"
  run "$patch" "$shared/flash_attention_135_barriers.cpp" fa.cpp --remove-vec-barriers 764,1361,1367
  expect_output "(removed 25 PIPE_V barriers; lines=2, patterns=24)"
  expect_output "  line 764: RAW on UB [115456, 115584): "
  run "$patch" "$shared/flash_attention_87_barriers.cpp" fa.cpp --remove-vec-barrier-patterns "$all" --trust=library
  expect_output "(removed 24 PIPE_V barriers; lines=0, patterns=24)"
fi
finish
