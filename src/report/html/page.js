"use strict";
// The page for reviewers: the list of syncs, the evidence of the one that is chosen, the source, the timelines.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { byId, make, cycles, memory } = ptosyncParts;
  const state = { filter: "all", search: "", selected: -1, fold: true };
  const verdicts = ["removed", "moved", "kept"];

  ptosyncParts.header(data.file, [...data.estimate, data.verdict], data.file + " - ptosync");
  document.body.classList.toggle("plain", data.sites.length === 0);

  // ---- what the reviewer decided: by edit "approved" or "rejected"; kept for this text of the kernel
  const edits = new Map(); // by number: its sites
  const named = new Map(data.edits.map((edit) => [edit.number, edit])); // by number: what an approval file calls it
  data.sites.forEach((site, number) => {
    site.number = number;
    if (!site.edit) return;
    if (!edits.has(site.edit)) edits.set(site.edit, []);
    edits.get(site.edit).push(site);
  });
  const nameOf = (sites) => named.get(sites[0].edit);
  const keyOf = (sites) => nameOf(sites).fingerprint;
  const content = (function () { // FNV-1a of the kernel's text, and of the approval that the page goes on from
    let hash = 0x811c9dc5;
    for (const line of data.approval ? [...data.lines, JSON.stringify(data.approval)] : data.lines) {
      for (let i = 0; i < line.length; ++i) hash = Math.imul(hash ^ line.charCodeAt(i), 0x01000193);
      hash = Math.imul(hash ^ 10, 0x01000193);
    }
    return "review " + (hash >>> 0).toString(16) + " " + data.lines.length;
  })();
  // What the approval decides that the page was made with; later ticks come on top, "" takes one back.
  const before = { approved: [], rejected: [], rest: "hold", ...data.approval };
  const given = {};
  for (const word of ["approved", "rejected"]) for (const entry of before[word]) given[entry.fingerprint] = word;
  const review = { ticks: {}, rest: before.rest, ...memory.read(content) };
  const decided = (sites) => { const key = keyOf(sites); return (key in review.ticks ? review.ticks[key] : given[key]) || ""; };
  const tickOf = (site) => site.edit ? decided(edits.get(site.edit)) : "";

  /// Ticks the edits of these sites; the same tick again takes it back. What goes in one edit goes together. Where some
  /// are decided one way and some another only the open ones are ticked, so that no single decision is lost.
  function tick(sites, word) {
    const chosen = [...new Set(sites.filter((site) => site.edit).map((site) => edits.get(site.edit)))];
    const alike = new Set(chosen.map(decided)).size === 1;
    for (const each of chosen)
      if (alike) review.ticks[keyOf(each)] = decided(each) === word ? "" : word;
      else if (!decided(each)) review.ticks[keyOf(each)] = word;
    keep();
  }
  function keep() {
    memory.write(content, review);
    reviewed();
  }

  /// Shows what is ticked.
  function reviewed() {
    const all = [...edits.values()], of = (word) => all.filter((sites) => decided(sites) === word);
    const approved = of("approved"), rejected = of("rejected");
    byId("count").textContent = approved.length + " approved, " + rejected.length + " rejected, " +
      (all.length - approved.length - rejected.length) + " open";
    byId("clear").hidden = !approved.length && !rejected.length;
    byId("rest").value = review.rest;
    const lines = approved.flat().filter((site) => site.verdict === "removed").map((site) => site.line);
    byId("as-option").hidden = !lines.length;
    byId("export").value = lines.length ? "--lines=" + [...new Set(lines)].sort((a, b) => a - b).join(",") : "";
    for (const node of document.querySelectorAll("[data-tick]"))
      node.setAttribute("aria-pressed", node.sites.every((site) => tickOf(site) === node.dataset.tick) ? "true" :
        String(node.sites.some((site) => tickOf(site) === node.dataset.tick) && "mixed"));
  }

  /// Entries of the given approval that are about other kernels, or about what was made before, stay in it.
  function approval() {
    const own = new Set([...edits.values()].map(keyOf));
    const of = (word) => [...before[word].filter((entry) => !own.has(entry.fingerprint)),
      ...[...edits.values()].filter((sites) => decided(sites) === word).map(nameOf)]
      .map(({ fingerprint, kernel, edit }) => ({ fingerprint, kernel, edit }));
    return { version: 1, approved: of("approved"), rejected: of("rejected"), rest: review.rest };
  }
  byId("review").hidden = !edits.size;
  byId("rest").addEventListener("change", () => { review.rest = byId("rest").value; keep(); });
  byId("clear").addEventListener("click", () => { for (const sites of edits.values()) review.ticks[keyOf(sites)] = ""; keep(); });
  byId("save").addEventListener("click", () => {
    const anchor = make("a");
    anchor.href = URL.createObjectURL(new Blob([JSON.stringify(approval(), null, 2) + "\n"], { type: "application/json" }));
    anchor.download = "approval.json";
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
  });
  byId("copy").addEventListener("click", () => {
    byId("export").select();
    if (navigator.clipboard) navigator.clipboard.writeText(byId("export").value).catch(() => document.execCommand("copy"));
  });
  const ticks = (sites) => {
    const pair = make("span", "ticks");
    for (const [word, sign] of [["approved", "\u2713"], ["rejected", "\u2717"]]) {
      const button = make("button", word, sign);
      button.dataset.tick = word;
      button.sites = sites;
      button.title = (word === "approved" ? "approve (x" : "reject (r") + (sites.length > 1 ? "): those of the entry that are open" : ")");
      button.setAttribute("aria-label", word + ": " + sites.map((site) => "line " + site.line).join(", "));
      button.addEventListener("click", (event) => { event.stopPropagation(); tick(sites, word); });
      pair.append(button);
    }
    return pair;
  };

  // ---- source
  const sitesOn = new Map(), arrivals = new Map();
  const into = (map, line, site) => { if (!map.has(line)) map.set(line, []); map.get(line).push(site); };
  for (const site of data.sites) {
    into(sitesOn, site.line, site);
    for (const line of site.to || []) into(arrivals, line, site);
  }
  const link = (text, line) => {
    const anchor = make("a", "", text);
    anchor.href = "#L" + line;
    anchor.addEventListener("click", (event) => { event.preventDefault(); event.stopPropagation(); goTo(line); });
    return anchor;
  };
  const linked = (text) => {
    const nodes = [];
    let last = 0;
    for (const match of text.matchAll(/\bline (\d+)/g)) {
      nodes.push(text.slice(last, match.index), link(match[0], Number(match[1])));
      last = match.index + match[0].length;
    }
    return [...nodes, text.slice(last)].map((part) => typeof part === "string" ? part.replaceAll(" -> ", " \u2192 ") : part);
  };
  const markup = ptosyncParts.coloured(data.lines);
  const rows = ptosyncParts.sourceRows(byId("source"), markup.map((text, i) => ({ id: "L" + (i + 1), number: i + 1, markup: text })));
  const cyclesOf = (gain) => cycles(gain) + (cycles(gain) === "1" ? " cycle" : " cycles");
  const plainCause = (site) => (site.cause || site.why).replaceAll(" -> ", " \u2192 ");
  /// Strikes a statement through: neither the space in front of it nor a comment behind it.
  function strike(code) {
    const lead = code.firstChild, struck = make("s");
    if (lead.nodeType === Node.TEXT_NODE && /^\s/.test(lead.data)) {
      lead.splitText(lead.data.length - lead.data.trimStart().length);
      lead.after(struck);
    } else {
      code.prepend(struck);
    }
    while (struck.nextSibling && !(struck.nextSibling.className || "").includes("t-c")) struck.append(struck.nextSibling);
  }
  rows.forEach((row, index) => {
    const line = index + 1, own = sitesOn.get(line) || [], come = arrivals.get(line) || [];
    if (!own.length && !come.length) return;
    const note = make("span", "note");
    if (own.some((site) => site.verdict !== "kept")) strike(row.querySelector(".code"));
    for (const site of own) {
      row.classList.add("site", site.verdict);
      if (site.verdict === "removed") note.append("removed [" + site.pattern + "] ");
      if (site.verdict === "moved") {
        note.append("moved to ");
        site.to.forEach((to) => note.append(link("line " + to, to), " "));
      }
      if (site.verdict === "kept") note.append("kept: " + plainCause(site) + " ");
      if (!site.replayed) note.append("(not replayed) ");
      if (site.gain >= 1) note.append("(" + cyclesOf(site.gain) + ") ");
    }
    for (const site of come) {
      row.classList.add("arrival");
      note.append("above this: " + site.text + " from ", link("line " + site.line, site.line), " ");
    }
    row.append(note);
  });
  byId("source").addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (!row || event.target.closest("a:not(.number)")) return;
    const line = Number(row.id.slice(1)), own = sitesOn.get(line);
    if (event.target.closest(".number")) { event.preventDefault(); goTo(line, false); return; }
    if (own) select(own[0].number, false);
  });

  let marked = [];
  function mark(lines) {
    for (const row of marked) row.classList.remove("pair");
    marked = lines.map((line) => rows[line - 1]).filter((row) => row);
    for (const row of marked) row.classList.add("pair");
  }
  /// Goes to a line, and chooses the sync on it if there is one.
  function goTo(line, scroll = true) {
    const row = rows[line - 1], own = sitesOn.get(line);
    if (!row) return;
    ptosyncParts.address("L" + line);
    if (own) { select(own[0].number, scroll); return; }
    mark([line]);
    timeline.mark(() => line);
    if (scroll) ptosyncParts.reveal(row);
  }

  // ---- the list: by why, then by the weakest fact; copies of one statement and cause fold into one entry
  const shape = (site) => state.fold ? [site.text.replace(/\d+/g, "#"), site.pattern, site.cause].join("|") : String(site.number);
  const found = (site) => !state.search || [site.text, site.pattern, site.why, site.cause, "line " + site.line,
    ...site.evidence.flatMap((entry) => [entry.conflict, ...entry.facts])].join(" ").toLowerCase().includes(state.search);
  const best = (sites) => Math.max(...sites.map((site) => site.gain));
  let entries = [];

  function list() {
    const fits = data.sites.filter(found), groups = new Map();
    const shown = fits.filter((site) => state.filter === "all" || site.verdict === state.filter);
    for (const site of shown) {
      const key = site.verdict + "|" + site.why + "|" + site.fact;
      if (!groups.has(key)) groups.set(key, { site, folds: new Map() });
      const folds = groups.get(key).folds;
      if (!folds.has(shape(site))) folds.set(shape(site), []);
      folds.get(shape(site)).push(site);
    }
    entries = [];
    const nodes = [];
    const sorted = [...groups.values()].sort((a, b) => verdicts.indexOf(a.site.verdict) - verdicts.indexOf(b.site.verdict) ||
      !!b.site.edit - !!a.site.edit); // what an approval left out first
    for (const group of sorted) {
      const folds = [...group.folds.values()].sort((a, b) => best(b) - best(a) || b.length - a.length);
      const title = make("h3", group.site.verdict);
      title.append(make("span", "", group.site.verdict + ": " + group.site.why), make("small", "", String(folds.flat().length) +
        (group.site.fact ? ", weakest fact: " + group.site.fact : "")));
      nodes.push(title, ...folds.map(entry));
    }
    byId("groups").replaceChildren(...nodes);
    if (!nodes.length) byId("groups").append(make("p", "none", data.sites.length ? "No sync fits. Esc in the field, or the button all, takes the filter back." : ""));
    byId("shown").textContent = shown.length === data.sites.length ? shown.length + " syncs" : shown.length + " of " + data.sites.length + " syncs";
    for (const button of document.querySelectorAll("#filters button")) {
      const word = button.dataset.filter;
      button.textContent = word + " " + fits.filter((site) => word === "all" || site.verdict === word).length;
      button.setAttribute("aria-pressed", String(word === state.filter));
    }
    const lines = new Set(shown.flatMap((site) => [site.line, ...(site.to || [])]));
    for (const line of new Set([...sitesOn.keys(), ...arrivals.keys()])) rows[line - 1].classList.toggle("off", !lines.has(line));
    ptosyncParts.showAround(rows, byId("near").checked ? (i) => lines.has(i + 1) : null);
    chosen();
    reviewed();
  }

  function entry(sites) {
    const node = make("div", "entry " + sites[0].verdict), what = make("div", "what"), first = make("div", "first");
    node.sites = sites;
    entries.push(node);
    if (sites.some((site) => site.edit)) node.append(ticks(sites.filter((site) => site.edit)));
    first.append(make("span", "statement", (sites.length > 1 ? sites.length + "\u00d7 " : "") + sites[0].text),
      make("span", "gain", best(sites) >= 1 ? cycles(best(sites)) : ""));
    const second = make("div", "second", (plainCause(sites[0]) + (sites[0].pattern ? " [" + sites[0].pattern + "]" : "")) + ", line ");
    sites.slice(0, 12).forEach((site, i) => {
      const to = link(String(site.line), site.line);
      to.className = "to";
      to.site = site;
      second.append(i ? ", " : "", to);
    });
    if (sites.length > 12) second.append(" and " + (sites.length - 12) + " more");
    what.append(first, second);
    node.append(what);
    node.addEventListener("click", () => select(sites[0].number, true));
    return node;
  }

  /// Shows which site is chosen, in the list and in the source.
  function chosen() {
    const site = data.sites[state.selected];
    for (const row of byId("source").querySelectorAll(".row.selected")) row.classList.remove("selected");
    if (site) rows[site.line - 1].classList.add("selected");
    for (const node of entries) {
      node.classList.toggle("selected", !!site && node.sites.includes(site));
      for (const to of node.querySelectorAll(".to")) to.classList.toggle("current", to.site === site);
    }
  }

  // ---- evidence
  /// Conflicts of one family with the same facts are one item, the others inside it.
  function folded(evidence) {
    const groups = new Map();
    for (const item of evidence) {
      const key = [item.family, ...item.facts].join("|").replace(/\d+/g, "#");
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(item);
    }
    return [...groups.values()];
  }
  function fact(item) {
    const node = make("li");
    if (item.conflict) node.append(make("div", "conflict"));
    if (item.conflict) node.firstChild.append(...linked(item.conflict));
    for (const text of item.facts) {
      const line = make("div", item.conflict ? "because" : "");
      line.append(...linked(text));
      node.append(line);
    }
    return node;
  }

  function select(number, scroll) {
    const site = data.sites[number];
    if (!site) return;
    state.selected = number;
    ptosyncParts.address("L" + site.line);
    if (scroll) ptosyncParts.reveal(rows[site.line - 1]);
    chosen();
    const of = entries.find((node) => node.sites.includes(site));
    if (of) of.scrollIntoView({ block: "nearest" });
    timeline.mark(() => site.line);
    const detail = byId("detail"), title = make("h3");
    title.append(make("span", "badge " + site.verdict, site.verdict), make("code", "", site.text), " ", link("line " + site.line, site.line));
    for (const to of site.to || []) title.append(" \u2192 ", link("line " + to, to));
    if (site.edit) title.append(ticks([site]));
    detail.replaceChildren(title, make("p", "", site.why + (site.fact ? " (weakest fact relied on: " + site.fact + ")" : "") +
      (site.gain >= 1 ? "; alone worth " + cyclesOf(site.gain) : "") +
      (site.replayed ? "" : "; proved, not replayed: no run of the replay reached it")));
    const facts = make("ul");
    for (const items of folded(site.evidence)) {
      const node = fact(items[0]);
      if (items.length > 1) {
        const more = make("details"), inside = make("ul");
        more.append(make("summary", "", "and " + (items.length - 1) + " more of " + (items[0].family || "these").replaceAll(" -> ", " \u2192 ")), inside);
        inside.append(...items.slice(1).map(fact));
        node.append(more);
      }
      facts.append(node);
    }
    detail.append(facts);
    detail.scrollTop = 0;
    const conflict = (site.evidence.find((item) => item.conflict) || { conflict: "" }).conflict;
    mark([...conflict.matchAll(/(?:^|: |-> )line (\d+)/g)].map((match) => Number(match[1])));
    reviewed();
  }

  // ---- loops
  function loops() {
    byId("loops-title").hidden = !data.loops.length;
    if (!data.loops.length) return;
    const table = make("table"), head = make("tr");
    for (const text of ["loop, its dearest syncs", "iterations", "before", "after", "limit", "over"]) head.append(make("th", "", text));
    table.append(head);
    for (const loop of data.loops) {
      const row = make("tr"), name = make("td");
      name.style.paddingLeft = 0.4 + loop.depth + "em";
      name.append(link("line " + loop.line, loop.line), " " + loop.kernel);
      loop.syncs.slice(0, 6).forEach(([number, gain]) => {
        const site = data.sites[number];
        name.append(make("br"), cycles(gain) + " ", link(site.text + ", line " + site.line, site.line), " " + site.verdict);
      });
      row.append(name);
      const over = (time) => (time / Math.max(loop.limit, 1)).toFixed(2);
      for (const text of [cycles(loop.iterations), cycles(loop.before), cycles(loop.after), cycles(loop.limit),
        over(loop.before) + " \u2192 " + over(loop.after)]) row.append(make("td", "", text));
      table.append(row);
    }
    byId("loops").append(table);
  }

  const timeline = ptosyncTimeline({ kernels: data.kernels, texts: data.texts, show: (line) => goTo(line) });

  // ---- keys
  function step(by) {
    if (!entries.length) return;
    const at = entries.findIndex((node) => node.classList.contains("selected"));
    const next = at < 0 ? (by > 0 ? 0 : entries.length - 1) : Math.min(entries.length - 1, Math.max(0, at + by));
    select(entries[next].sites[0].number, true);
  }
  /// The next sync of the entry.
  function within() {
    const node = entries.find((node) => node.classList.contains("selected"));
    if (node) select(node.sites[(node.sites.findIndex((site) => site.number === state.selected) + 1) % node.sites.length].number, true);
  }
  const tickEntry = (word) => {
    const node = entries.find((node) => node.classList.contains("selected"));
    if (node) tick(node.sites, word);
  };
  const tickShown = (word) => { if (data.sites[state.selected]) tick([data.sites[state.selected]], word); };
  /// The next sync in the list with an edit that is neither approved nor rejected.
  function nextOpen() {
    const listed = entries.flatMap((node) => node.sites), at = listed.findIndex((site) => site.number === state.selected);
    const next = [...listed.slice(at + 1), ...listed.slice(0, at + 1)].find((site) => site.edit && !tickOf(site));
    if (next) select(next.number, true);
  }
  const filter = (word) => { state.filter = word; byId("list").scrollTop = 0; list(); };
  for (const button of document.querySelectorAll("#filters button")) button.addEventListener("click", () => filter(button.dataset.filter));
  byId("search").addEventListener("input", () => { state.search = byId("search").value.trim().toLowerCase(); list(); });
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Escape") { byId("search").value = state.search = ""; list(); }
  });
  byId("fold").addEventListener("change", () => { state.fold = byId("fold").checked; list(); });
  byId("near").addEventListener("change", () => {
    list();
    if (data.sites[state.selected]) ptosyncParts.reveal(rows[data.sites[state.selected].line - 1]);
  });
  const turn = ptosyncParts.theme(() => timeline.draw());
  const all = ["all", ...verdicts];
  const ofSyncs = data.sites.length ? [
    ["j", "next entry of the list", () => step(1)], ["k", "previous entry", () => step(-1)], ["n", "next sync of the entry", within],
    ["x", "approve the open edits of the entry, or take it back", () => tickEntry("approved")],
    ["r", "reject the open edits of the entry, or take it back", () => tickEntry("rejected")],
    ["X", "approve the edit of the sync that is shown alone", () => tickShown("approved")],
    ["R", "reject the edit of the sync that is shown alone", () => tickShown("rejected")], ["u", "next open edit", nextOpen],
    ["f", "next filter: all, removed, moved, kept", () => filter(all[(all.indexOf(state.filter) + 1) % all.length])],
    ["o", "fold repeats, or not", () => byId("fold").click()], ["c", "only the source around what the list shows", () => byId("near").click()],
    ["/", "search; Esc takes it back", () => byId("search").focus()]] : [];
  const text = make("p", "", "Ticks are kept in this browser for this text of the kernel. A line's number is a link to it: #L123 at the end of " +
    "the address. Source: removed and moved syncs are struck through, a dashed frame marks the two instructions of the first conflict.");
  ptosyncParts.keyboard([...ofSyncs, ...timeline.keys, ["t", "light or dark", turn]], timeline.arrow,
    [...(data.sites.length ? [text] : []), timeline.legend()]);
  ptosyncParts.splitters(() => timeline.draw());

  list();
  loops();
  timeline.begin();
  const begin = ptosyncParts.addressed();
  if (begin) goTo(begin[1]); else if (entries.length) select(entries[0].sites[0].number, true);
  window.addEventListener("hashchange", () => { const at = ptosyncParts.addressed(); if (at) goTo(at[1]); });
})();
