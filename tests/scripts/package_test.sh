#!/usr/bin/env bash
# The Debian package: its dependencies are named, and what it holds runs from where it was unpacked.
source "$(dirname "$0")/check.sh"
unset PTOSYNC
if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
  echo "no dpkg here: nothing tested"
  exit 0
fi
cmake --build "$build" --target ptosync_pages >/dev/null || exit 2
SOURCE_DATE_EPOCH=1700000000 run cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work/packages"
expect_code 0
package="$(find packages -maxdepth 1 -name 'ptosync_*.deb')"
expect_file "$package"
run dpkg-deb -f "$package" Depends
expect_output "libstdc++6"
if grep -q '^PTOSYNC_STATIC_LLVM:BOOL=ON' "$build/CMakeCache.txt"; then
  expect_no_output "libclang"
  expect_no_output "libllvm"
else
  expect_output "libclang-cpp19"
  expect_output "libllvm19"
fi
dpkg-deb -x "$package" root
run find root -type f -perm /022
expect_equal "$output" ""
run root/usr/bin/ptosync patterns test
expect_code 0
expect_output " 0 failed"
# Two builds in different folders give the same program.
run grep -c -F -e "$build/" -e "$repository/" root/usr/bin/ptosync
expect_code 1
expect_file root/usr/share/doc/ptosync/third-party/libclang-19-dev
expect_file root/usr/share/doc/ptosync/third-party/nlohmann-json3-dev
# What is linked in is named, with its licences; of the project's own none is claimed.
copyright=root/usr/share/doc/ptosync/copyright
for named in "License: none-chosen" "Apache-2.0-with-LLVM-exceptions" "nlohmann/json" "Expat" "BSD-3-clause"; do
  expect_in_file "$copyright" "$named"
done
for text in $(grep -o 'third-party/[a-z0-9-]*' "$copyright" | sort -u); do
  expect_file "root/usr/share/doc/ptosync/$text"
done
zcat root/usr/share/doc/ptosync/changelog.gz >changelog || cp root/usr/share/doc/ptosync/changelog .
expect_same changelog "$repository/docs/changelog.md"
expect_file root/usr/share/man/man1/ptosync.1
run root/usr/bin/ptosync opt root/usr/share/ptosync/examples/softmax.cpp --dry-run
expect_code 0
expect_output "3 removed"
expect_file root/usr/lib/cmake/ptosync/ptosync-config.cmake
run dpkg-deb -c "$package"
expect_no_output "$build"
expect_output "2023-11-14" # SOURCE_DATE_EPOCH, so the same input gives the same bytes
finish
