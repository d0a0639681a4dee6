#!/usr/bin/env bash
# The pages of `opt --html` in headless Chromium, worked as a person would: one kernel's page, and the table of many.
# Skipped where there is no Chromium. Usage: html_page_test.sh PTOSYNC BUILD_FOLDER
set -euo pipefail
# shellcheck source=tests/scripts/browser.sh
source "$(dirname "$0")/browser.sh"
tool="$(realpath "$1")"
cd "$(dirname "$0")/../.."
chromium_or_skip
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$tool" opt corpus/flash_attention/kernel.cpp --dry-run --html="$work/page.html" >/dev/null
[ "$(stat -c %s "$work/page.html")" -lt 2000000 ] || { echo "the page is larger than 2 MB" >&2; exit 1; }

# The reading of a kernel: list, filters, evidence, source, splitters, help, links, timelines.
cat >"$work/reading.js" <<'JS'
  const entries = () => byId("groups").querySelectorAll(".entry").length;
  const rows = (kind) => document.querySelectorAll("#source .row." + kind).length;
  const row = (line) => byId("L" + line);
  const inView = (node, pane) => {
    const own = node.getBoundingClientRect(), box = pane.getBoundingClientRect();
    return own.top >= box.top && own.bottom <= box.bottom;
  };
  const shownSyncs = () => [...document.querySelectorAll("#source .row.site:not(.off)")];
  check("source", document.querySelectorAll("#source .row").length > 500);
  check("marks", rows("removed") >= 10 && rows("kept") >= 10);
  check("the header tells both cores together first", /^estimate: .*both cores together$/.test(byId("lines").firstChild.textContent) &&
    /^each core alone: /.test(byId("lines").children[1].textContent));
  const struck = document.querySelector(".row.removed s");
  check("struck through, and not the comment", struck && /^pipe_barrier\(PIPE_\w+\);$/.test(struck.textContent.trim()));
  check("syntax", document.querySelectorAll("#source .t-c").length > 50 && getComputedStyle(document.querySelector(".t-i")).color !== getComputedStyle(document.body).color);
  check("list and evidence are side by side", byId("list").getBoundingClientRect().right <= byId("detail").getBoundingClientRect().left + 10 &&
    byId("detail").getBoundingClientRect().top < byId("list").getBoundingClientRect().bottom);

  // Filters filter: the list, the counts and the marks in the source.
  const all = entries(), marks = shownSyncs().length;
  document.querySelector('[data-filter="removed"]').click();
  const removed = entries();
  check("filter", removed > 0 && removed < all && [...byId("groups").querySelectorAll(".entry")].every((entry) => entry.classList.contains("removed")));
  check("the filter says how many", /^\d+ of \d+ syncs$/.test(byId("shown").textContent) && /removed \d+/.test(document.querySelector('[data-filter="removed"]').textContent));
  check("the filter is seen in the source", shownSyncs().length < marks && shownSyncs().every((site) => site.classList.contains("removed")));
  byId("near").click();
  check("only around them", getComputedStyle(row(1)).display === "none" && shownSyncs().every((site) => getComputedStyle(site).display !== "none") &&
    inView(document.querySelector("#source .row.selected"), byId("source")));
  byId("near").click();
  check("all again", getComputedStyle(row(1)).display !== "none");
  type("search", "no such thing");
  check("search", entries() === 0 && byId("groups").textContent.includes("No sync fits"));
  byId("search").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  check("search again", entries() === removed);
  document.querySelector('[data-filter="all"]').click();

  // Repeats are folded, and unfold.
  byId("fold").click();
  const unfolded = entries();
  check("folds", unfolded > all && byId("groups").querySelectorAll(".entry").length === Number(/\d+/.exec(byId("shown").textContent)[0]));
  byId("fold").click();
  check("folded again", entries() === all && [...document.querySelectorAll(".entry .statement")].some((node) => /^\d+\u00d7 /.test(node.textContent)));

  // Evidence, keys, a link to a line.
  const site = document.querySelector("#source .row.removed");
  site.click();
  check("click", site.classList.contains("selected") && byId("detail").querySelectorAll("li").length > 0 && byId("detail").textContent.includes("removed"));
  const before = document.querySelector("#groups .entry.selected");
  check("the entry is chosen too", before && inView(before, byId("list")));
  key("j");
  const next = document.querySelector("#groups .entry.selected");
  check("next", next && next !== before && inView(document.querySelector("#source .row.selected"), byId("source")));
  const last = [...document.querySelectorAll("#source .row.kept")].pop();
  location.hash = "#" + last.id;
  await later();
  check("a link to a line", inView(last, byId("source")) && last.classList.contains("selected") && byId("detail").textContent.includes("line " + last.id.slice(1)));
  location.hash = "#L3";
  await later();
  check("a link to a line without a sync", inView(row(3), byId("source")) && row(3).classList.contains("pair"));

  // Splitters.
  const width = byId("side").offsetWidth, height = byId("time").offsetHeight;
  drag(byId("split-side"), 80, 0);
  check("splitter", Math.abs(byId("side").offsetWidth - width - 80) < 3);
  drag(byId("split-time"), 0, -50);
  check("splitter of the timelines", Math.abs(byId("time").offsetHeight - height - 50) < 3);
  key("ArrowLeft", byId("split-side"));
  check("splitter by key", Math.abs(byId("side").offsetWidth - width - 56) < 3);
  byId("split-side").dispatchEvent(new MouseEvent("dblclick"));
  check("splitter back", byId("side").offsetWidth === width);

  // Help.
  key("?");
  check("help", byId("help").open && byId("help").textContent.includes("search") && byId("help").querySelectorAll("dt").length > 10);
  const waiting = document.querySelector("#groups .entry:not(:last-child)"), chosen = () => document.querySelector("#groups .entry.selected");
  waiting.click();
  check("an entry is chosen below the help", chosen() === waiting);
  key("j");
  check("other keys wait", chosen() === waiting && byId("help").open);
  key("?");
  check("help closes", !byId("help").open);
  key("j");
  check("and wait no more", chosen() && chosen() !== waiting);

  // Timelines: all runs in view, rows not empty, an axis, arrows, zoom, pan, hover.
  const canvases = [...document.querySelectorAll("#stack canvas")];
  check("both cores, before and after", canvases.length === 4 && byId("runs").selectedOptions[0].textContent.includes("both cores together"));
  check("all in view", canvases.every((canvas) => inView(canvas, byId("tracks"))));
  check("no empty row", canvases.every((canvas) => canvas.run.tracks.every(([, slices]) => slices.length > 0)));
  check("arrows", canvases.every((canvas) => canvas.run.arrows.length > 0));
  const inked = (canvas) => new Set(canvas.getContext("2d").getImageData(80, 0, canvas.width - 80, canvas.height).data).size;
  check("axis", inked(byId("axis")) > 3);
  check("colours by kind", document.querySelectorAll("#time-bar .key i").length >= 5 && canvases.every((canvas) => inked(canvas) > 8));
  const canvas = canvases[1], box = canvas.getBoundingClientRect();
  const span = () => byId("span").textContent;
  const whole = span(), drawn = canvas.toDataURL();
  canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, clientX: box.left + 300, clientY: box.top + 30, cancelable: true }));
  check("wheel zooms", span() !== whole && canvas.toDataURL() !== drawn);
  const zoomed = span();
  key("ArrowRight", canvas);
  check("arrow pans", span() !== zoomed);
  key("0");
  check("whole run", span() === whole);
  let hit = null;
  for (let x = 80; x < box.width && !hit; x += 3)
    for (let y = 20; y < box.height && !hit; y += 5) {
      const at = { clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true };
      canvas.dispatchEvent(new PointerEvent("pointermove", at));
      if (byId("tip").style.display === "block" && /line \d+/.test(byId("tip").textContent)) hit = at;
    }
  check("hover", hit);
  canvas.setPointerCapture = () => {};
  const line = /line (\d+), /.exec(byId("tip").textContent);
  if (hit) for (const name of ["pointerdown", "pointerup"]) canvas.dispatchEvent(new PointerEvent(name, hit));
  check("a click goes to the line", line && inView(row(line[1]), byId("source")));
  const one = [...byId("runs").options].find((option) => option.textContent.includes("(vec)"));
  byId("runs").value = one.value;
  byId("runs").dispatchEvent(new Event("change"));
  check("one core", document.querySelectorAll("#stack canvas").length === 2);

  const back = getComputedStyle(document.body).backgroundColor;
  key("t");
  check("dark", getComputedStyle(document.body).backgroundColor !== back);
  key("t");
  check("the columns of the loops fit", byId("loops").scrollWidth <= byId("list").clientWidth);
  done();
