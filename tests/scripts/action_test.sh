#!/usr/bin/env bash
# The action for GitHub: what it names is there, and its script does what its steps ask, without GitHub.
source "$(dirname "$0")/check.sh"
action="$repository/.github/actions/ptosync"
python3 -c 'import yaml' 2>/dev/null || { echo "skipped: python3 with yaml is not installed"; exit 77; }

# It is YAML in the form of a composite action; inputs and outputs that it uses are declared, and all of them are used.
run python3 - "$action/action.yml" <<'PY'
import re, sys, yaml
text = open(sys.argv[1]).read()
action = yaml.safe_load(text)
assert set(action) == {"name", "description", "inputs", "outputs", "runs"}, set(action)
assert action["runs"]["using"] == "composite"
used = set(re.findall(r"inputs\.([a-z-]+)", text))
assert used == set(action["inputs"]), used ^ set(action["inputs"])
for name, value in action["inputs"].items():
    assert set(value) == {"description", "default"} and isinstance(value["default"], str), name
steps = action["runs"]["steps"]
ids = {step["id"] for step in steps if "id" in step}
assert set(re.findall(r"steps\.([a-z-]+)\.", text)) <= ids
for step in steps:
    assert ("run" in step) != ("uses" in step), step
    assert "uses" in step or step["shell"] == "bash", step
    assert "uses" not in step or re.fullmatch(r"[\w-]+/[\w./-]+@v\d+", step["uses"]), step
print("\n".join(re.findall(r"GITHUB_ACTION_PATH/([\w.]+)", text)))
PY
expect_code 0
for file in $output; do
  expect_file "$action/$file"
  [ -x "$action/$file" ] || complain "$file cannot be run"
done
expect_file "$repository/scripts/setup.sh"
run bash -n "$action/run.sh"
expect_code 0

mkdir temp kernels
cp "$repository/corpus/unbalanced_flags/kernel.cpp" kernels/faulty.cpp
cp "$repository/corpus/softmax/kernel.cpp" "kernels/soft max.cpp"
scan() {
  : >github_output
  run env RUNNER_TEMP="$work/temp" GITHUB_OUTPUT="$work/github_output" PTOSYNC_PROGRAM="$ptosync" "$@" "$action/run.sh" scan
}

# Audit alone, and both. A finding is no failure of the step: the upload comes behind it.
scan PTOSYNC_PATHS=kernels/faulty.cpp
expect_code 0
expect_output "::error file=kernels/faulty.cpp"
expect_in_file github_output "exit-code=1"
expect_in_file github_output "sarif=$work/temp/ptosync-sarif"
expect_file temp/ptosync-sarif/audit.sarif
expect_no_file temp/ptosync-sarif/opt.sarif
scan PTOSYNC_PATHS=$'kernels/soft max.cpp\n' PTOSYNC_OPT=true PTOSYNC_ARGUMENTS=$'--arch=a3\n' \
  PTOSYNC_AUDIT_ARGUMENTS=--severity=note PTOSYNC_OPT_ARGUMENTS=--patterns=redundant-pipe-v
expect_code 0
expect_in_file github_output "exit-code=1"
expect_output "title=removable-sync"
expect_output "title=redundant-pipe-v"
expect_in_file temp/ptosync-sarif/opt.sarif '"uri": "kernels/soft%20max.cpp"'
expect_in_file temp/ptosync-sarif/opt.sarif '"id": "ptosync-opt/"'

# What is wrong is said, and nothing is uploaded.
scan PTOSYNC_PATHS=nowhere
expect_code 0
expect_in_file github_output "exit-code=2"
expect_equal "$(tail -n 1 github_output)" "sarif="
scan PTOSYNC_PROGRAM=no-such-program
expect_code 0
expect_output "::error title=ptosync::no-such-program is not there"
expect_in_file github_output "exit-code=2"
run "$action/run.sh"
expect_code 2
finish
