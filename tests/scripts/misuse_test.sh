#!/usr/bin/env bash
# A hostile user's attempts: each ends with a documented exit code and a message, and destroys nothing.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"

# refused CODE MESSAGE ARGUMENT...: ptosync fails like that, with its own words and none of a library's.
refused() {
  local expected="$1" message="$2"
  shift 2
  run "$ptosync" "$@"
  expect_code "$expected"
  expect_output "$message"
  for foreign in 'LLVM ERROR' 'CommandLine Error' 'Try: ' 'Stack dump' 'PLEASE submit'; do expect_no_output "$foreign"; done
}

# kernel NAME BODY: a vector kernel with three tiles.
kernel() {
  cat >"$1" <<TEXT
#include "pto/pto-inst.hpp"
using namespace pto;
${3:-}
extern "C" __global__ AICORE void k(__gm__ float* g, int32_t n) {
#if defined(__DAV_VEC__)
  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> a;
  TASSIGN(a, (uint64_t) 0);
  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> b;
  TASSIGN(b, (uint64_t) 8192);
$2
#endif
}
TEXT
}
barrier='  TADDS(a, a, 1.0f);
  pipe_barrier(PIPE_V);
  TADDS(b, b, 1.0f);'
plain='  TADDS(a, a, 1.0f);
  TADDS(b, b, 1.0f);'
kernel k.cpp "$barrier"
kernel plain.cpp "$plain"
cp k.cpp original.cpp

# --- outputs that are no regular files ---------------------------------------------------------------------------
run "$ptosync" opt k.cpp -o /dev/null --report=/dev/null
expect_code 0
[ -c /dev/null ] || complain "/dev/null is no device any more"
run "$ptosync" audit k.cpp --sarif=/dev/null
[ -c /dev/null ] || complain "/dev/null is no device any more"

mkfifo fifo
cat fifo >through.cpp &
run "$ptosync" opt k.cpp -o fifo
wait $!
expect_code 0
[ -p fifo ] || complain "the FIFO is gone"
expect_in_file through.cpp 'removed pipe_barrier(PIPE_V)'

mkdir there
echo old >there/real.cpp
ln -s there/real.cpp link.cpp
ln -s link.cpp second.cpp
run "$ptosync" opt k.cpp -o second.cpp
expect_code 0
{ [ -L link.cpp ] && [ -L second.cpp ]; } || complain "a link was replaced"
expect_in_file there/real.cpp 'removed pipe_barrier(PIPE_V)'
ln -s there/new.cpp dangling.cpp
run "$ptosync" opt k.cpp -o dangling.cpp
expect_code 0
[ -L dangling.cpp ] || complain "the dangling link was replaced"
expect_file there/new.cpp
ln -s circle.cpp circle.cpp
refused 2 'circle.cpp: cannot be written: too many links' opt k.cpp -o circle.cpp
refused 2 'there: cannot be written: it is a directory' opt k.cpp -o there
refused 2 'is an input of this run' opt k.cpp -o k.cpp
ln k.cpp hard.cpp
refused 2 'is an input of this run' opt k.cpp -o hard.cpp
ln -s k.cpp loop.cpp
refused 2 'is an input of this run' opt k.cpp --dry-run --report=loop.cpp
refused 2 'two outputs have the name' opt k.cpp -o out.cpp --report=./out.cpp
ln -s out.cpp alias.cpp
refused 2 'two outputs have the name' opt k.cpp -o out.cpp --report=alias.cpp
echo old >sealed.cpp
chmod 444 sealed.cpp
refused 2 'sealed.cpp: cannot be written: it is read-only' opt k.cpp -o sealed.cpp
expect_equal "$(cat sealed.cpp)" old
refused 2 'cannot be written' opt k.cpp -o none/out.cpp
refused 2 '--diff and --report=- both want standard output' opt k.cpp --diff --report=/dev/stdout
refused 2 '--certificate names a file' opt k.cpp --dry-run --certificate=-
refused 2 '--report=- is the report of one kernel' opt k.cpp original.cpp --dry-run --report=-
refused 2 '--sarif=- and --format=json both want standard output' audit k.cpp --sarif=- --format=json
refused 2 '--root=none: no such directory' opt k.cpp --diff --root=none
refused 2 '--root=k.cpp: is a file' opt k.cpp --diff --root=k.cpp
run bash -c "'$ptosync' opt k.cpp -o /dev/stdout 2>/dev/null"
expect_output 'removed pipe_barrier(PIPE_V)'
expect_no_output 'why the kept ones stay'
sed 's/"arch": "a3"/"arch": "a3"/' "$repository/src/machine/a3.json" >m.json
refused 2 'm.json is an input of this run' opt k.cpp --machine=m.json --dry-run --report=m.json
expect_same k.cpp original.cpp
[ -z "$(find . -name '*.tmp*')" ] || complain "a temporary file is left"

