#!/usr/bin/env bash
# scripts/compile.sh, from each of its stages, with stand-ins for the tools that this machine lacks. The stand-ins
# refuse what the real tools would not understand.
source "$(dirname "$0")/check.sh"
compile="$repository/scripts/compile.sh"
corpus="$repository/corpus/flash_attention/kernel.cpp"

mkdir -p bin "lib with space/include/pto"
: >"lib with space/include/pto/pto-inst.hpp"
printf '%s\n' '#!/bin/sh' 'echo "module { }"' >bin/python-stand-in
cat >bin/ptoas-stand-in <<'TOOL'
#!/bin/sh
[ "$#" -ge 3 ] || { echo "ptoas-stand-in: too few arguments: $*" >&2; exit 9; }
case "$1" in --pto-arch=a3 | --pto-arch=a5) ;; *) echo "ptoas-stand-in: $1" >&2; exit 9 ;; esac
[ "$2" = "${INSERT:---enable-insert-sync}" ] || { echo "ptoas-stand-in: $2" >&2; exit 9; }
echo "$*" >>"$LOG"
shift 2
while [ "$#" -gt 1 ]; do case "$1" in --*) shift ;; *) echo "ptoas-stand-in: $1" >&2; exit 9 ;; esac; done
grep -q '^module' "$1" || { echo "ptoas-stand-in: $1 is no MLIR" >&2; exit 9; }
cat "$EMITTED"
TOOL
cat >bin/bisheng-stand-in <<'TOOL'
#!/bin/sh
echo "$*" >>"$LOG"
source='' output='' kernel='' cce=no library=no
while [ "$#" -gt 0 ]; do
  case "$1" in
  -I*) [ -f "${1#-I}/pto/pto-inst.hpp" ] || { echo "bisheng-stand-in: $1" >&2; exit 9; }; library=yes ;;
  -o) output="$2"; shift ;;
  -mllvm) shift ;;
  -xcce) cce=yes ;;
  -DKERNEL_CPP=*) kernel="$(printf '%s' "${1#-DKERNEL_CPP=}" | tr -d '"')" ;;
  -*) ;;
  *.cpp) [ -z "$source" ] || { echo "bisheng-stand-in: two sources" >&2; exit 9; }; source="$1" ;;
  *) echo "bisheng-stand-in: $1" >&2; exit 9 ;;
  esac
  shift
