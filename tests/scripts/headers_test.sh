#!/usr/bin/env bash
# What a header of src says it is tested by is there: a header that names a test which was never written is believed.
source "$(dirname "$0")/check.sh"

# A path, with `*` for several; a name alone stands behind a path, in the same folder.
missing=()
while IFS=: read -r header test; do
  # shellcheck disable=SC2086
  ls "$repository"/$test >/dev/null 2>&1 || missing+=("$header: $test")
done < <(cd "$repository" && grep -roE --include='*.h' 'tests/[a-z_]+/[a-z_*/]+\.(cpp|sh|h)' src)
run printf '%s\n' "${missing[@]}"
expect_no_output "tests/"

# What a comment sends the reader to, "(pending.h)", is there.
missing=()
while IFS=: read -r file header; do
  name="${header#(}"
  find "$repository/src" -path "*/${name%)}" | grep -q . || missing+=("$file: $header")
done < <(cd "$repository" && grep -roE --include='*.h' --include='*.cpp' '\([a-z_/]+\.h\)' src)
run printf '%s\n' "${missing[@]}"
expect_no_output ".h)"

finish
