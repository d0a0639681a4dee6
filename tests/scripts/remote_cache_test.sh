#!/usr/bin/env bash
# Results through an HTTP server: a real one (nginx, with the WebDAV methods that a cache of Bazel needs), which this test
# starts, breaks and stops.
# shellcheck source=tests/scripts/check.sh
. "$(dirname "$0")/check.sh"

unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
nginx="$(PATH="$PATH:/usr/sbin" command -v nginx)" || { echo "skipped: there is no nginx"; exit 77; }
"$nginx" -V 2>&1 | grep -q http_dav_module || { echo "skipped: this nginx has no WebDAV"; exit 77; }

mkdir zoo store logs
port=$((20000 + RANDOM % 20000))
cat >nginx.conf <<TEXT
daemon off;
pid $work/nginx.pid;
error_log $work/logs/error.log;
events {}
http {
  access_log $work/logs/access.log;
  client_body_temp_path $work/logs/body;
  proxy_temp_path $work/logs/proxy; fastcgi_temp_path $work/logs/fastcgi;
  uwsgi_temp_path $work/logs/uwsgi; scgi_temp_path $work/logs/scgi;
  client_max_body_size 100m;
  server {
    listen 127.0.0.1:$port;
    root $work/store;
    location / { dav_methods PUT; create_full_put_path on; }
    location /guarded/ { dav_methods PUT; create_full_put_path on; auth_basic cache; auth_basic_user_file $work/users; }
    location /broken/ { return 500; }
    location /slow/ { proxy_pass http://127.0.0.1:9; }
  }
}
TEXT
# Workers run as whoever started it, so that they may write here.
[ "$(id -u)" -ne 0 ] || sed -i '1i user root;' nginx.conf
printf 'reader:{PLAIN}secret\n' >users
server=""
start_server() {
  "$nginx" -c "$work/nginx.conf" 2>>logs/start.log &
  server=$!
  for _ in $(seq 50); do
    (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
    sleep 0.1
  done
  echo "nginx does not listen:" >&2
  cat logs/start.log logs/error.log >&2
  exit 1
}
stop_server() {
  [ -z "$server" ] || { kill "$server"; wait "$server" 2>/dev/null; }
  server=""
}
trap 'stop_server; rm -rf "$work"' EXIT
start_server

url="http://127.0.0.1:$port/cache"
for name in softmax flash_attention rms_norm gemm_by_phase; do cp "$repository/corpus/$name/kernel.cpp" "zoo/$name.cpp"; done
outputs() { # FOLDER ARGUMENT...
  local into="$1"
  shift
  run "$ptosync" opt zoo "--output-dir=$into/k" "--report=$into/r" "--html=$into/h" --verbose "$@"
  printf '%s\n%s\n' "$code" "$(grep -v '^\(ptosync: \)*cache: ' <<<"$output")" >"$into/told"
}
same_as_plain() {
  local difference
  difference="$(diff -r plain "$1" 2>&1)" || complain "$1 differs: $difference"
}
requests() { grep -c "\"$1 /$2" logs/access.log || true; }

outputs plain

# --- one machine fills it, another one uses it -----------------------------------------------------------------------
outputs first "--remote-cache=$url"
expect_output 'cache: 0 hits, 4 misses, 4 of them kept'
same_as_plain first
outputs second "--remote-cache=$url/"
expect_output 'cache: 4 hits, 0 misses'
same_as_plain second
expect_equal "$(find store/cache/ac -type f | wc -l)" 8
expect_equal "$(find store/cache/cas -type f | wc -l)" 4
for blob in store/cache/cas/*; do # by its content, as a server that checks wants it
  expect_equal "$(sha256sum <"$blob" | cut -d ' ' -f 1)" "$(basename "$blob")"
done

# --- a folder in front of it: what came from the server is asked for once -------------------------------------------
outputs third "--remote-cache=$url" --cache-dir=local
expect_output 'cache: 4 hits, 0 misses'
same_as_plain third
before="$(requests GET cache)"
PTOSYNC_REMOTE_CACHE="$url" outputs fourth --cache-dir=local
expect_output 'cache: 4 hits, 0 misses'
same_as_plain fourth
expect_equal "$(requests GET cache)" "$before"

# --- read only ---------------------------------------------------------------------------------------------------
echo '// changed' >>zoo/softmax.cpp
outputs plain
before="$(requests PUT cache)"
outputs fifth "--remote-cache=$url" --remote-cache-read-only
expect_output 'cache: 3 hits, 1 misses'
same_as_plain fifth
expect_equal "$(requests PUT cache)" "$before"

# --- damage --------------------------------------------------------------------------------------------------------
outputs sixth "--remote-cache=$url"
for blob in store/cache/cas/*; do printf x | dd of="$blob" bs=1 seek=500 conv=notrunc 2>/dev/null; done
outputs seventh "--remote-cache=$url"
expect_output 'cache: 0 hits, 4 misses'
same_as_plain seventh
for entry in store/cache/ac/*; do echo '<html>not this</html>' >"$entry"; done
outputs eighth "--remote-cache=$url"
expect_output 'cache: 0 hits, 4 misses'
same_as_plain eighth
rm -f store/cache/cas/*
outputs ninth "--remote-cache=$url"
expect_output 'cache: 0 hits, 4 misses'
same_as_plain ninth
outputs tenth "--remote-cache=$url"
expect_output 'cache: 4 hits, 0 misses'
same_as_plain tenth

# --- a server that fails -------------------------------------------------------------------------------------------
for place in broken slow; do
  outputs "$place" "--remote-cache=http://127.0.0.1:$port/$place"
  expect_code 0
  expect_output 'cache: 0 hits, 4 misses'
  expect_output "ptosync: cache: http://127.0.0.1:$port/$place: GET: the server answers 50"
  same_as_plain "$place"
  [ "$(requests GET "$place")" -le 5 ] || complain "a server that fails is asked again and again"
done

# --- name and password, in the URL and in ~/.netrc; not in messages --------------------------------------------------
outputs guarded "--remote-cache=http://reader:secret@127.0.0.1:$port/guarded"
expect_output 'cache: 0 hits, 4 misses, 4 of them kept'
outputs guarded2 "--remote-cache=http://reader:secret@127.0.0.1:$port/guarded"
expect_output 'cache: 4 hits, 0 misses'
same_as_plain guarded2
mkdir home
printf 'machine 127.0.0.1 login reader password secret\n' >home/.netrc
HOME="$work/home" outputs guarded3 "--remote-cache=http://127.0.0.1:$port/guarded"
expect_output 'cache: 4 hits, 0 misses'
outputs guarded4 "--remote-cache=http://reader:wrong@127.0.0.1:$port/guarded"
expect_output "ptosync: cache: http://127.0.0.1:$port/guarded: GET: the server answers 401"
expect_no_output 'wrong'
same_as_plain guarded4

# --- no server at all ----------------------------------------------------------------------------------------------
stop_server
outputs gone "--remote-cache=$url"
expect_code 0
expect_output "ptosync: cache: $url: GET: "
same_as_plain gone
[ "$(grep -c 'ptosync: cache: ' <<<"$output")" -eq 1 ] || complain "the server's failure is said more than once"

finish