JS

# The review: ticks survive a reload, go together with their edit, and are exported.
cat >"$work/review.js" <<'JS'
  const data = JSON.parse(byId("data").textContent);
  const pressed = (word) => [...document.querySelectorAll('#groups [data-tick="' + word + '"][aria-pressed="true"]')];
  if (stage === 0) {
    check("nothing is ticked", /^0 approved, 0 rejected, \d+ open$/.test(byId("count").textContent) && byId("as-option").hidden);
    const first = document.querySelector("#groups .entry.removed");
    first.querySelector(".approved").click();
    check("approved", pressed("approved").length === 1 && !/^0 /.test(byId("count").textContent));
    check("as an option", /^--lines=\d+/.test(byId("export").value));
    key("j"); key("j"); key("r");
    check("rejected by key", pressed("rejected").length === 1 && document.querySelector(".entry.selected .rejected").getAttribute("aria-pressed") === "true");
    key("x");
    check("one word an edit", pressed("rejected").length === 0 && pressed("approved").length === 2);
    key("r");
    byId("rest").value = "apply";
    byId("rest").dispatchEvent(new Event("change"));
    sessionStorage.setItem("count", byId("count").textContent);
    again();
    return;
  }
  check("ticks survive a reload", byId("count").textContent === sessionStorage.getItem("count") && pressed("approved").length === 1 &&
    pressed("rejected").length === 1 && byId("rest").value === "apply");

  check("the file is offered", byId("save").offsetParent !== null);
  let blob = null, name = "";
  URL.createObjectURL = (made) => { blob = made; return "blob:none"; };
  HTMLAnchorElement.prototype.click = function () { name = this.download; };
  byId("save").click();
  const approval = JSON.parse(await blob.text());
  const edits = new Map(data.edits.map((edit) => [edit.fingerprint, data.sites.find((site) => site.edit === edit.number)]));
  check("name", name === "approval.json");
  check("form", Object.keys(approval).join() === "version,approved,rejected,rest" && approval.version === 1 && approval.rest === "apply");
  check("what was ticked", approval.approved.length + " approved, " + approval.rejected.length === byId("count").textContent.split(" rejected")[0]);
  for (const edit of [...approval.approved, ...approval.rejected])
    check("an edit", Object.keys(edit).join() === "fingerprint,kernel,edit" && /^[0-9a-f]{16}$/.test(edit.fingerprint) &&
      edit.kernel.length > 0 && edit.edit.startsWith("removed " + edits.get(edit.fingerprint).text + " at line "));
  byId("clear").click();
  check("cleared", /^0 approved, 0 rejected/.test(byId("count").textContent));
  done();
