#!/usr/bin/env bash
# scripts/check-model: the library's code agrees with the model, and a model that says less is found out. Skipped where the
# library or the compiler is absent.
source "$(dirname "$0")/check.sh"
check="$repository/scripts/check-model"

# It takes minutes, and says the same as long as the model, the probes and the library are the same: then the check that
# tests/model/checked.txt speaks of was enough. The soak checks it anyway; `scripts/check-model --record` writes the line.
if [ -z "${PTOSYNC_SOAK:-}" ] && "$check" --unchanged; then
  echo "unchanged since it was checked last: tests/model/checked.txt"
  exit 0
fi

run "$check" "--build=$build"
if [ "$code" -eq 77 ]; then
  echo "$output"
  exit 77
fi
expect_code 0
expect_output "(0 kinds that are not listed)"
expect_no_output "not run, and not listed"

# The same models, but TTRI writes nothing: they must be contradicted.
for arch in a3 a5; do
  sed '/"TTRI": {/,/^    \]}/s/"role": "write"/"role": "read"/' "$repository/src/machine/$arch.json" >wrong.json
  run "$check" "--build=$build" --group=sequences "--machine=$work/wrong.json"
  expect_code 1
  expect_output "== $arch"
  expect_output "contradiction TTRI tile/write"
done

finish
