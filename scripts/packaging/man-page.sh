#!/bin/sh
# scripts/packaging/man-page.sh PTOSYNC >ptosync.1
#
# The manual page, made from what the tool says of itself: `--version`, `--help` and the help of each command. So the
# page cannot know an option that the tool does not have, nor lack one.
set -eu
tool="$1"
help="$("$tool" --help)"
commands="$(printf '%s\n' "$help" | awk '/^SUBCOMMANDS:/ {on = 1; next} /^  Type/ {on = 0} on && NF {print $1}')"
[ -n "$commands" ] || { echo "man-page.sh: $tool --help lists no commands" >&2; exit 1; }

# Plain text to roff: backslashes and hyphens as they are, no line that begins like a request.
roff() { sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"; }

version="$("$tool" --version | sed -n '1p')"
printf '.TH PTOSYNC 1 "" "%s" "User Commands"\n.SH NAME\n' "$version"
printf '%s\n' "$help" | sed -n '1s/^OVERVIEW: ptosync: */ptosync - /p' | sed 's/-/\\-/'
printf '.SH SYNOPSIS\n.nf\n'
printf '%s\n' "$help" | sed -n 's/^  \(ptosync .*\)/\1/p' | roff
printf '.fi\n.SH EXIT STATUS\n'
printf '%s\n' "$help" | awk '/^exit codes:/ {on = 1} /^USAGE:|^$/ {on = 0} on' | sed 's/^exit codes: *//' | roff
printf '.SH COMMANDS\n'
for command in $commands; do
  printf '.SS %s\n' "$(printf '%s' "$command" | roff)"
  "$tool" "$command" --help | sed -n "s/^SUBCOMMAND '$command': *//p" | roff
  printf '.PP\n'
  "$tool" "$command" --help | sed -n 's/^USAGE: */.B /p' | sed 's/-/\\-/g'
  # "  --name=<value>   - what it does", under the heading of the tool's own options only
  "$tool" "$command" --help |
    awk '/^ptosync options:/ {on = 1; next} /^[a-z]/ {on = 0}
         on && /^  -/ {at = index($0, " - "); name = substr($0, 3, at - 3); sub(/ +$/, "", name)
                       print "\001" name; print substr($0, at + 3)}' |
    roff | awk '/^\001/ {print ".TP\n.B " substr($0, 2); next} {print}'
done
printf '.SH FINDINGS\n.nf\n'
printf '%s\n' "$help" | awk 'on && NF {print substr($0, 3)} /^findings/ {on = 1}' | roff
printf '.fi\n'
