#!/usr/bin/env bash
# The diffs of opt and fix are taken by a real `git apply`, whatever folder the tool ran in.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"
command -v git >/dev/null || { echo "skipped: no git"; exit 77; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

mkdir -p tree/kernels/deep tree/tools
cp "$repository/corpus/softmax/kernel.cpp" "tree/kernels/deep/soft max.cpp"
cp "$repository/tests/broken/missing_flag/kernel.cpp" tree/kernels/broken.cpp
(cd tree && git init -q . && git add . && git -c user.name=n -c user.email=e commit -qm kernels)

# applies FOLDER NAME COMMAND...: the diff of COMMAND, run in FOLDER, is for NAME, and git takes it at the tree's top
applies() {
  local folder="$1" name="$2"
  shift 2
  (cd "$folder" && "$ptosync" "$@" >"$work/change.diff" 2>"$work/told")
  code=$? output="$(cat change.diff told)"
  expect_in_file change.diff "--- a/$name"
  expect_in_file change.diff "+++ b/$name"
  run git -C tree apply --check "$work/change.diff"
  expect_code 0
}
applies tree 'kernels/deep/soft max.cpp' opt 'kernels/deep/soft max.cpp' --diff
applies tree/kernels/deep 'kernels/deep/soft max.cpp' opt 'soft max.cpp' --diff
applies tree/tools 'kernels/deep/soft max.cpp' opt '../kernels/deep/soft max.cpp' --diff
applies . 'kernels/deep/soft max.cpp' opt 'tree/kernels/deep/soft max.cpp' --diff
applies / 'kernels/deep/soft max.cpp' opt "$work/tree/kernels/deep/soft max.cpp" --diff
applies tree/tools 'kernels/deep/soft max.cpp' opt ../kernels/deep --diff
applies tree/tools kernels/broken.cpp fix ../kernels/broken.cpp --arch=a3

# What git takes is what the tool writes.
(cd tree/kernels && "$ptosync" opt 'deep/soft max.cpp' --diff -q) >change.diff
"$ptosync" opt 'tree/kernels/deep/soft max.cpp' -o expected.cpp -q
git -C tree apply "$work/change.diff" || complain "git apply refuses the diff"
expect_same 'tree/kernels/deep/soft max.cpp' expected.cpp
git -C tree checkout -q .

# --root=DIR begins the paths elsewhere; patch takes them there.
(cd tree/tools && "$ptosync" opt '../kernels/deep/soft max.cpp' --diff -q --root=../kernels) >change.diff
expect_in_file change.diff '--- a/deep/soft max.cpp'
(cd tree/kernels && patch -p1 -s <"$work/change.diff") || complain "patch refuses the diff"
expect_same 'tree/kernels/deep/soft max.cpp' expected.cpp
run "$ptosync" opt 'tree/kernels/deep/soft max.cpp' --diff --root=tree/tools
expect_code 2
expect_output 'does not lie below it'

# Without a work tree a path is the one that was given.
cp expected.cpp plain.cpp
cp "$repository/corpus/softmax/kernel.cpp" plain.cpp
run "$ptosync" opt ./plain.cpp --diff -q
expect_output '--- a/plain.cpp'
finish
