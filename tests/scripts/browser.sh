#!/usr/bin/env bash
# Sourced by the tests of pages: works a page in headless Chromium as a person would.
#
#   drive PAGE.html SCRIPT.js WORK [WIDTH,HEIGHT] prints the problems of the session, or "good"
#
# The script gets `check(name, good)`, `byId`, `key(name, target)`, `type(id, text)`, `drag(from, dx, dy)`, `later()` (a
# promise of the next frames), and `stage`, which counts the loads of the page: `again()` loads it once more. It ends
# with `done()`. Errors, console.error and what the page's policy forbids are problems too.

chromium_or_skip() {
  chromium="$(command -v chromium || command -v chromium-browser || true)"
  if [ -z "$chromium" ]; then
    echo "skipped: no chromium"
    exit 0
  fi
}

drive() {
  local page="$1" script="$2" work="$3" size="${4:-1400,900}" tested title
  tested="$work/tested_$(basename "$script" .js).html"
  cat >"$work/first.js" <<'JS'
window.problems = [];
window.addEventListener("error", (event) => problems.push("error: " + event.message));
window.addEventListener("unhandledrejection", (event) => problems.push("error: " + event.reason));
window.addEventListener("securitypolicyviolation", (event) => problems.push("policy: " + event.violatedDirective));
const plainError = console.error;
console.error = (...words) => { problems.push("console: " + words.join(" ")); plainError(...words); };
const check = (name, good) => { if (!good) problems.push("failed: " + name); };
const byId = (id) => document.getElementById(id);
const key = (name, target) => (target || document.body).dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const type = (id, text) => { byId(id).value = text; byId(id).dispatchEvent(new Event("input")); };
const drag = (node, dx, dy) => {
  const box = node.getBoundingClientRect(), at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, pointerId: 1, bubbles: true };
  node.dispatchEvent(new PointerEvent("pointerdown", at));
  node.dispatchEvent(new PointerEvent("pointermove", { ...at, clientX: at.clientX + dx, clientY: at.clientY + dy }));
  node.dispatchEvent(new PointerEvent("pointerup", at));
};
const later = () => new Promise((ready) => setTimeout(ready, 100));
const stage = Number(sessionStorage.getItem("stage") || 0);
const again = () => {
  sessionStorage.setItem("stage", stage + 1);
  sessionStorage.setItem("problems", JSON.stringify(problems));
  location.reload();
};
if (stage) problems.push(...JSON.parse(sessionStorage.getItem("problems")));
const done = () => { document.title = problems.length ? "bad: " + problems.join("; ") : "good"; };
JS
  python3 - "$page" "$work/first.js" "$script" "$tested" <<'PY'
import re, sys
page, first, last = (open(name, encoding="utf-8").read() for name in sys.argv[1:4])
page = re.sub("<body[^>]*>", lambda found: found.group() + "<script>" + first + "</script>", page, count=1)
script = "<script>(async function () {" + last + "})().catch((error) => { problems.push(String(error)); done(); });</script>"
open(sys.argv[4], "w", encoding="utf-8").write(script.join(page.rsplit("</body>", 1)) + "</body></html>")
PY
  title="$(timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --window-size="$size" --virtual-time-budget=30000 \
    --user-data-dir="$work/profile" --dump-dom "file://$tested" 2>"$work/log" |
    sed -n 's/.*<title>\([^<]*\)<\/title>.*/\1/p' | head -1)"
  if [ "$title" != good ]; then
    echo "$(basename "$script" .js): ${title:-nothing was rendered}" >&2
    grep -v dbus "$work/log" | tail -5 >&2
    return 1
  fi
}
