#!/usr/bin/env bash
# The page of `compare --html` in headless Chromium, worked as a person would.
# Skipped where there is no Chromium. Usage: compare_page_test.sh PTOSYNC BUILD_FOLDER
set -euo pipefail
# shellcheck source=tests/scripts/browser.sh
source "$(dirname "$0")/browser.sh"
tool="$(realpath "$1")"
cd "$(dirname "$0")/../.."
chromium_or_skip
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$tool" opt corpus/flash_attention/kernel.cpp -o "$work/tile.cpp" >/dev/null
sed -i '3i // one\n// two\n// three' "$work/tile.cpp" # so that equal lines have other numbers in B
"$tool" compare corpus/flash_attention/kernel.cpp "$work/tile.cpp" --html="$work/page.html" --quiet
[ "$(stat -c %s "$work/page.html")" -lt 2000000 ] || { echo "the page is larger than 2 MB" >&2; exit 1; }

cat >"$work/session.js" <<'JS'
  const choose = (id, value) => { byId(id).value = value; byId(id).dispatchEvent(new Event("change")); };
  const entries = () => byId("groups").querySelectorAll(".entry").length;
  const lines = (id) => byId(id).querySelectorAll("tr").length;
  const rows = (id) => byId(id).querySelectorAll(".row").length;
  const [paneA, paneB] = [byId("source-a"), byId("source-b")];
  const top = (id) => byId(id).getBoundingClientRect().top;
  check("sources", rows("source-a") > 500 && rows("source-a") === rows("source-b"));
  check("the header tells both cores together first", /^estimate: .*both cores together$/.test(byId("lines").firstChild.textContent));
  check("marked", paneA.querySelectorAll(".row.removed").length === 18 && paneB.querySelectorAll(".row.moved").length === 1);
  // Three comments, and the flag in its new place; in its old one stands the comment that tells where it went.
  check("what one lacks is a gap in it", paneA.querySelectorAll(".row.gap").length === 4 && !paneA.querySelector(".row.only") &&
    paneB.querySelectorAll(".row.only").length === 4 && !paneB.querySelector(".row.gap"));
  check("a comment of opt stands beside its sync", paneA.querySelectorAll(".row.removed.differs").length === 18);
  check("the kernel that differs comes first", byId("kernel").selectedOptions[0].textContent.includes("(vec)"));
  check("tables", lines("times") > 4 && lines("loops") === 2 && lines("kinds") > 2);
  check("columns fit", ["times", "loops", "kinds"].every((id) => byId(id).scrollWidth <= byId("list").clientWidth));

  // The panes scroll together, matched lines at one height, though B has three lines more.
  paneA.scrollTop = 4000;
  paneA.dispatchEvent(new Event("scroll"));
  await later();
  check("panes scroll together", paneB.scrollTop === paneA.scrollTop && paneA.scrollTop > 3000);
  check("matched lines at one height", Math.abs(top("A230") - top("B233")) < 1 && Math.abs(top("A2") - top("B2")) < 1);
  paneB.scrollTop = 500;
  paneB.dispatchEvent(new Event("scroll"));
  await later();
  check("the other way round", paneA.scrollTop === 500);
  location.hash = "#B300";
  await later();
  paneB.dispatchEvent(new Event("scroll"));
  check("a link to a line", byId("B300").classList.contains("pair") && paneB.scrollTop === paneA.scrollTop &&
    Math.abs(top("B300") - top("A297")) < 1 && top("B300") > paneB.getBoundingClientRect().top);

  const all = entries(), kinds = lines("kinds");
  choose("change", "moved");
  check("filter", entries() === 1 && all > 5 && / of \d+ that differ$/.test(byId("shown").textContent));
  choose("change", "all");
  type("search", "TROWEXPANDDIV");
  check("search", entries() > 0 && entries() < all);
  type("search", "");
  check("search again", entries() === all);
  byId("all").click();
  check("also the same", lines("kinds") > kinds);
  byId("near").click();
  check("only around what differs", getComputedStyle(byId("A150")).display === "none" && getComputedStyle(byId("B153")).display === "none");
  byId("near").click();
  key("j");
  const first = document.querySelector(".row.pair");
  check("next", first && byId("groups").querySelector(".entry.selected"));
  key("j");
  check("next again", document.querySelector(".row.pair") !== first);
  paneB.querySelector(".row.moved").click();
  check("click", document.querySelectorAll(".row.pair").length === 2);
  const was = document.querySelector(".row.pair");
  key("d");
  check("lines that differ", document.querySelector(".row.pair") && document.querySelector(".row.pair") !== was &&
    document.querySelector(".row.pair").matches(".differs, .only, .site"));
  key("?");
  check("help", byId("help").open && byId("help").textContent.includes("#A123"));
  key("?");

  const width = byId("side").offsetWidth;
  drag(byId("split-side"), 60, 0);
  check("splitter", Math.abs(byId("side").offsetWidth - width - 60) < 3);

  check("both cores together first", document.querySelectorAll("#stack canvas").length === 4);
  choose("runs", [...byId("runs").options].find((option) => option.textContent.includes("(vec)")).value);
  const canvases = [...document.querySelectorAll("#stack canvas")];
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
    for (let y = 20; y < box.height && !hit; y += 5) {
      const at = { clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true };
      canvases[1].dispatchEvent(new PointerEvent("pointermove", at));
      if (byId("tip").style.display === "block") hit = at;
    }
  check("hover", hit && byId("tip").textContent.includes("line "));
  canvases[1].setPointerCapture = () => {};
  canvases[1].dispatchEvent(new PointerEvent("pointerdown", hit));
  canvases[1].dispatchEvent(new PointerEvent("pointerup", hit));
  check("a click goes to the line of B", paneB.querySelector(".row.pair"));

  // What is framed in a timeline is of the line in its own text.
  const frames = new Map();
  const strokeRect = CanvasRenderingContext2D.prototype.strokeRect;
  CanvasRenderingContext2D.prototype.strokeRect = function (...box) {
    frames.set(this.canvas, (frames.get(this.canvas) || 0) + 1);
    strokeRect.apply(this, box);
  };
  const framed = (act) => { frames.clear(); act(); return canvases.map((canvas) => frames.get(canvas) || 0); };
  const slicesOn = (canvas, line) => canvas.run.tracks.flatMap(([, slices]) => slices).filter((slice) => slice[4] === line).length;
  const line = canvases[0].run.tracks.flatMap(([, slices]) => slices).map((slice) => slice[4])
    .find((line) => !byId("B" + line).classList.contains("site") && slicesOn(canvases[1], line) !== slicesOn(canvases[0], line));
  check("a line of B is none of A", line && framed(() => byId("B" + line).querySelector(".number").click()).join() ===
    [0, slicesOn(canvases[1], line)].join());
  const chosen = framed(() => paneB.querySelector(".row.moved").click());
  const places = [...document.querySelectorAll(".row.pair")].map((row) => Number(row.id.slice(1)));
  check("a sync of both is framed in both", chosen[0] > 0 && chosen.join() === canvases.map((canvas, i) => slicesOn(canvas, places[i])).join());
  CanvasRenderingContext2D.prototype.strokeRect = strokeRect;
  choose("kernel", "0");
  check("a kernel that is the same", entries() === 0 && lines("times") > 2);
  const back = getComputedStyle(document.body).backgroundColor;
  key("t");
  check("dark", getComputedStyle(document.body).backgroundColor !== back);
  done();
JS
cat >"$work/narrow.js" <<'JS'
  check("nothing beside the page", document.documentElement.scrollWidth <= innerWidth);
  check("both texts side by side", byId("source-a").getBoundingClientRect().right <= byId("source-b").getBoundingClientRect().left + 1);
  done();
JS
drive "$work/page.html" "$work/session.js" "$work"
drive "$work/page.html" "$work/narrow.js" "$work" 700,1000
echo good
