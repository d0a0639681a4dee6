"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { byId, make, cycles } = ptosyncParts;
  const state = { filter: "all", search: "", selected: -1, reviewed: new Set() };

  byId("title").textContent = data.file;
  document.title = data.file + " - ptosync";
  byId("verdict").textContent = data.verdict;
  byId("estimate").textContent = data.estimate;
  document.body.classList.toggle("plain", data.sites.length === 0);

  const turn = ptosyncParts.theme(() => timeline.draw()); // light and dark

  // ---- source
  const rows = [];
  const sitesOn = new Map();
  data.sites.forEach((site, number) => {
    site.number = number;
    if (!sitesOn.has(site.line)) sitesOn.set(site.line, []);
    sitesOn.get(site.line).push(site);
  });
  const arrivals = new Map();
  for (const site of data.sites)
    for (const line of site.to || []) {
      if (!arrivals.has(line)) arrivals.set(line, []);
      arrivals.get(line).push(site);
    }
  const link = (text, line) => {
    const anchor = make("a", "", text);
    anchor.tabIndex = 0;
    anchor.addEventListener("click", (event) => { event.stopPropagation(); show(line); });
    anchor.addEventListener("keydown", (event) => { if (event.key === "Enter") show(line); });
    return anchor;
  };
  const source = byId("source");
  data.lines.forEach((text, index) => {
    const line = index + 1;
    const row = make("div", "row");
    const code = text.trimStart();
    row.append(make("span", "number", String(line)), make("span", "", text.slice(0, text.length - code.length)),
      make("span", "code", code || " "));
    const note = make("span", "note");
    const own = sitesOn.get(line) || [];
    for (const site of own) {
      row.classList.add("site", site.verdict);
      if (site.verdict === "removed") note.append("removed [" + site.pattern + "] ");
      if (site.verdict === "moved") {
        note.append("moved to ");
        site.to.forEach((to) => note.append(link("line " + to, to), " "));
      }
      if (site.verdict === "kept") note.append(site.witness || site.why, " ");
      if (!site.replayed) note.append("(not replayed) ");
      if (site.gain >= 1) note.append("(" + cycles(site.gain) + ") ");
    }
    for (const site of arrivals.get(line) || []) {
      row.classList.add("arrival");
      note.append("in front of this: " + site.text + " from ", link("line " + site.line, site.line), " ");
    }
    if (note.childNodes.length) row.append(note);
    if (own.length) row.addEventListener("click", () => select(own[0].number, false));
    rows.push(row);
  });
  source.append(...rows);

  let pair = [];
  function show(line) {
    const row = rows[line - 1];
    if (!row) return;
    row.scrollIntoView({ block: "center" });
    pair.forEach((old) => old.classList.remove("pair"));
    row.classList.add("pair");
    pair = [row];
  }

  // ---- groups: by why, then by the weakest fact; copies of one statement and reason fold into one entry
  const shape = (site) => [site.text.replace(/\d+/g, "#"), site.verdict, site.pattern, site.why,
    (site.witness || site.evidence.join(" ")).replace(/\d+/g, "#")].join("|");
  const visible = (site) => (state.filter === "all" || site.verdict === state.filter) &&
    (!state.search || (site.text + " " + site.pattern + " " + site.why + " " + site.witness + " " + site.line + " " +
      site.evidence.join(" ")).toLowerCase().includes(state.search));
  let order = [];

  function list() {
    const groups = new Map();
    for (const site of data.sites.filter(visible)) {
      const key = site.verdict + "|" + site.why + "|" + site.fact;
      if (!groups.has(key)) groups.set(key, { site, folds: new Map() });
      const folds = groups.get(key).folds;
      const folded = shape(site);
      if (!folds.has(folded)) folds.set(folded, []);
      folds.get(folded).push(site);
    }
    const target = byId("groups");
    target.replaceChildren();
    order = [];
    const weight = { removed: 0, moved: 1, kept: 2 };
    const sorted = [...groups.values()].sort((a, b) => weight[a.site.verdict] - weight[b.site.verdict]);
    for (const group of sorted) {
      const sites = [...group.folds.values()].flat();
      const title = make("h3", "", group.site.verdict + ": " + group.site.why);
      const count = sites.length + (group.site.fact ? ", weakest fact: " + group.site.fact : "");
      title.append(make("small", "", count));
      target.append(title);
      const folds = [...group.folds.values()].sort((a, b) => best(b) - best(a));
      for (const sites of folds) target.append(entry(sites));
    }
    if (!sorted.length) target.append(make("p", "", "nothing fits the filter"));
    for (const button of document.querySelectorAll("#filters button"))
      button.setAttribute("aria-pressed", String(button.dataset.filter === state.filter));
    mark();
  }

  const best = (sites) => Math.max(...sites.map((site) => site.gain));

  function entry(sites) {
    const node = make("div", "entry");
    node.sites = sites;
    order.push(sites[0].number);
    if (sites[0].verdict === "removed") {
      const box = make("input");
      box.type = "checkbox";
      box.setAttribute("aria-label", "reviewed: line " + sites.map((site) => site.line).join(", "));
      box.checked = sites.every((site) => state.reviewed.has(site.line));
      box.addEventListener("change", () => {
        // What goes in one edit goes together: a set with its waits.
        const edits = new Set(sites.map((site) => site.edit));
        for (const site of data.sites)
          if (edits.has(site.edit) && site.verdict === "removed")
            box.checked ? state.reviewed.add(site.line) : state.reviewed.delete(site.line);
        list();
        exported();
      });
      node.append(box);
    }
    const what = make("span", "what", (sites.length > 1 ? sites.length + "x " : "") + sites[0].text +
      (sites[0].pattern ? " [" + sites[0].pattern + "] " : " "));
    sites.slice(0, 12).forEach((site, i) => {
      what.append(i ? ", " : "", link(String(site.line), site.line));
    });
    if (sites.length > 12) what.append(" and " + (sites.length - 12) + " more");
    what.addEventListener("click", () => select(sites[0].number, true));
    node.append(what, make("span", "gain", best(sites) >= 1 ? cycles(best(sites)) : ""));
    return node;
  }

  function exported() {
    const lines = [...state.reviewed].sort((a, b) => a - b);
    byId("export").value = lines.length ? "--lines=" + lines.join(",") : "";
  }
  byId("copy").addEventListener("click", () => {
    byId("export").select();
    if (navigator.clipboard) navigator.clipboard.writeText(byId("export").value).catch(() => document.execCommand("copy"));
  });

  function mark() {
    for (const row of source.querySelectorAll(".row.selected")) row.classList.remove("selected");
    const site = data.sites[state.selected];
    if (site) rows[site.line - 1].classList.add("selected");
    for (const node of byId("groups").querySelectorAll(".entry"))
      node.classList.toggle("selected", !!site && node.sites.includes(site));
  }

  function select(number, scroll) {
    const site = data.sites[number];
    if (!site) return;
    state.selected = number;
    if (scroll) rows[site.line - 1].scrollIntoView({ block: "center" });
    mark();
    const detail = byId("detail");
    detail.replaceChildren(make("h3", "", site.verdict + " " + site.text + ", line " + site.line +
      (site.to && site.to.length ? " to line " + site.to.join(", ") : "")));
    detail.append(make("div", "", site.why + (site.fact ? " (weakest fact relied on: " + site.fact + ")" : "") +
      (site.gain >= 1 ? "; alone worth " + cycles(site.gain) + " cycles" : "")));
    if (!site.replayed) detail.append(make("div", "", "proved, not replayed: no run of the replay reached it"));
    const facts = make("ul");
    for (const text of site.evidence) {
      const item = make("li");
      let last = 0;
      for (const match of text.matchAll(/line (\d+)/g)) {
        item.append(text.slice(last, match.index), link(match[0], Number(match[1])));
        last = match.index + match[0].length;
      }
      item.append(text.slice(last));
      facts.append(item);
    }
    detail.append(facts);
  }

  for (const button of document.querySelectorAll("#filters button"))
    button.addEventListener("click", () => { state.filter = button.dataset.filter; list(); });
  byId("search").addEventListener("input", (event) => { state.search = event.target.value.trim().toLowerCase(); list(); });

  // ---- loops
  function loops() {
    const target = byId("loops");
    byId("loops-title").style.display = data.loops.length ? "" : "none";
    if (!data.loops.length) return;
    const table = make("table");
    const head = make("tr");
    for (const text of ["loop, its dearest syncs", "iterations", "before", "after", "limit", "over"]) head.append(make("th", "", text));
    table.append(head);
    for (const loop of data.loops) {
      const row = make("tr");
      const name = make("td");
      name.style.paddingLeft = 0.4 + loop.depth + "em";
      name.append(link("line " + loop.line, loop.line), " " + loop.kernel);
      loop.syncs.slice(0, 6).forEach(([number, gain]) => {
        const site = data.sites[number];
        name.append(make("br"), cycles(gain) + " ", link(site.text + ", line " + site.line, site.line), " " + site.verdict);
      });
      row.append(name);
      for (const text of [cycles(loop.iterations), cycles(loop.before), cycles(loop.after), cycles(loop.limit),
        (loop.before / Math.max(loop.limit, 1)).toFixed(2) + " -> " + (loop.after / Math.max(loop.limit, 1)).toFixed(2)])
        row.append(make("td", "", text));
      table.append(row);
    }
    target.append(table);
  }

  // ---- timelines
  const timeline = ptosyncTimeline({ kernels: data.kernels, texts: data.texts, show });
  data.kernels.forEach((kernel, index) => {
    const option = make("option", "", kernel.name);
    option.value = String(index);
    byId("kernel").append(option);
  });
  byId("kernel").addEventListener("change", (event) => timeline.choose(Number(event.target.value)));

  // ---- keys
  function step(by) {
    if (!order.length) return;
    const at = order.findIndex((number) => byId("groups").querySelector(".entry.selected") && number === state.selected);
    const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + by));
    select(order[next], true);
    const node = [...byId("groups").querySelectorAll(".entry")][next];
    if (node) node.scrollIntoView({ block: "nearest" });
  }
  const filters = ["all", "removed", "moved", "kept"];
  const keys = {
    ...timeline.keys, j: () => step(1), k: () => step(-1), t: turn, "/": () => byId("search").focus(),
    f: () => { state.filter = filters[(filters.indexOf(state.filter) + 1) % filters.length]; list(); },
    x: () => { const box = byId("groups").querySelector(".entry.selected input"); if (box) box.click(); },
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target.tagName === "INPUT" && event.target.type !== "checkbox" || event.target.tagName === "SELECT";
    if (event.key === "Escape" && typing) event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (timeline.arrow(event)) return;
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  list();
  loops();
  exported();
  // What changes most is shown first.
  const change = (kernel) => kernel.runs.length > 1 ? Math.abs(kernel.runs[0].end - kernel.runs[1].end) : 0;
  let dearest = 0;
  data.kernels.forEach((kernel, index) => { if (change(kernel) > change(data.kernels[dearest])) dearest = index; });
  byId("kernel").value = String(dearest);
  if (order.length) select(order[0], true);
  timeline.choose(dearest);
})();
