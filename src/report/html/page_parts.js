"use strict";
// What the pages and their timelines have in common: header, theme, help, keys, splitters, source lines, memory.
const ptosyncParts = (function () {
  const byId = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const cycles = (n) => n < 999.5 ? n.toFixed(0) : n < 999950 ? (n / 1e3).toFixed(1) + "k" : (n / 1e6).toFixed(2) + "M";

  /// What outlives a reload. Where the browser keeps nothing for a file, nothing is kept and nothing is said.
  const memory = {
    read(key) {
      try { return JSON.parse(localStorage.getItem("ptosync " + key)); } catch (error) { return null; }
    },
    write(key, value) {
      try { localStorage.setItem("ptosync " + key, JSON.stringify(value)); } catch (error) { /* not kept */ }
    },
  };

  function header(title, lines, windowTitle) {
    document.title = windowTitle;
    byId("title").textContent = title;
    byId("lines").append(...lines.filter((line) => line).map((line) => make("p", "", line.replaceAll("->", "\u2192"))));
  }

  /// Light or dark as the system is, or as it was chosen here before; returns what turns it.
  function theme(redraw) {
    const root = document.documentElement;
    const chosen = memory.read("theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", redraw);
    const turn = () => {
      root.dataset.theme = (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
      memory.write("theme", root.dataset.theme);
      redraw();
    };
    byId("theme").addEventListener("click", turn);
    return turn;
  }

  /// keys: [name, what it does, action]; several names of one key are parted by spaces, a key without an action is told
  /// only. `arrow` takes an event first, and returns true if it was for it. `more` stands below the keys in the help.
  function keyboard(keys, arrow, more) {
    const actions = new Map();
    const list = make("dl");
    const help = () => byId("help").open ? byId("help").close() : byId("help").showModal();
    for (const [names, what, action] of [...keys, ["?", "this help", help]]) {
      list.append(make("dt", "", names), make("dd", "", what));
      if (action) for (const name of names.split(" ")) actions.set(name, action);
    }
    const close = make("button", "", "close");
    close.addEventListener("click", help);
    byId("help").append(make("h2", "", "keys"), list, ...more, close);
    byId("help").addEventListener("click", (event) => { if (event.target === byId("help")) help(); });
    byId("ask").addEventListener("click", help);
    document.addEventListener("keydown", (event) => {
      const on = event.target, typing = on.tagName === "SELECT" || on.tagName === "INPUT" && on.type !== "checkbox";
      if (event.key === "Escape" && typing) on.blur();
      if (typing || event.ctrlKey || event.metaKey || event.altKey || arrow && arrow(event)) return;
      if (byId("help").open && event.key !== "?") return;
      const action = actions.get(event.key);
      if (!action) return;
      event.preventDefault();
      action();
    });
  }

  /// Each splitter gives the part that it names its size: dragged, by arrow keys, back by a double click.
  function splitters(resized) {
    for (const bar of document.querySelectorAll(".splitter")) {
      const part = byId(bar.dataset.of), flat = bar.classList.contains("flat");
      const size = () => flat ? part.offsetHeight : part.offsetWidth;
      const sign = bar.dataset.from === "end" ? -1 : 1;
      const name = "split " + document.body.className + " " + bar.id;
      const set = (pixels) => {
        if (pixels === null) part.style.removeProperty("--size"); else part.style.setProperty("--size", Math.max(60, pixels) + "px");
        memory.write(name, pixels);
        resized();
      };
      const kept = memory.read(name);
      if (typeof kept === "number") part.style.setProperty("--size", kept + "px");
      bar.tabIndex = 0;
      bar.setAttribute("role", "separator");
      bar.setAttribute("aria-orientation", flat ? "horizontal" : "vertical");
      let drag = null;
      bar.addEventListener("pointerdown", (event) => {
        drag = { at: flat ? event.clientY : event.clientX, size: size() };
        try { bar.setPointerCapture(event.pointerId); } catch (error) { /* not a pointer of its own */ }
        event.preventDefault();
      });
      bar.addEventListener("pointermove", (event) => {
        if (drag) set(drag.size + sign * ((flat ? event.clientY : event.clientX) - drag.at));
      });
      for (const end of ["pointerup", "pointercancel"]) bar.addEventListener(end, () => { drag = null; });
      bar.addEventListener("dblclick", () => set(null));
      bar.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        set(size() + sign * by * 24);
      });
    }
  }

  // ---- source lines
  const escaped = (text) => text.replace(/[&<>]/g, (c) => c === "&" ? "&amp;" : c === "<" ? "&lt;" : "&gt;");
  const token = new RegExp([
    "(//.*|/\\*[^]*?(?:\\*/|$))", // comment
    "(\"(?:\\\\.|[^\"\\\\])*\"?|'(?:\\\\.|[^'\\\\])*'?)", // string
    "(^\\s*#\\s*\\w+)", // preprocessor
    "\\b(pipe_barrier|set_flag|wait_flag|ptoas_auto_sync_tail|pipe_all)\\b", // sync
    "\\b(T[A-Z][A-Z0-9_]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?=\\s*[(<])", // instruction
    "\\b(if|else|for|while|do|return|const|constexpr|static|inline|template|typename|using|namespace|struct|class|auto|" +
      "extern|switch|case|break|continue|true|false|void|bool|char|int|float|half|unsigned|signed|long|short|double|" +
      "u?int(?:8|16|32|64)_t|size_t)\\b", // keyword
    "\\b(\\d[\\w.']*)", // number
  ].join("|"), "g");
  const tokenClass = ["", "t-c", "t-s", "t-p", "t-y", "t-i", "t-k", "t-n"];

  /// The markup of each line of a text, in the colours of its syntax.
  function coloured(lines) {
    let open = false; // in a comment of several lines
    return lines.map((line) => {
      let text = line, markup = "";
      if (open) {
        const end = text.indexOf("*/");
        const inside = end < 0 ? text : text.slice(0, end + 2);
        markup = "<span class=t-c>" + escaped(inside) + "</span>";
        text = text.slice(inside.length);
        open = end < 0;
      }
      let last = 0;
      for (const match of text.matchAll(token)) {
        const kind = match.findIndex((part, i) => i > 0 && part !== undefined);
        markup += escaped(text.slice(last, match.index)) + "<span class=" + tokenClass[kind] + ">" + escaped(match[0]) + "</span>";
        last = match.index + match[0].length;
        if (kind === 1 && match[0].startsWith("/*") && !(match[0].length > 3 && match[0].endsWith("*/"))) open = true;
      }
      return markup + escaped(text.slice(last));
    });
  }

  const rowsInChunk = 100;

  /// Fills `section` with a row for each entry: {id, number, markup}, or null for a gap; returns the rows. Rows stand in
  /// chunks, of which the browser lays out those in view.
  function sourceRows(section, entries) {
    let markup = "";
    entries.forEach((entry, i) => {
      if (i % rowsInChunk === 0) markup += (i ? "</div>" : "") + "<div class=chunk>";
      markup += !entry ? "<div class='row gap'> </div>" : "<div class=row id=" + entry.id + "><a class=number href='#" + entry.id +
        "'>" + entry.number + "</a><span class=code>" + (entry.markup || " ") + "</span></div>";
    });
    section.innerHTML = markup + "</div>";
    return [...section.querySelectorAll(".row")];
  }

  /// Hides the rows that are farther than three from every one that `wanted` names; all are shown without it.
  function showAround(rows, wanted) {
    const near = new Uint8Array(rows.length);
    if (wanted) for (let i = 0; i < rows.length; ++i)
      if (wanted(i)) near.fill(1, Math.max(0, i - 3), i + 4);
    rows.forEach((row, i) => {
      row.classList.toggle("far", !!wanted && !near[i]);
      row.classList.toggle("cut", !!wanted && !!near[i] && i > 0 && !near[i - 1]);
    });
    const chunks = new Set(rows.map((row) => row.parentNode));
    for (const chunk of chunks)
      chunk.style.containIntrinsicHeight = "auto " + 18 * chunk.querySelectorAll(":scope > .row:not(.far)").length + "px";
  }

  /// Puts a row into the middle of its pane, and only of that.
  function reveal(row) {
    const pane = row.closest(".text");
    for (let turn = 0; turn < 2; ++turn) { // the first one may lay out chunks that were not yet
      const box = pane.getBoundingClientRect(), own = row.getBoundingClientRect();
      pane.scrollTop += own.top - box.top - (pane.clientHeight - own.height) / 2;
    }
  }

  /// The line of the address, "#L12" or "#A12", as [letter, number]; null if there is none.
  function addressed() {
    const match = /^#([LAB])(\d+)$/.exec(location.hash);
    return match && [match[1], Number(match[2])];
  }
  /// Makes the address that of a line, so that it can be sent to somebody; not while the page is loaded, since the
  /// browser goes where the address says then.
  function address(id) {
    if (document.readyState === "loading") return;
    try { history.replaceState(null, "", "#" + id); } catch (error) { /* as it was */ }
  }

  return { byId, make, cycles, memory, header, theme, keyboard, splitters, coloured, sourceRows, showAround, reveal, addressed, address };
})();
