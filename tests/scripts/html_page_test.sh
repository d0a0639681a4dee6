#!/usr/bin/env bash
# The page of --html in headless Chromium: it renders, no error, filter, click, review, zoom, pan, keys, dark.
# Skipped where there is no Chromium. Usage: html_page_test.sh PTOSYNC BUILD_FOLDER
set -euo pipefail
tool="$(realpath "$1")"
cd "$(dirname "$0")/../.."
chromium="$(command -v chromium || command -v chromium-browser || true)"
if [ -z "$chromium" ]; then
  echo "skipped: no chromium"
  exit 0
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$tool" opt corpus/flash_attention/kernel.cpp --dry-run --html="$work/page.html" >/dev/null
[ "$(stat -c %s "$work/page.html")" -lt 2000000 ] || { echo "the page is larger than 2 MB" >&2; exit 1; }

# The page with a script in front that notes errors, and one behind it that works it as a person would.
cat >"$work/first.js" <<'JS'
window.problems = [];
window.addEventListener("error", (event) => problems.push("error: " + event.message));
window.addEventListener("securitypolicyviolation", (event) => problems.push("policy: " + event.violatedDirective));
const plainError = console.error;
console.error = (...words) => { problems.push("console: " + words.join(" ")); plainError(...words); };
JS
cat >"$work/last.js" <<'JS'
(function () {
  const check = (name, good) => { if (!good) problems.push("failed: " + name); };
  const byId = (id) => document.getElementById(id);
  const key = (name, target) => (target || document.body).dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  const entries = () => byId("groups").querySelectorAll(".entry").length;
  const rows = (kind) => document.querySelectorAll(".row." + kind).length;
  check("source", document.querySelectorAll(".row").length > 500);
  check("removed rows", rows("removed") >= 10 && rows("kept") >= 10);
  check("struck through", getComputedStyle(document.querySelector(".row.removed .code")).textDecorationLine === "line-through");
  const all = entries();
  document.querySelector('[data-filter="removed"]').click();
  const removed = entries();
  check("filter", removed > 0 && removed < all);
  byId("search").value = "no such thing";
  byId("search").dispatchEvent(new Event("input"));
  check("search", entries() === 0);
  byId("search").value = "";
  byId("search").dispatchEvent(new Event("input"));
  check("search again", entries() === removed);
  const row = document.querySelector(".row.removed");
  row.click();
  check("click", row.classList.contains("selected") && byId("detail").querySelectorAll("li").length > 0);
  document.querySelector("#groups .entry input").click();
  check("export", /^--lines=\d+/.test(byId("export").value));
  const before = document.querySelector("#groups .entry.selected");
  key("j");
  check("next", document.querySelector("#groups .entry.selected") && document.querySelector("#groups .entry.selected") !== before);
  const canvas = document.querySelector("#tracks canvas");
  check("timelines", document.querySelectorAll("#tracks canvas").length === 2);
  const pixels = () => Array.from(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).join("").length +
    canvas.toDataURL().length;
  const span = () => byId("span").textContent;
  const whole = span(), drawn = canvas.toDataURL();
  check("drawn", pixels() > 0 && new Set(canvas.getContext("2d").getImageData(90, 20, 400, 60).data).size > 3);
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, clientX: box.left + 300, clientY: box.top + 30, cancelable: true }));
  check("wheel zooms", span() !== whole && canvas.toDataURL() !== drawn);
  const zoomed = span();
  key("ArrowRight", canvas);
  check("arrow pans", span() !== zoomed);
  key("0");
  check("whole run", span() === whole);
  for (let x = 80, found = false; x < box.width && !found; x += 5) {
    canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + 18 + 33 }));
    found = byId("tip").style.display === "block" && /line \d+/.test(byId("tip").textContent);
    if (x + 5 >= box.width) check("hover", found);
  }
  const back = getComputedStyle(document.body).backgroundColor;
  key("t");
  check("dark", getComputedStyle(document.body).backgroundColor !== back);
  document.title = problems.length ? "bad: " + problems.join("; ") : "good";
})();
JS
python3 - "$work" <<'PY'
import sys
work = sys.argv[1]
page = open(work + "/page.html", encoding="utf-8").read()
first, last = open(work + "/first.js").read(), open(work + "/last.js").read()
page = page.replace("<body>", "<body><script>" + first + "</script>", 1)
page = page.replace("</body>", "<script>" + last + "</script></body>", 1)
open(work + "/tested.html", "w", encoding="utf-8").write(page)
PY
title="$(timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --window-size=1500,950 \
  --user-data-dir="$work/profile" --dump-dom "file://$work/tested.html" 2>"$work/log" |
  sed -n 's/.*<title>\([^<]*\)<\/title>.*/\1/p' | head -1)"
if [ "$title" != good ]; then
  echo "the page: ${title:-nothing was rendered}" >&2
  tail -5 "$work/log" >&2
  exit 1
fi
echo good
