#!/bin/sh
# scripts/packaging/clean-root.sh PACKAGE.deb [SUITE [MIRROR]]
#
# Does the package install, and the program run, where nothing but Debian is? Makes a minimal root with debootstrap,
# installs the package there with apt, and runs the program on a kernel, its patterns and its manual page. Needs
# root, debootstrap and the mirror; takes a few minutes, so it is no part of the tests. The root is removed again.
set -eu
package="${1:?usage: clean-root.sh PACKAGE.deb [SUITE [MIRROR]]}"
suite="${2:-bookworm}" mirror="${3:-http://deb.debian.org/debian}"
here="$(cd "$(dirname "$0")/../.." && pwd)"
root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
  tail -5 "$root.log" >&2
  echo "clean-root: no root could be made; see $root.log" >&2
  exit 2
}
rm -f "$root.log"
cp "$package" "$root/tmp/package.deb"
cp "$here/corpus/flash_attention/kernel.cpp" "$root/tmp/kernel.cpp"
cat >"$root/tmp/try.sh" <<'TRY'
set -e
cd /tmp
apt-get update -q >/dev/null
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends ./package.deb >install.log 2>&1 || {
  cat install.log
  exit 1
}
ptosync --version
ptosync opt kernel.cpp -o out.cpp --report=report.json | head -n 1
ptosync opt out.cpp --diff >/dev/null 2>&1
ptosync patterns test
test -s out.cpp && test -s report.json && test -s /usr/share/man/man1/ptosync.1
echo "clean-root: installed, and runs"
TRY
chroot "$root" sh /tmp/try.sh
