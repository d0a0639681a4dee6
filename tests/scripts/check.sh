# shellcheck shell=bash disable=SC2034
# Sourced by the tests beside it: a folder of its own, commands with their exit code and output, and checks.
#
# Each test is `bash tests/scripts/NAME_test.sh PTOSYNC [BUILD]`, run by ctest, and exits 1 if a check fails.

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
ptosync="$(realpath "$1")"
build="$(realpath "${2:-.}")"
work="$(mktemp -d "${TMPDIR:-/tmp}/ptosync-scripts-XXXXXX")"
trap 'rm -rf "$work"' EXIT
failures=0
unset PTOSYNC_ARCH PTOSYNC_TRUST PTOSYNC_FLAGS PTOAS PTOAS_FLAGS PYTHON BISHENG PTO_LIB_PATH BISHENG_FLAGS \
  BISHENG_COMMON_FLAGS BISHENG_ARCH_FLAGS FA_REMOVE_VEC_BARRIERS FA_REMOVE_VEC_BARRIER_PATTERNS DESTDIR \
  PTOSYNC_CACHE_DIR PTOSYNC_REMOTE_CACHE
export PTOSYNC="$ptosync"
export LC_ALL=C
cd "$work" || exit 2

# run COMMAND...: leaves its exit code in $code and both outputs in $output.
run() {
  code=0
  output="$("$@" 2>&1)" || code=$?
}

complain() {
  echo "line ${BASH_LINENO[1]}: $1" >&2
  printf '%s\n' "--- exit code ${code:-?}, output:" "${output:-}" >&2
  failures=$((failures + 1))
}

expect_code() { [ "$code" -eq "$1" ] || complain "exit code $code, expected $1"; }
expect_output() { grep -qF -- "$1" <<<"$output" || complain "the output lacks: $1"; }
expect_no_output() { ! grep -qF -- "$1" <<<"$output" || complain "the output has: $1"; }
expect_file() { [ -f "$1" ] || complain "no file $1"; }
expect_no_file() { [ ! -e "$1" ] || complain "there is a file $1"; }
expect_in_file() { grep -qF -- "$2" "$1" || complain "$1 lacks: $2"; }
expect_same() { cmp -s "$1" "$2" || complain "$1 and $2 differ"; }
expect_same_folder() {
  run diff -r "$1" "$2"
  [ "$code" -eq 0 ] || complain "$1 and $2 differ"
}
expect_equal() { [ "$1" = "$2" ] || complain "'$1' is not '$2'"; }

finish() {
  [ "$failures" -eq 0 ] || { echo "$failures checks failed" >&2; exit 1; }
  echo "all checks passed"
}