done
[ "$cce$library" = yesyes ] && [ -n "$output" ] || { echo "bisheng-stand-in: incomplete" >&2; exit 9; }
cat "${kernel:-$source}" >"$output"
[ -z "${BISHENG_FAILS:-}" ] || exit 7
TOOL
chmod +x bin/*
export LOG="$work/log" EMITTED="$corpus"
export PYTHON="$work/bin/python-stand-in" PTOAS="$work/bin/ptoas-stand-in" BISHENG="$work/bin/bisheng-stand-in"
export PTO_LIB_PATH="$work/lib with space"
: >fa.py

# From the builder to the library; names with white space pass through every stage.
run "$compile" --out="out a" fa.py
expect_code 0
expect_output "barriers, "
expect_output "built out a/fa.so from out a/fa_opt.cpp"
expect_output "--cce-auto-sync=off"
expect_same "out a/fa.cpp" "$corpus"
expect_same "out a/fa_opt.cpp" "out a/fa.so"
expect_in_file "out a/fa_opt.cpp" "ptosync: removed pipe_barrier(PIPE_V)"
expect_in_file "out a/fa.ptosync.json" '"tool": "ptosync"'
expect_in_file "out a/fa.ptosync.txt" "why the kept ones stay"
expect_in_file log "--npu-arch=dav-2201 -cce-enable-mix -DMEMORY_BASE"
expect_equal "$(ls "out a")" "$(printf '%s\n' fa.cpp fa.mlir fa.ptosync.json fa.ptosync.txt fa.so fa_opt.cpp)"

# The same once more gives the same bytes.
cp -r "out a" first
run "$compile" --out="out a" fa.py
expect_code 0
for file in fa.cpp fa.mlir fa.ptosync.json fa.ptosync.txt fa.so fa_opt.cpp; do expect_same "out a/$file" "first/$file"; done

# The untouched build leaves no report of an earlier one.
PTOSYNC=off run "$compile" --out="out a" fa.py
expect_code 0
expect_same "out a/fa.so" "$corpus"
expect_no_file "out a/fa_opt.cpp"
expect_no_file "out a/fa.ptosync.json"
PTOSYNC=off run "$compile" --out="out a" fa.py -- --trust=library
expect_code 2
expect_output "PTOSYNC=off"

# Each stage can be the first and the last.
run "$compile" --to=mlir --out=b fa.py
expect_code 0
expect_equal "$(ls b)" fa.mlir
run "$compile" --to=cpp --out=c b/fa.mlir
expect_code 0
expect_equal "$(ls c)" fa.cpp
expect_same b/fa.mlir <(echo "module { }")
cp b/fa.mlir fa.pto
run "$compile" --to=cpp --out=c fa.pto
expect_code 0
run "$compile" --to=opt --out=d c/fa.cpp -- --trust=library --patterns=gu
expect_code 0
expect_equal "$(ls d)" "$(printf '%s\n' fa.ptosync.json fa.ptosync.txt fa_opt.cpp)"
expect_in_file d/fa.ptosync.json '"trust": "library"'
PTOSYNC_FLAGS="--trust=library --patterns=gu" run "$compile" --to=opt --out=e c/fa.cpp
expect_code 0
expect_same d/fa_opt.cpp e/fa_opt.cpp
run "$compile" --to=cpp c/fa.cpp
expect_code 2

# What is set for the device compiler reaches it, in this order.
: >caller.cpp
: >log
BISHENG_COMMON_FLAGS=-xcce BISHENG_FLAGS="-g -DMINE" run "$compile" --arch=a5 --auto-sync=off --caller=caller.cpp --out=f c/fa.cpp
expect_code 3 # its barriers are not for that chip
expect_equal "$(cat log)" ""
mkdir a5
cp "$repository/corpus/a5_vector_order/kernel.cpp" a5/fa.cpp
BISHENG_COMMON_FLAGS=-xcce BISHENG_FLAGS="-g -DMINE" run "$compile" --arch=a5 --auto-sync=off --caller=caller.cpp --out=f a5/fa.cpp
expect_code 0
expect_equal "$(cat log)" "-I$PTO_LIB_PATH/include -xcce --cce-aicore-arch=dav-c310 -DREGISTER_BASE --cce-auto-sync=off -g -DMINE -DKERNEL_CPP=\"$work/f/fa_opt.cpp\" caller.cpp -o f/fa.so"
expect_same f/fa.so f/fa_opt.cpp
expect_in_file f/fa.ptosync.json '"arch": "a5"'
: >log
BISHENG_COMMON_FLAGS=-xcce BISHENG_ARCH_FLAGS=--npu-arch=mine run "$compile" --auto-sync=on --out=f c/fa.cpp
expect_code 0
expect_in_file log "include -xcce --npu-arch=mine --cce-auto-sync f/fa_opt.cpp -o f/fa.so"
: >log
PTOAS_FLAGS="--pto-level=level3" PTOSYNC_ARCH=a5 run "$compile" --to=cpp --out=c b/fa.mlir
expect_code 0
expect_equal "$(cat log)" "--pto-arch=a5 --enable-insert-sync --pto-level=level3 b/fa.mlir"

# A dry run prints every command and writes nothing, whatever is missing.
PTOAS=/none PTO_LIB_PATH='' run "$compile" --dry-run --out=g fa.py
expect_code 0
expect_output "+ /none --pto-arch=a3 --enable-insert-sync g/fa.mlir > g/fa.cpp"
expect_output "opt g/fa.cpp -o g/fa_opt.cpp --report g/fa.ptosync.json --arch=a3"
expect_output "-o g/fa.so"
expect_no_file g

# From nothing: the assembler inserts nothing, and sync stands in the place of opt.
run "$compile" --dry-run --from-nothing --out=g fa.py -- --effort=1
expect_code 0
expect_output "--pto-arch=a3 g/fa.mlir > g/fa.cpp"
expect_output "sync g/fa.cpp -o g/fa_opt.cpp --report g/fa.ptosync.json --arch=a3 --effort=1"
INSERT=--pto-level=level3 PTOAS_FLAGS=--pto-level=level3 EMITTED="$repository/corpus/resync_gemm/kernel.cpp" \
  run "$compile" --from-nothing --to=opt --out=n fa.py
expect_code 0
expect_in_file n/fa_opt.cpp "// ptosync: orders"
expect_in_file n/fa.ptosync.txt "placed anew"
PTOSYNC=off run "$compile" --dry-run --from-nothing --out=g fa.py
expect_code 2
expect_output "PTOSYNC=off leaves a kernel of --from-nothing without any sync"

# Missing tools: one line that names the variable, before anything runs.
for variable in PYTHON PTOAS PTOSYNC BISHENG; do
  run env "$variable=/none/tool" "$compile" --out=h fa.py
  expect_code 2
  expect_output "compile.sh: $variable: '/none/tool' is not there"
done
PTO_LIB_PATH='' run "$compile" --out=h c/fa.cpp
expect_code 2
expect_output "PTO_LIB_PATH: is not set"
PTO_LIB_PATH=/none run "$compile" --out=h c/fa.cpp
expect_code 2
expect_output "PTO_LIB_PATH: /none/include/pto/pto-inst.hpp"
expect_no_file h
PTOAS=/none BISHENG=/none PTO_LIB_PATH='' run "$compile" --to=opt --out=h "$corpus" # not needed here
expect_code 0

# A stage that fails ends it with that stage's code, and leaves nothing that looks like a result.
echo "this is no C++" >broken.cpp
EMITTED="$work/broken.cpp" run "$compile" --out=i fa.py
expect_code 3
expect_output "failed with exit code 3"
expect_equal "$(ls i)" "$(printf '%s\n' fa.cpp fa.mlir)"
echo "no MLIR" >bad.mlir
run "$compile" --out=j bad.mlir
expect_code 9
expect_equal "$(ls j)" ""
BISHENG_FAILS=yes run "$compile" --out=k c/fa.cpp
expect_code 7
expect_no_file k/fa.so
expect_no_output "built"

# Bad command lines.
for arguments in "" "--to=exe fa.py" "--arch=a4 fa.py" "--auto-sync=maybe fa.py" "--trust=library fa.py" "fa.py fa.py" \
  "missing.py" "caller.txt" "--caller=missing.cpp fa.py"; do
  # shellcheck disable=SC2086
  run "$compile" --out=l $arguments
  expect_code 2
done
expect_no_file l
# The kernel of the field report, where it is at hand.
shared="$repository/../shared/kernels/a3/flash_attention_135_barriers.cpp"
if [ -f "$shared" ]; then
  EMITTED="$shared" run "$compile" --out=n fa.py -- --patterns=gu,softmax-exp-sum,softmax-sum-add --trust=library
  expect_code 0
  expect_output "136 barriers, 50 removed"
  expect_same n/fa.so n/fa_opt.cpp
fi
finish