# --- standard output that cannot be written ----------------------------------------------------------------------
for command in "opt k.cpp --dry-run" "opt k.cpp -o -" "audit k.cpp" "explain k.cpp:10" "patterns list" "--help" "opt --help" "--version"; do
  # shellcheck disable=SC2086
  run bash -c "'$ptosync' $command >/dev/full"
  expect_code 2
  expect_output 'standard output: cannot be written: No space left on device'
done
run bash -c "set -o pipefail; '$ptosync' opt '$repository/corpus/flash_attention/kernel.cpp' --dry-run --verbose | head -n 1"
case "$code" in 0 | 141) ;; *) complain "exit code $code of a broken pipe" ;; esac
expect_no_output 'Stack dump'
expect_equal "$(wc -l <<<"$output")" 1

# --- options -----------------------------------------------------------------------------------------------------
refused 2 "unknown option '--hlep'; did you mean '--help'?" --hlep
refused 2 "unknown option '-html'" -html
refused 2 "unknown option '--hlep'; did you mean '--help'?" opt --hlep
refused 2 "unknown option '--diffs'; did you mean '--diff'?" opt k.cpp --diffs
refused 2 "unknown option '---diff'" opt k.cpp ---diff
refused 2 "unknown option '--help-hidden'" opt --help-hidden
refused 2 "unknown option '--print-all-options'" opt k.cpp --print-all-options
refused 2 "unknown command 'optt'; did you mean 'opt'?" optt k.cpp
refused 2 'expected a command: opt'
refused 2 "unknown command ''" ''
refused 2 'expected KERNEL.cpp' opt
refused 2 'there are several kernels' opt k.cpp k.cpp -o out2.cpp
refused 2 '--diff is given twice' opt k.cpp --diff --diff
refused 2 '--arch is given twice' opt k.cpp --dry-run --arch=a3 --arch=a5
refused 2 '-o: expected a value' opt k.cpp -o
refused 2 "'--dry-run' is an option" opt k.cpp -o --dry-run
refused 2 '--report=: expected a value' opt k.cpp --dry-run --report=
refused 2 '-o=: expected a value' opt k.cpp -o ''
refused 2 'is a switch, it takes no value' opt k.cpp --diff=maybe
refused 2 'an argument is empty' opt '' --dry-run
refused 2 "--lines: 'x' is no line number" opt k.cpp --dry-run --lines=x
refused 2 "--lines: '0' is no line number" opt k.cpp --dry-run --lines=0
refused 2 '--max-removals=-1: expected a number' opt k.cpp --dry-run --max-removals=-1
refused 2 '--jobs=0: expected a number from 1 to 4294967295' audit k.cpp --jobs=0
echo '--diff' >response
refused 2 '@response: cannot be read: No such file' opt @response --dry-run
refused 2 "config" audit k.cpp --print=chains
run "$ptosync" opt k.cpp --dry-run --lines=3,999
expect_code 2
expect_output 'k.cpp:3: --lines names this line, on which no sync begins'
expect_output 'k.cpp:999: --lines names this line, on which no sync begins: the file ends before it'
run "$ptosync" opt k.cpp --dry-run --max-removals=99
expect_output '--max-removals=99 has no effect: the kernel has 1 edit'

# --- the architecture --------------------------------------------------------------------------------------------
for command in "opt k.cpp -o never.cpp" "explain k.cpp:11" "verify k.cpp k.cpp" "audit k.cpp" "patch-vec-barriers k.cpp never.cpp"; do
  # shellcheck disable=SC2086
  refused 3 'k.cpp:11: pipe_barrier(PIPE_V) is not for a5' $command --arch=a5
  # shellcheck disable=SC2086
  PTOSYNC_ARCH=a5 refused 3 'which is the architecture by environment (PTOSYNC_ARCH)' $command
  echo '{"arch": "a5"}' >.ptosync.json
  # shellcheck disable=SC2086
  refused 3 'which is the architecture by configuration' $command
  rm .ptosync.json
