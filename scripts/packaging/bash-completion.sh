#!/bin/sh
# scripts/packaging/bash-completion.sh PTOSYNC >ptosync
#
# Completion for bash, made from the tool's own help: commands, the options of each, and the values of those that
# have a fixed set.
set -eu
tool="$1"
commands="$("$tool" --help | awk '/^SUBCOMMANDS:/ {on = 1; next} /^  Type/ {on = 0} on && NF {printf "%s ", $1}')"
[ -n "$commands" ] || { echo "bash-completion.sh: $tool --help lists no commands" >&2; exit 1; }
patterns="$("$tool" patterns list | awk '{printf "%s ", $1}')"
cat <<HEAD
# bash completion for ptosync; generated from its help.
_ptosync() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" line options=''
  COMPREPLY=()
  if [ "\$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=(\$(compgen -W "${commands}--help --version" -- "\$current"))
    return
  fi
  # '=' is a word of its own where COMP_WORDBREAKS holds it.
  local option="\${COMP_WORDS[COMP_CWORD - 1]}" value="\$current"
  if [ "\$current" = '=' ]; then
    value=''
  elif [ "\$option" = '=' ]; then
    option="\${COMP_WORDS[COMP_CWORD - 2]}"
  else
    option=''
  fi
  [ "\$current" != '=' ] || option="\${COMP_WORDS[COMP_CWORD - 1]}"
  case "\$command \$option" in
HEAD
for command in $commands; do
  "$tool" "$command" --help | awk -v command="$command" -v patterns="$patterns" '
    /^ptosync options:/ {on = 1; next} /^[a-z]/ {on = 0}
    on && match($0, /^  --[a-z0-9-]+=<[a-z0-9|]+>/) {
      text = substr($0, 3, RLENGTH - 3); split(text, part, "=<"); gsub(/\|/, " ", part[2])
      print "  \"" command " " part[1] "\") COMPREPLY=($(compgen -W \"" part[2] "\" -- \"$value\")); return ;;" }
    on && /^  --patterns=/ {
      print "  \"" command " --patterns\") COMPREPLY=($(compgen -W \"" patterns "default all none\" -- \"$value\")); return ;;" }'
done
# shellcheck disable=SC2016 # for the shell that completes
printf '  esac\n  case "$command" in\n'
for command in $commands; do
  "$tool" "$command" --help | awk -v command="$command" '
    /^ptosync options:/ {on = 1; next} /^[a-z]/ {on = 0}
    on && /^  -/ {name = $1; sub(/<.*/, "", name); list = list name " "}
    END {print "  " command ") options=\"" list "--help\" ;;"}'
done
cat <<'TAIL'
  esac
  case "$current" in
  -*)
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    ;;
  *)
    if [ "$command" = patterns ] && [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "list show test" -- "$current"))
    else
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -f -- "$current"))
    fi
    ;;
  esac
}
complete -F _ptosync ptosync
TAIL
