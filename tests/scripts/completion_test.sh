#!/usr/bin/env bash
# What completion offers is accepted, and what is accepted is offered.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"

"$ptosync" --completion=bash >completion.bash
# shellcheck source=/dev/null
. ./completion.bash
cp "$repository/corpus/double_buffered_gemm/kernel.cpp" k.cpp

# offered WORD...: what is offered for the last word; the line is cut into words at '='
offered() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  compopt() { :; }
  _ptosync
  printf '%s\n' "${COMPREPLY[@]+"${COMPREPLY[@]}"}"
}

# What a command needs beside its options, and a value for each option without a fixed set of them.
declare -A operands=([opt]='k.cpp' [sync]='k.cpp' [audit]='k.cpp' [fix]='k.cpp' [explain]='k.cpp:1' [verify]='k.cpp k.cpp' [patterns]='list' [rule]='gu' [timeline]='k.cpp' [compare]='k.cpp k.cpp'
  ['patch-vec-barriers']='k.cpp out.cpp' [model]='--check' [merge]='t.json')
value_of() {
  case "$1" in
  -o=) echo out.cpp ;;
  --fail-over=) echo 5 ;;
  --shard=) echo 1/2 ;;
  --depfile=) echo out.d ;;
  --files-from=) echo none.txt ;;
  --report= | --sarif= | --trace= | --calibrate=) echo out.json ;;
  --html=) echo out.html ;;
  --max-removals= | --lines= | --jobs= | --remove-vec-barriers=) echo 1 ;;
  --machine= | --pattern-file= | --baseline= | --timing= | --approved=) echo none.json ;;
  --new-from-rev=) echo HEAD ;;
  --pto-include= | --profile= | --root=) echo . ;;
  --profile-core=) echo core0.veccore0 ;;
  --arg=) echo n=1 ;;
  --rule=) echo missing-sync=off ;;
  --rewrite=) echo fifo-local-slots ;;
  --remove-vec-barrier-patterns=) echo gu ;;
  *) offered ptosync "$2" "${1%=}" = '' | grep -vx k.cpp | head -n 1 ;;
  esac
}

accepted() {
  # shellcheck disable=SC2086
  run "$ptosync" "$@"
  expect_no_output 'unknown option'
  expect_no_output 'is given twice'
  expect_no_output 'expected a value'
  expect_no_output 'takes no value'
}

commands="$(offered ptosync '' | grep -v -e '^-' -e '^help$' -e '^version$')"
[ -n "$commands" ] || complain "no command is offered"
options=0
for command in $commands; do
  run "$ptosync" "$command" --help=all
  expect_code 0
  known="$(sed -n 's/^  \(-[a-z]\), \(--[a-z-]*\).*/\1\n\2/p; t; s/^  \(--*[A-Za-z0-9-]*\).*/\1/p' <<<"$output" | sort -u)"
  list="$(offered ptosync "$command" -)"
  for name in $known; do
    grep -qx -e "$name" -e "$name=" <<<"$list" || complain "$command $name is accepted and not offered"
  done
  for option in $list; do
    options=$((options + 1))
    given="${operands[$command]}"
    [ "$given" != "$option" ] || given=''
    case "$option" in
    *=)
      value="$(value_of "$option" "$command")"
      [ -n "$value" ] || complain "$command $option: no value is offered, and this test knows none"
      # shellcheck disable=SC2086
      accepted "$command" $given "$option$value"
      values="$(offered ptosync "$command" "${option%=}" = '')"
      ! grep -qx k.cpp <<<"$values" || continue # names of files
      for value in $values; do
        # shellcheck disable=SC2086
        accepted "$command" $given "$option$value"
        expect_no_output ': expected '
        expect_no_output 'unknown pattern'
      done
      ;;
    *)
      value=''
      case "$option" in
      -o) value=out.cpp ;;
      -I) value=. ;;
      -D | -U) value=NAME ;;
      esac
      # shellcheck disable=SC2086
      accepted "$command" $given "$option" $value
      ;;
    esac
  done
done
[ "$options" -ge 100 ] || complain "only $options options are offered"
is_offered() { # WORD ARGUMENT...
  local word="$1"
  shift
  offered "$@" | grep -qxF -e "$word" || complain "not offered behind $*: $word"
}
touch 'my kernel.cpp'
is_offered 'my kernel.cpp' ptosync opt m
is_offered 'my kernel.cpp' ptosync opt --report = m
is_offered 'my kernel.cpp' ptosync opt --report =
is_offered '--report=my kernel.cpp' ptosync opt --report=m # where '=' ends no word
is_offered a5 ptosync opt --arch ''
is_offered a5 ptosync opt --arch = a
is_offered k.cpp ptosync opt --diff k
is_offered gu ptosync opt --patterns =
is_offered gu,softmax-exp-sum ptosync opt --patterns = gu,s
is_offered gu ptosync patterns show ''
is_offered show ptosync patterns s
is_offered missing-sync ptosync rule m
is_offered list ptosync rule l
is_offered opt ptosync help o
is_offered version ptosync ver
is_offered -q ptosync verify -
is_offered sarif ptosync audit --format = s
is_offered --man-page ptosync --m
is_offered --completion=fish ptosync --c
is_offered zsh ptosync --completion =
is_offered --version ptosync opt --v
for word in $(offered ptosync -); do
  run "$ptosync" "$word"
  expect_code 0
done
for word in $(offered ptosync patterns ''); do
  run "$ptosync" patterns "$word" gu
  expect_no_output 'unknown'
done

# The other two shells read theirs, where they are there.
for shell in zsh fish; do
  "$ptosync" "--completion=$shell" >"completion.$shell"
  grep -q missing-sync "completion.$shell" || complain "$shell: rule has no ids"
  command -v "$shell" >/dev/null || continue
  run "$shell" -n "completion.$shell"
  expect_code 0
  expect_equal "$output" ""
done

finish