JS

# A page made with an approval goes on from it: its ticks, new and rejected edits to be ticked, entries of other kernels.
"$tool" opt corpus/flash_attention/kernel.cpp --dry-run --report="$work/report.json" >/dev/null
python3 - "$work" <<'PY'
import json, sys
edits = {}
for site in json.load(open(sys.argv[1] + "/report.json"))["sites"]:
    if site["verdict"] == "removed":
        edits.setdefault(site["edit"], {"fingerprint": site["fingerprint"], "kernel": "call_both", "edit": "an edit"})
first, second, third = list(edits.values())[:3]
other = {"fingerprint": "0123456789abcdef", "kernel": "other", "edit": "of another kernel"}
json.dump({"version": 1, "approved": [first, second, other], "rejected": [third], "rest": "hold"}, open(sys.argv[1] + "/a.json", "w"))
PY
"$tool" opt corpus/flash_attention/kernel.cpp --dry-run --approved="$work/a.json" --html="$work/continued.html" >/dev/null 2>&1
cat >"$work/continued.js" <<'JS'
  const data = JSON.parse(byId("data").textContent), given = data.approval;
  const counts = () => byId("count").textContent.match(/\d+/g).map(Number).join();
  const open = data.edits.length - 3;
  check("the ticks of the approval", counts() === "2,1," + open && open > 3 && byId("rest").value === "hold");
  const held = () => [...document.querySelectorAll("#groups .entry.kept .ticks")].flatMap((ticks) => ticks.closest(".entry"));
  check("new edits and the rejected one can be ticked", held().flatMap((entry) => entry.sites).filter((site) => site.edit).length >= open + 1);
  // X decides the edit that is shown alone; a key for the whole entry then decides the open ones only.
  key("u");
  const site = data.sites.find((each) => byId("detail").querySelector("h3").textContent.includes("line " + each.line) && each.edit);
  check("u goes to an open edit", site && site.verdict === "kept");
  key("X");
  check("X approves it alone", counts() === "3,1," + (open - 1));
  const mixed = held().find((entry) => entry.sites.some((each) => each.line === site.line));
  check("a third state", mixed.sites.length > 1 && mixed.querySelector(".approved").getAttribute("aria-pressed") === "mixed");
  mixed.querySelector(".rejected").click();
  check("no single decision is lost", counts() === "3," + mixed.sites.length + "," + (open - mixed.sites.length));
  mixed.querySelector(".rejected").click();
  check("with none open nothing changes", counts() === "3," + mixed.sites.length + "," + (open - mixed.sites.length));
  let blob = null;
  URL.createObjectURL = (made) => { blob = made; return "blob:none"; };
  HTMLAnchorElement.prototype.click = function () {};
  byId("save").click();
  const saved = JSON.parse(await blob.text());
  const named = (list) => list.map((entry) => entry.fingerprint);
  check("what was decided before is saved as well", named(given.approved).every((each) => named(saved.approved).includes(each)) &&
    named(given.rejected).every((each) => named(saved.rejected).includes(each)) && saved.approved.length === 4);
  check("entries of other kernels stay as they are", JSON.stringify(saved.approved.find((entry) => entry.kernel === "other")) ===
    JSON.stringify(given.approved.find((entry) => entry.kernel === "other")));
  byId("clear").click();
  check("all are open again", counts() === "0,0," + data.edits.length);
  done();