done
expect_no_file never.cpp
"$ptosync" opt k.cpp -o once.cpp >/dev/null
refused 3 'removed there is not for a5' opt once.cpp --dry-run --arch=a5
run "$ptosync" opt k.cpp --dry-run
expect_output 'arch a3 (text: line 11: pipe_barrier(PIPE_V), not for a5)'
run "$ptosync" opt plain.cpp --dry-run
expect_output 'arch a3 (default: nothing in the text decides)'
kernel newer.cpp "$plain
  set_intra_block(PIPE_V, 3);"
run "$ptosync" opt newer.cpp --dry-run
expect_output 'arch a5 (text: line 12: set_intra_block, not for a3)'
refused 3 'newer.cpp:12: set_intra_block is not for a3' opt newer.cpp --dry-run --arch=a3
kernel large.cpp "$plain" "" && sed -i 's/(uint64_t) 8192/(uint64_t) 200000/' large.cpp
run "$ptosync" opt large.cpp --dry-run
expect_output 'arch a5 (text: line 8: tile b at [200000, 202048) of UB, which has 196608 bytes, not for a3)'
kernel both.cpp "$barrier
  set_intra_block(PIPE_V, 3);"
refused 3 'the kernel is for no known architecture' opt both.cpp --dry-run
kernel said.cpp "$plain" '// ptosync: arch a5'
for command in "opt said.cpp --dry-run" "explain said.cpp:10" "explain --memory said.cpp" "verify said.cpp said.cpp" "audit said.cpp"; do
  # shellcheck disable=SC2086
  run env PTOSYNC_ARCH=a3 "$ptosync" $command
  expect_output 'a5 (comment'
done
refused 3 "line 3 says \`ptosync: arch a5\`, but --arch says a3" opt said.cpp --dry-run --arch=a3
kernel wrong.cpp "$plain" '// ptosync: arch a4'
refused 3 "wrong.cpp:3:4: error: 'ptosync: arch a4' is no architecture; write arch a3 or arch a5" opt wrong.cpp --dry-run
printf '{"arch": "a5", "trust": "library"}' >.ptosync.json
for command in "opt plain.cpp --dry-run" "verify plain.cpp plain.cpp"; do
  # shellcheck disable=SC2086
  run "$ptosync" $command
  expect_output 'trust: library, arch: a5'
  # shellcheck disable=SC2086
  run env PTOSYNC_ARCH=a3 PTOSYNC_TRUST=tile "$ptosync" $command
  expect_output 'trust: tile, arch: a3'
  # shellcheck disable=SC2086
  run env PTOSYNC_ARCH=a3 PTOSYNC_TRUST=tile "$ptosync" $command --arch=a5 --trust=library
  expect_output 'trust: library, arch: a5'
done
rm .ptosync.json
PTOSYNC_ARCH=a9 refused 2 'PTOSYNC_ARCH, like --arch=a9: expected a3 or a5' opt k.cpp --dry-run
PTOSYNC_TRUST=all refused 2 'PTOSYNC_TRUST, like --trust=all: expected tile or library' audit k.cpp

# --- keep comments -----------------------------------------------------------------------------------------------
for comment in '// ptosync: keep' '// ptosync:keep' '//ptosync : keep(why)' '// ptosync: keep (why)' '// ptosync: keep: why' \
  '/* ptosync: keep */' '// PTOSYNC: KEEP(why)' '// timing, see ptosync: keep' '// ptosync keep' '/* ptosync: keep(why) */ // more'; do
  kernel kept.cpp "${barrier/;
  TADDS(b/; $comment
  TADDS(b}"
  run "$ptosync" opt kept.cpp --dry-run
  expect_output '1 barrier, 0 removed, 1 kept'
  kernel above.cpp "${barrier/  pipe_barrier/  $comment
  // and a word more
  pipe_barrier}"
  run "$ptosync" opt above.cpp --dry-run
  expect_output '1 barrier, 0 removed, 1 kept'
done
kernel inside.cpp "${barrier/pipe_barrier(PIPE_V)/pipe_barrier( // ptosync: keep
    PIPE_V)}"
