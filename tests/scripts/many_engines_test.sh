#!/usr/bin/env bash
# The recipes of docs/many.md that take no more than what the tests have: forty kernels through GNU parallel over two ssh
# workers and through ninja give what one process gives. With 2,000 kernels and Bazel: scripts/many-engines.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"

for engine in parallel ninja; do
  run "$repository/scripts/many-engines" "$ptosync" 40 "$engine"
  [ "$code" -ne 77 ] || { echo "$output"; continue; }
  expect_code 0
  expect_output "the same bytes from all of them"
done

finish