JS

# Where the browser keeps nothing, the page works all the same.
cat >"$work/forgetful.js" <<'JS'
  document.querySelector("#groups .entry.removed .approved").click();
  check("ticks without memory", !/^0 /.test(byId("count").textContent));
  done();
JS

python3 - "$work" <<'PY'
import sys
work = sys.argv[1]
page = open(work + "/page.html", encoding="utf-8").read()
block = '<script>Object.defineProperty(window, "localStorage", { get() { throw new Error("forbidden"); } });</script>'
forgetful = page.replace('<body class="page">', '<body class="page">' + block, 1)
assert forgetful != page
open(work + "/forgetful.html", "w", encoding="utf-8").write(forgetful)
PY

# The narrow page: one below the other, nothing is cut off at the side.
cat >"$work/narrow.js" <<'JS'
  const top = (id) => byId(id).getBoundingClientRect().top;
  check("one below the other", top("list") < top("detail") && top("detail") < top("source") && top("source") < top("time"));
  check("nothing beside the page", document.documentElement.scrollWidth <= innerWidth);
  done();
JS

# The table of many kernels.
cat >"$work/table.js" <<'JS'
  const rows = () => document.querySelectorAll("tbody tr").length;
  check("rows", rows() === 2 && document.querySelector("tbody a").getAttribute("href").endsWith(".html"));
  type("search", "softmax");
  check("search", rows() === 1 && byId("shown").textContent === "1 of 2 kernels");
  byId("search").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  check("search again", rows() === 2);
  [...document.querySelectorAll("th button")].find((button) => button.textContent === "removed").click();
  const cells = [...document.querySelectorAll("tbody tr")].map((line) => Number(line.children[2].textContent));
  check("the folder stands in the title alone", byId("title").textContent.endsWith("/kernels/") && document.querySelector("tbody a").textContent === "flash_attention.cpp");
  check("no column of nothing", ![...document.querySelectorAll("th")].some((cell) => cell.textContent === "added"));
  check("sorted", cells[0] > cells[1]);
  key("?");
  check("help", byId("help").open);
  check("columns fit", document.documentElement.scrollWidth <= innerWidth);
  done();
JS
mkdir "$work/kernels"
for kernel in flash_attention softmax; do cp "corpus/$kernel/kernel.cpp" "$work/kernels/$kernel.cpp"; done
"$tool" opt "$work/kernels" --dry-run --html="$work/many" >/dev/null

drive "$work/page.html" "$work/reading.js" "$work"
drive "$work/page.html" "$work/review.js" "$work"
drive "$work/continued.html" "$work/continued.js" "$work"
drive "$work/forgetful.html" "$work/forgetful.js" "$work"
drive "$work/page.html" "$work/narrow.js" "$work" 700,1000
drive "$work/many/index.html" "$work/table.js" "$work" 700,900
echo good
