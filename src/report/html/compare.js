"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { byId, make, cycles } = ptosyncParts;
  const ratio = (both) => both.ratio === null ? "-" : both.ratio.toFixed(2);
  const arrow = (a, b) => a === b ? String(a) : a + " \u2192 " + b;
  const state = { kernel: 0, change: "all", search: "", selected: -1 };
  const kinds = ["gone", "new", "widened", "narrowed", "moved", "changed", "copies"];

  byId("title").textContent = data.comparison.a + " \u2192 " + data.comparison.b;
  document.title = data.comparison.b + " - ptosync compare";
  byId("verdict").textContent = data.verdict;
  byId("estimate").textContent = data.estimate;

  const turn = ptosyncParts.theme(() => timeline.draw()); // light and dark

  // ---- both sources, the lines of syncs that differ marked
  const rows = { a: [], b: [] };
  const marks = { gone: "removed", new: "kept", moved: "moved", changed: "moved", copies: "moved",
    widened: "moved", narrowed: "moved" };
  for (const side of ["a", "b"]) {
    const lines = side === "a" ? data.linesA : data.linesB;
    const section = byId("source-" + side);
    lines.forEach((text, index) => {
      const row = make("div", "row");
      row.append(make("span", "number", String(index + 1)), make("span", "code", text || " "));
      rows[side].push(row);
    });
    section.append(...rows[side]);
  }
  data.comparison.kernels.forEach((kernel, number) => {
    for (const sync of kernel.syncs) {
      if (sync.change === "same") continue;
      for (const side of ["a", "b"]) {
        const row = sync[side] && rows[side][sync[side].line - 1];
        if (!row) continue;
        row.classList.add("site", marks[sync.change]);
        row.addEventListener("click", () => {
          if (state.kernel !== number) { state.kernel = number; byId("kernel").value = String(number); }
          state.change = "all"; byId("change").value = "all"; state.search = ""; byId("search").value = "";
          draw();
          select(order.findIndex((group) => group.syncs.includes(sync)));
        });
      }
    }
  });

  let pair = [];
  function show(sync) {
    pair.forEach((row) => row.classList.remove("pair"));
    pair = [];
    for (const side of ["a", "b"]) {
      const row = sync[side] && rows[side][sync[side].line - 1];
      if (!row) continue;
      row.classList.add("pair");
      row.scrollIntoView({ block: "center" });
      pair.push(row);
    }
  }

  // ---- timelines of A and B above each other
  const timeline = ptosyncTimeline({ kernels: data.kernels, texts: data.texts,
    show: (line, run) => show({ a: run === 0 ? { line } : null, b: run === 1 ? { line } : null }) });

  // ---- the syncs that differ, those of one kind and pair of instructions folded into one entry
  let order = [];
  const otherKind = (sync) => sync.change === "widened" || sync.change === "narrowed"; // then `before` is its kind in A
  const ordered = (sync) => (sync.before && !otherKind(sync) ? sync.before + ", now " : "") +
    (sync.earlier ? sync.earlier + " \u2192 " + sync.later + (sync.loopCarried ? ", carried round the loop" : "") : "orders no data");
  function drawGroups(kernel) {
    const groups = new Map();
    for (const sync of kernel.syncs) {
      if (sync.change === "same" || (state.change !== "all" && sync.change !== state.change)) continue;
      const text = (otherKind(sync) ? sync.before + " \u2192 " : "") + sync.kind + ": " + ordered(sync);
      const lines = (sync.a ? " " + sync.a.line : "") + (sync.b ? " " + sync.b.line : "");
      if (state.search && !(sync.change + " " + text + lines).toLowerCase().includes(state.search)) continue;
      const key = sync.change + "|" + text + "|" + (sync.a ? sync.a.loopLine : "") + "|" + (sync.b ? sync.b.loopLine : "");
      if (!groups.has(key)) groups.set(key, { change: sync.change, text, syncs: [], at: 0, cost: 0 });
      const group = groups.get(key);
      group.syncs.push(sync);
      group.cost = Math.max(group.cost, (sync.b || sync.a).cost);
    }
    order = [...groups.values()].sort((x, y) => kinds.indexOf(x.change) - kinds.indexOf(y.change) || y.cost - x.cost);
    const target = byId("groups");
    target.replaceChildren();
    order.forEach((group, number) => {
      const entry = make("div", "entry" + (number === state.selected ? " selected" : ""));
      const what = make("span", "what");
      what.append(make("span", "badge", group.change), " " + group.syncs.length + "\u00d7 " + group.text);
      what.tabIndex = 0;
      what.addEventListener("click", () => select(number));
      what.addEventListener("keydown", (event) => { if (event.key === "Enter") select(number); });
      entry.append(what, make("span", "gain", group.cost >= 1 ? "\u2264 " + cycles(group.cost) : ""));
      target.append(entry);
    });
    if (!order.length) target.append(make("p", "", kernel.compared ? "none" : kernel.reason || "in one file only"));
  }

  /// Again on the same entry: the next of its syncs.
  function select(number) {
    if (number < 0 || number >= order.length) return;
    const group = order[number];
    group.at = state.selected === number ? (group.at + 1) % group.syncs.length : 0;
    state.selected = number;
    [...byId("groups").children].forEach((entry, i) => entry.classList.toggle("selected", i === number));
    byId("groups").children[number].scrollIntoView({ block: "nearest" });
    show(group.syncs[group.at]);
  }

  // ---- tables
  function table(target, head, lines) {
    const node = make("table");
    const top = make("tr");
    head.forEach((text) => top.append(make("th", "", text)));
    node.append(top);
    for (const cells of lines) {
      const row = make("tr");
      cells.forEach((text) => row.append(make("td", "", text)));
      node.append(row);
    }
    byId(target).replaceChildren(lines.length ? node : make("p", "", "none"));
  }
  const loopName = (loop) => "\u00a0".repeat(2 * loop.depth) + "line " + arrow(loop.lineA === null ? "-" : loop.lineA, loop.lineB === null ? "-" : loop.lineB);
  function drawTables(kernel) {
    const times = [["time", kernel.cycles], ["data-flow limit", kernel.limit]].map(([name, both]) =>
      [name, cycles(both.a), cycles(both.b), ratio(both)]);
    times.push(["time over the limit", kernel.over.a.toFixed(2), kernel.over.b.toFixed(2), ""]);
    for (const pipe of Object.keys(kernel.busy))
      if (kernel.busy[pipe].a || kernel.busy[pipe].b)
        times.push([pipe + " busy", cycles(kernel.busy[pipe].a), cycles(kernel.busy[pipe].b), ratio(kernel.busy[pipe])]);
    table("times", [kernel.run || "", "A", "B", "B/A"], kernel.compared ? times : []);
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

  let drawn = -1; // the kernel whose timelines are shown
  function draw() {
    state.selected = -1;
    const kernel = data.comparison.kernels[state.kernel];
    drawGroups(kernel);
    drawTables(kernel);
    if (drawn !== state.kernel) timeline.choose(state.kernel);
    drawn = state.kernel;
  }

  // ---- what can be chosen
  data.comparison.kernels.forEach((kernel, number) => {
    const option = make("option", "", data.titles[number]);
    option.value = String(number);
    byId("kernel").append(option);
  });
  for (const change of ["all", ...kinds]) {
    const option = make("option", "", change);
    option.value = change;
    byId("change").append(option);
  }
  const first = data.comparison.kernels.findIndex((kernel) => !kernel.same);
  state.kernel = Math.max(0, first);
  byId("kernel").value = String(state.kernel);
  byId("kernel").addEventListener("change", () => { state.kernel = Number(byId("kernel").value); draw(); });
  byId("change").addEventListener("change", () => { state.change = byId("change").value; draw(); });
  byId("search").addEventListener("input", () => { state.search = byId("search").value.toLowerCase(); draw(); });
  byId("all").addEventListener("change", draw);
  document.addEventListener("keydown", (event) => {
    if (event.target === byId("search")) {
      if (event.key === "Escape") byId("search").blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT" || timeline.arrow(event)) return;
    const act = { ...timeline.keys, j: () => select(state.selected + 1), k: () => select(state.selected - 1), n: () => select(state.selected),
      t: turn, "/": () => byId("search").focus() }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  draw();
})();
