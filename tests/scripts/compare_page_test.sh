#!/usr/bin/env bash
# The page of `compare --html` in headless Chromium: it renders, no error, kernels, filter, search, click, keys, dark.
# Skipped where there is no Chromium. Usage: compare_page_test.sh PTOSYNC BUILD_FOLDER
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
"$tool" opt corpus/flash_attention/kernel.cpp -o "$work/tile.cpp" >/dev/null
"$tool" compare corpus/flash_attention/kernel.cpp "$work/tile.cpp" --html="$work/page.html" --quiet
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
  const key = (name) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  const choose = (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event("change")); };
  const entries = () => byId("groups").querySelectorAll(".entry").length;
  const lines = (id) => byId(id).querySelectorAll("tr").length;
  check("sources", byId("source-a").children.length > 500 && byId("source-b").children.length > 500);
  check("marked", byId("source-a").querySelectorAll(".row.removed").length === 18 &&
    byId("source-b").querySelectorAll(".row.moved").length === 1);
  check("the kernel that differs comes first", byId("kernel").selectedOptions[0].textContent.includes("(vec)"));
  check("tables", lines("times") > 4 && lines("loops") === 2 && lines("kinds") > 2);
  const all = entries(), kinds = lines("kinds");
  choose("change", "moved");
  check("filter", entries() === 1 && all > 5);
  choose("change", "all");
  byId("search").value = "TROWEXPANDDIV";
  byId("search").dispatchEvent(new Event("input"));
  check("search", entries() > 0 && entries() < all);
  byId("search").value = "";
  byId("search").dispatchEvent(new Event("input"));
  check("search again", entries() === all);
  byId("all").click();
  check("also the same", lines("kinds") > kinds);
  key("j");
  const first = document.querySelector(".row.pair");
  check("next", first && byId("groups").querySelector(".entry.selected"));
  key("j");
  check("next again", document.querySelector(".row.pair") !== first);
  byId("source-b").querySelector(".row.moved").click();
  check("click", document.querySelectorAll(".row.pair").length === 2);
  const canvases = [...document.querySelectorAll("#tracks canvas")];
  const inked = (canvas) => new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size > 8;
  check("timelines", canvases.length === 2 && canvases.every(inked) && canvases[0].getAttribute("aria-label") === "timeline A");
  const span = byId("span").textContent;
  key("+");
  check("zoom", byId("span").textContent !== span);
  key("0");
  check("whole again", byId("span").textContent === span);
  const box = canvases[1].getBoundingClientRect();
  let hit = null;
  for (let x = 90; x < box.width && !hit; x += 3)
    for (let y = 20; y < box.height && !hit; y += 11) {
      const at = { clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true };
      canvases[1].dispatchEvent(new PointerEvent("pointermove", at));
      if (byId("tip").style.display === "block") hit = at;
    }
  check("hover", hit && byId("tip").textContent.includes("line "));
  canvases[1].setPointerCapture = () => {};
  canvases[1].dispatchEvent(new PointerEvent("pointerdown", hit));
  canvases[1].dispatchEvent(new PointerEvent("pointerup", hit));
  check("a click goes to the line of B", byId("source-b").querySelector(".row.pair") && !byId("source-a").querySelector(".row.pair"));
  choose("kernel", "0");
  check("a kernel that is the same", entries() === 0 && lines("times") > 2);
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
page = page.replace('<body class="compare">', '<body class="compare"><script>' + first + "</script>", 1)
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
