"use strict";
// The page of two versions: the syncs that differ, both texts beside each other line by line, tables, timelines.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { byId, make, cycles } = ptosyncParts;
  const ratio = (both) => both.ratio === null ? "-" : both.ratio.toFixed(2);
  const arrow = (a, b) => a === b ? String(a) : a + " \u2192 " + b;
  const state = { kernel: 0, change: "all", search: "", selected: -1, spot: -1 };
  const kinds = ["gone", "new", "widened", "narrowed", "moved", "changed", "copies"];

  ptosyncParts.header(data.comparison.a + " \u2192 " + data.comparison.b, [...data.estimate, data.verdict], data.comparison.b + " - ptosync compare");

  // ---- both sources, row by row beside each other: matched lines in one row, what one version lacks is a gap in it
  const pairs = []; // [line of A or 0, line of B or 0, whether they are matched]
  let nextA = 1, nextB = 1;
  for (const [a, b, count] of [...data.matched, [data.linesA.length + 1, data.linesB.length + 1, 0]]) {
    while (nextA < a || nextB < b) pairs.push([nextA < a ? nextA++ : 0, nextB < b ? nextB++ : 0, false]);
    for (let i = 0; i < count; ++i) pairs.push([nextA++, nextB++, true]);
  }
  const sides = ["a", "b"];
  const rows = {}, place = { a: new Map(), b: new Map() };
  sides.forEach((side, column) => {
    const markup = ptosyncParts.coloured(side === "a" ? data.linesA : data.linesB);
    rows[side] = ptosyncParts.sourceRows(byId("source-" + side), pairs.map((pair) => pair[column] &&
      { id: side.toUpperCase() + pair[column], number: pair[column], markup: markup[pair[column] - 1] }));
    pairs.forEach((pair, i) => { if (pair[column]) place[side].set(pair[column], i); });
  });
  const squeezed = (text) => text.replace(/\s+/g, "");
  const differs = pairs.map(([a, b, matched]) => !matched || squeezed(data.linesA[a - 1]) !== squeezed(data.linesB[b - 1]));
  pairs.forEach(([a, b, matched], i) => {
    if (!differs[i]) return;
    const mark = matched ? "differs" : "only";
    if (a) rows.a[i].classList.add(mark);
    if (b) rows.b[i].classList.add(mark);
  });
  const [paneA, paneB] = sides.map((side) => byId("source-" + side));
  for (const [from, to] of [[paneA, paneB], [paneB, paneA]])
    from.addEventListener("scroll", () => {
      if (to.scrollTop !== from.scrollTop) to.scrollTop = from.scrollTop;
      if (to.scrollLeft !== from.scrollLeft) to.scrollLeft = from.scrollLeft;
    });

  // ---- the lines of syncs that differ, marked
  const marks = { gone: "removed", new: "kept", widened: "moved", narrowed: "moved", moved: "moved", changed: "moved", copies: "moved" };
  const syncsOn = { a: new Map(), b: new Map() }; // by line: [kernel, sync]
  data.comparison.kernels.forEach((kernel, number) => {
    for (const sync of kernel.syncs) {
      if (sync.change === "same") continue;
      for (const side of sides) {
        const row = sync[side] && rows[side][place[side].get(sync[side].line)];
        if (!row) continue;
        row.classList.add("site", marks[sync.change]);
        syncsOn[side].set(sync[side].line, [number, sync]);
        differs[place[side].get(sync[side].line)] = true;
      }
    }
  });
  sides.forEach((side, column) => byId("source-" + side).addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (!row || !row.id) return;
    const line = Number(row.id.slice(1));
    if (event.target.closest(".number")) { event.preventDefault(); goTo(side, line); return; }
    const known = syncsOn[side].get(line);
    if (known) chooseSync(known);
  }));
  function chooseSync([number, sync]) {
    if (state.kernel !== number) { state.kernel = number; byId("kernel").value = String(number); }
    state.change = "all"; byId("change").value = "all"; state.search = ""; byId("search").value = "";
    draw();
    const at = order.findIndex((group) => group.syncs.includes(sync));
    if (at >= 0) { order[at].at = order[at].syncs.indexOf(sync) - 1; state.selected = at; select(at); }
  }

  let pair = [];
  /// Frames rows of both texts, and goes to the last one of them.
  function show(lines) {
    pair.forEach((row) => row.classList.remove("pair"));
    pair = [];
    for (const [side, line] of lines) {
      const row = rows[side][place[side].get(line)];
      if (!row) continue;
      row.classList.add("pair");
      pair.push(row);
      ptosyncParts.address(row.id);
    }
    const row = pair[pair.length - 1];
    if (row) ptosyncParts.reveal(row);
    const lineIn = new Map(lines); // by side
    timeline.mark((run) => lineIn.get(sideOf(run)) || 0);
  }
  function goTo(side, line) {
    const known = syncsOn[side].get(line);
    if (known) chooseSync(known); else show([[side, line]]);
  }

  // ---- timelines of A and B above each other
  const timeline = ptosyncTimeline({ kernels: data.kernels, texts: data.texts,
    show: (line, run) => goTo(sideOf(run), line) });
  const sideOf = (run) => run.endsWith("A") ? "a" : "b";

  // ---- the syncs that differ, those of one kind and pair of instructions folded into one entry
  let order = [];
  const otherKind = (sync) => sync.change === "widened" || sync.change === "narrowed"; // then `before` is its kind in A
  const kindOf = (sync) => (otherKind(sync) ? sync.before + " \u2192 " : "") + sync.kind;
  const ordered = (sync) => (sync.before && !otherKind(sync) ? sync.before + ", now " : "") +
    (sync.earlier ? sync.earlier + " \u2192 " + sync.later + (sync.loopCarried ? ", carried round the loop" : "") : "orders no data");
  const inLoop = (sync) => {
    const [a, b] = [sync.a, sync.b].map((place) => place ? place.loopLine : null);
    const name = (line) => line ? "the loop at line " + line : "no loop";
    return sync.a && sync.b && a !== b ? ", from " + name(a) + " to " + name(b) : a || b ? ", in " + name(a || b) : "";
  };
  function drawGroups(kernel) {
    const groups = new Map();
    let every = 0, shown = 0;
    for (const sync of kernel.syncs) {
      if (sync.change === "same") continue;
      ++every;
      if (state.change !== "all" && sync.change !== state.change) continue;
      const text = kindOf(sync) + ": " + ordered(sync);
      const lines = (sync.a ? " " + sync.a.line : "") + (sync.b ? " " + sync.b.line : "");
      if (state.search && !(sync.change + " " + text + lines).toLowerCase().includes(state.search)) continue;
      ++shown;
      const key = sync.change + "|" + text + "|" + (sync.a ? sync.a.loopLine : "") + "|" + (sync.b ? sync.b.loopLine : "");
      if (!groups.has(key)) groups.set(key, { change: sync.change, kind: kindOf(sync), text: ordered(sync) + inLoop(sync), syncs: [], at: 0, cost: 0 });
      const group = groups.get(key);
      group.syncs.push(sync);
      group.cost = Math.max(group.cost, (sync.b || sync.a).cost);
    }
    order = [...groups.values()].sort((x, y) => kinds.indexOf(x.change) - kinds.indexOf(y.change) || y.cost - x.cost);
    byId("groups").replaceChildren(...order.map(entry));
    byId("shown").textContent = shown === every ? every + " differ" : shown + " of " + every + " that differ";
    if (!order.length) byId("groups").append(make("p", "none", !kernel.compared ? kernel.reason || "in one file only" : every ? "No sync fits." : "none"));
  }
  function entry(group, number) {
    const node = make("div", "entry " + marks[group.change] + (number === state.selected ? " selected" : ""));
    const what = make("div", "what"), first = make("div", "first"), second = make("div", "second", group.text + ", line ");
    first.append(make("span", "badge", group.change), make("span", "statement", (group.syncs.length > 1 ? group.syncs.length + "\u00d7 " : "") + group.kind),
      make("span", "gain", group.cost >= 1 ? "\u2264 " + cycles(group.cost) : ""));
    group.syncs.slice(0, 12).forEach((sync, i) => {
      const [a, b] = [sync.a && sync.a.line, sync.b && sync.b.line];
      const to = make("a", "to", a && b ? arrow(a, b) : String(a || b));
      to.href = "#" + (sync.b ? "B" + sync.b.line : "A" + sync.a.line);
      to.addEventListener("click", (event) => { event.preventDefault(); event.stopPropagation(); group.at = i - 1; state.selected = number; select(number); });
      second.append(i ? ", " : "", to);
    });
    if (group.syncs.length > 12) second.append(" and " + (group.syncs.length - 12) + " more");
    what.append(first, second);
    node.append(what);
    node.addEventListener("click", () => select(number));
    return node;
  }

  /// Again on the same entry: the next of its syncs.
  function select(number) {
    if (number < 0 || number >= order.length) return;
    const group = order[number];
    group.at = state.selected === number ? (group.at + 1) % group.syncs.length : 0;
    state.selected = number;
    [...byId("groups").children].forEach((entry, i) => entry.classList.toggle("selected", i === number));
    [...byId("groups").querySelectorAll(".to")].forEach((to) => to.classList.remove("current"));
    const to = byId("groups").children[number].querySelectorAll(".to")[group.at];
    if (to) to.classList.add("current");
    byId("groups").children[number].scrollIntoView({ block: "nearest" });
    const sync = group.syncs[group.at];
    show(sides.filter((side) => sync[side]).map((side) => [side, sync[side].line]));
  }

  /// The next block of lines that differ, or the one before.
  function difference(by) {
    const starts = differs.map((differing, i) => differing && !differs[i - 1] ? i : -1).filter((i) => i >= 0);
    if (!starts.length) return;
    const next = by > 0 ? starts.find((i) => i > state.spot) : [...starts].reverse().find((i) => i < state.spot);
    state.spot = next === undefined ? (by > 0 ? starts[0] : starts[starts.length - 1]) : next;
    show([["a", pairs[state.spot][0]], ["b", pairs[state.spot][1]]].filter(([, line]) => line));
  }

  // ---- tables
  function table(target, head, lines) {
    const node = make("table"), top = make("tr");
    head.forEach((text) => top.append(make("th", "", text)));
    node.append(top);
    for (const cells of lines) {
      const row = make("tr");
      cells.forEach((text) => row.append(make("td", "", text)));
      node.append(row);
    }
    byId(target).replaceChildren(lines.length ? node : make("p", "none", "none"));
  }
  const lineOf = (line) => line === null ? "-" : line;
  const loopName = (loop) => "\u00a0".repeat(2 * loop.depth) + "line " + arrow(lineOf(loop.lineA), lineOf(loop.lineB));
  function drawTables(kernel) {
    const times = [["time", kernel.cycles], ["data-flow limit", kernel.limit]].map(([name, both]) =>
      [name, cycles(both.a), cycles(both.b), ratio(both)]);
    times.push(["time over the limit", kernel.over.a.toFixed(2), kernel.over.b.toFixed(2), ""]);
    for (const pipe of Object.keys(kernel.busy))
      if (kernel.busy[pipe].a || kernel.busy[pipe].b)
        times.push([pipe + " busy", cycles(kernel.busy[pipe].a), cycles(kernel.busy[pipe].b), ratio(kernel.busy[pipe])]);
    for (const both of data.comparison.bothCores || [])
      if (both.apart === null)
        times.unshift([both.kernel + ", both cores together", cycles(both.cycles.a), cycles(both.cycles.b), ratio(both.cycles)]);
    table("times", [kernel.run ? "run with " + kernel.run : "", "A", "B", "B/A"], kernel.compared ? times : []);
    table("loops", ["loop", "iterations", "A", "B", "B/A", "over", "syncs"], kernel.loops.map((loop) => [loopName(loop),
      arrow(loop.iterations.a, loop.iterations.b), cycles(loop.cycles.a), cycles(loop.cycles.b), ratio(loop.cycles),
      arrow(loop.over.a.toFixed(2), loop.over.b.toFixed(2)), arrow(loop.syncs.a, loop.syncs.b)]));
    const lines = [];
    const differs = (count) => byId("all").checked || count.statements.a !== count.statements.b || count.executed.a !== count.executed.b;
    const add = (name, count) => lines.push([name, count.statements.a, count.statements.b, ratio(count.statements),
      count.executed.a, count.executed.b, ratio(count.executed)]);
    for (const count of kernel.counts) {
      const inLoops = kernel.loops.map((loop) => [loop, loop.counts.find((own) => own.kind === count.kind && own.family === count.family)])
        .filter(([, own]) => own && differs(own));
      if (!differs(count) && !inLoops.length) continue;
      add(count.kind + (count.family === "fifo" ? " [FIFO]" : count.family === "cross-core" ? " [cross-core]" : ""), count);
      inLoops.forEach(([loop, own]) => add("\u00a0\u00a0loop " + loopName(loop).trim(), own));
    }
    table("kinds", ["", "A", "B", "B/A", "run in A", "in B", "B/A"], lines);
  }

  function draw() {
    state.selected = -1;
    const kernel = data.comparison.kernels[state.kernel];
    drawGroups(kernel);
    drawTables(kernel);
  }

  // ---- what can be chosen
  data.comparison.kernels.forEach((kernel, number) => {
    const option = make("option", "", data.titles[number]);
    option.value = String(number);
    byId("kernel").append(option);
  });
  const occurring = new Set(data.comparison.kernels.flatMap((kernel) => kernel.syncs.map((sync) => sync.change)));
  for (const change of ["all", ...kinds.filter((kind) => occurring.has(kind))]) {
    const option = make("option", "", change);
    option.value = change;
    byId("change").append(option);
  }
  state.kernel = Math.max(0, data.comparison.kernels.findIndex((kernel) => !kernel.same));
  byId("kernel").value = String(state.kernel);
  byId("kernel").addEventListener("change", () => { state.kernel = Number(byId("kernel").value); draw(); timeline.choose(state.kernel); });
  byId("change").addEventListener("change", () => { state.change = byId("change").value; draw(); });
  byId("search").addEventListener("input", () => { state.search = byId("search").value.toLowerCase(); draw(); });
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Escape") { byId("search").value = state.search = ""; draw(); }
  });
  byId("all").addEventListener("change", draw);
  byId("near").addEventListener("change", () => {
    for (const side of sides) ptosyncParts.showAround(rows[side], byId("near").checked ? (i) => differs[i] : null);
    if (pair.length) ptosyncParts.reveal(pair[pair.length - 1]);
  });
  const turn = ptosyncParts.theme(() => timeline.draw());
  const text = make("p", "", "Red: A alone has the line. Green: B alone. A bar at the edge: the same statement with other names or numbers. " +
    "Strong colours are syncs that differ: gone, new, moved. Links to a line: #A123 and #B123 at the end of the address.");
  ptosyncParts.keyboard([["j", "next entry", () => select(state.selected + 1)], ["k", "previous entry", () => select(state.selected - 1)],
    ["n", "next sync of the entry", () => select(state.selected)], ["d", "next lines that differ", () => difference(1)],
    ["D", "the ones before", () => difference(-1)], ["c", "only the lines around what differs", () => byId("near").click()],
    ["/", "search; Esc takes it back", () => byId("search").focus()], ...timeline.keys, ["t", "light or dark", turn]], timeline.arrow,
    [text, timeline.legend()]);
  ptosyncParts.splitters(() => timeline.draw());
  draw();
  timeline.begin();
  const follow = () => {
    const at = ptosyncParts.addressed();
    if (at) goTo(at[0] === "A" ? "a" : "b", at[1]);
    return at;
  };
  if (!follow() && order.length) select(0);
  window.addEventListener("hashchange", follow);
})();
