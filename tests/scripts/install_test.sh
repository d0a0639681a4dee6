#!/usr/bin/env bash
# What `cmake --install` leaves works on its own: the tool, its page and completions, the scripts, find_package.
source "$(dirname "$0")/check.sh"
unset PTOSYNC
cmake --build "$build" --target ptosync_pages >/dev/null || exit 2
run cmake --install "$build" --prefix "$work/root/usr"
expect_code 0
root="$work/root/usr"

run "$root/bin/ptosync" --version
expect_code 0
expect_output "machine model a3: "
expect_output "machine model a5: "
PATH="$root/bin:$PATH" run sh "$root/share/ptosync/patch_vec_barriers" "$repository/corpus/flash_attention/kernel.cpp" gu.cpp
expect_code 0
expect_output "(removed 4 PIPE_V barriers; "
PATH="$root/bin:$PATH" run "$root/share/ptosync/compile.sh" --to=opt --out=o "$repository/corpus/softmax/kernel.cpp"
expect_code 0
expect_file o/kernel_opt.cpp

# The kernel of docs/start.md is the corpus' own without the tests' verdicts, and what the page shows is what it gives.
example="$root/share/ptosync/examples/softmax.cpp"
expect_file "$example"
expect_same "$example" <(sed 's, *// expect:.*,,' "$repository/corpus/softmax/kernel.cpp")
run "$root/bin/ptosync" opt "$example" -o softmax_opt.cpp
expect_code 0
expect_output "9 barriers, 3 removed, 6 kept"
run "$root/bin/ptosync" opt softmax_opt.cpp --diff
expect_code 0

# Each document has its schema, and the machine model's overlay refers to one that is there.
for schema in approval audit baseline calls compare config durations explain machine machine-overlay memory pattern report table verify; do
  expect_file "$root/share/ptosync/schemas/$schema.json"
done
expect_in_file "$root/share/ptosync/schemas/machine-overlay.json" '"machine.json#/properties/rules"'
expect_same "$root/share/ptosync/schemas/report.json" "$repository/src/report/schema.json"
expect_same "$root/share/ptosync/schemas/pattern.json" "$repository/patterns/schema.json"

# The page has each option of each command, and roff finds nothing to complain of.
page="$root/share/man/man1/ptosync.1"
for command in opt audit verify patterns patch-vec-barriers; do
  options="$("$root/bin/ptosync" "$command" --help=all | sed -n 's/^  \(--*[a-z0-9-]*\)[=< ].*/\1/p' | grep -v -- '^--help')"
  [ -n "$options" ] || complain "no options of $command"
  for option in $options; do
    grep -qF -- "${option//-/\\-}" "$page" || complain "the page lacks $option of $command"
  done
done
if command -v man >/dev/null; then
  run env MANROFFSEQ='' MANWIDTH=100 man --warnings -l "$page"
  expect_code 0
  expect_output "patch-vec-barriers"
  expect_no_output "warning:"
fi

# Completion: commands, options, values.
# shellcheck disable=SC1091
source "$root/share/bash-completion/completions/ptosync"
complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _ptosync 2>/dev/null
  output="${COMPREPLY[*]}"
}
complete_words ptosync pat
expect_equal "$output" "patch-vec-barriers patterns"
complete_words ptosync opt --max
expect_equal "$output" "--max-removals="
complete_words ptosync opt --trust = l
expect_equal "$output" "library"
complete_words ptosync audit --arch =
expect_equal "$output" "a3 a5"
complete_words ptosync opt --patterns = final
expect_equal "$output" "final-div"
complete_words ptosync opt --severity
expect_equal "$output" ""
complete_words ptosync patterns sh
expect_equal "$output" "show"
expect_file "$root/share/zsh/site-functions/_ptosync"
expect_file "$root/share/fish/vendor_completions.d/ptosync.fish"
finish