run "$ptosync" opt inside.cpp --dry-run
expect_output '1 barrier, 0 removed, 1 kept'
for comment in '// ptosync: kepp(x)' '// ptosync:keepp' '/* ptosync: kep */' '// ptosync kep' '// ptosnyc: keep'; do
  kernel misspelt.cpp "${barrier/;
  TADDS(b/; $comment
  TADDS(b}"
  refused 3 'misspelt.cpp:11:' opt misspelt.cpp --dry-run
  expect_output 'did you mean'
done
kernel misspelt.cpp "$barrier // ptosync: remove this"
refused 3 'unknown directive' audit misspelt.cpp
kernel prose.cpp "$barrier // the manual of ptosync: a page on barriers; ptosync::test; printf(\"x\")
  const char *text = \"// ptosync: kepp\";"
run "$ptosync" opt prose.cpp --dry-run
expect_code 0
kernel slipped.cpp "$barrier // ptosync: keep(why)"
run "$ptosync" opt slipped.cpp --dry-run
expect_output 'this keep comment holds no sync'
run "$ptosync" opt once.cpp -o twice.cpp
expect_code 0
expect_same once.cpp twice.cpp

# --- inputs that are no kernels ----------------------------------------------------------------------------------
refused 2 'there: is a directory' timeline there
refused 2 'is larger than 64 MiB' opt /dev/zero --dry-run
run bash -c "cat k.cpp | '$ptosync' opt /dev/stdin --dry-run"
expect_code 0
printf '\xef\xbb\xbf' | cat - k.cpp >bom.cpp
run "$ptosync" opt bom.cpp -o bom_out.cpp
expect_code 0
expect_equal "$(head -c 3 bom_out.cpp | od -An -tx1 | tr -d ' ')" efbbbf
{ head -n 10 k.cpp && printf '  // \0 nul\n' && tail -n +11 k.cpp; } >nul.cpp
run "$ptosync" opt nul.cpp -o nul_out.cpp
case "$code" in 0 | 3) ;; *) complain "exit code $code of a NUL byte" ;; esac
printf 'a,b\n1,2\n' >table.csv
refused 3 'table.csv:' opt table.csv --dry-run
sed 's/$/\r/' kept.cpp >crlf.cpp
run "$ptosync" opt crlf.cpp --dry-run
expect_output '1 barrier, 0 removed, 1 kept'

# --- nesting -----------------------------------------------------------------------------------------------------
# repeated TEXT COUNT
repeated() { printf "%0.s$1" $(seq "$2"); }
nested() {
  kernel deep.cpp "  int x = 0;
  $1
$barrier"
  run "$ptosync" opt deep.cpp --dry-run
  case "$code" in 0 | 3) ;; *) complain "exit code $code of: ${1:0:40}" ;; esac
  expect_no_output 'Stack dump'
}
nested "x = $(repeated '(' 5000)n$(repeated ')' 5000);"
nested "x = $(repeated 'n + ' 9000)1;"
nested "x = $(repeated 'n + ' 60000)1;"
expect_code 3
expect_output 'nests deeper than this tool follows'
nested "x = $(repeated '- ' 18000)n;"
nested "x = $(repeated '!' 18000)n;"
nested "x = $(repeated 'n ? 1 : ' 4000)n;"
nested "x = ($(repeated 'n, ' 50000)n);"
nested "$(repeated 'if (n) ' 3000) x = 1;"
nested "$(repeated 'if (n) { x = 1; } else ' 1900) { x = 2; }"
nested "$(repeated 'if (n) { x = 1; } else ' 30000) { x = 2; }"
expect_code 3
nested "$(repeated '{' 3000) x = 1; $(repeated '}' 3000)"
nested "$(repeated '(int)' 4000) n;"
nested "switch (n) { $(repeated 'case 1: ' 5000) x = 1; }"

# --- scripts -----------------------------------------------------------------------------------------------------
compile="$repository/scripts/compile.sh"
for option in --dry-run --diff --print=kernel -o --report=r.json --arch=a5 --help; do
  run bash "$compile" --to=opt --out=built k.cpp -- "$option"
  expect_code 2
  expect_output "$option"
  expect_no_file built/k_opt.cpp
done
run env PTOSYNC_FLAGS=--dry-run bash "$compile" --to=opt --out=built k.cpp
expect_code 2
for option in --help --dry-run --diff --print=kernel --bisect --check; do
  cp original.cpp place.cpp
  run "$ptosync" opt place.cpp --in-place "$option"
  grep -q '__global__' place.cpp || complain "--in-place $option destroyed the kernel"
  [ "$(grep -c '' place.cpp)" -eq "$(grep -c '' original.cpp)" ] || complain "--in-place $option changed the lines"
done
expect_same k.cpp original.cpp

finish
