"use strict";
// The runs of a kernel above each other, with one axis and arrows from set to wait: the wheel zooms, dragging pans,
// hovering tells, a click goes to the line.
//
// kernels[k] = {name, together, runs}; runs = [{label, end, tracks: [[pipe, [slice]]], arrows: [arrow]}];
// slice = [kind, start, length, text, line, bytes, weight], text and bytes numbers in `texts`;
// arrow = [track, time, track, time, line of the set, line of the wait]. show(line, label of the run) goes to a line.
function ptosyncTimeline({ kernels, texts, show }) {
  const { byId, make, cycles } = ptosyncParts;
  const state = { kernel: 0, from: 0, to: 1, lineOf: () => 0 };
  const labelWidth = 70, titleHeight = 16, axisHeight = 18, arrowWidth = 14;
  // Instructions by what their pipe is for, then syncs and stalls.
  const work = { MTE2: "load", MTE1: "copy", CUBE: "cube", VECTOR: "vector", MTE3: "store", FIXP: "store", SCALAR: "scalar" };
  const names = { load: "load", copy: "copy in L1", cube: "cube", vector: "vector", store: "store", scalar: "scalar", sync: "sync",
    bysync: "waits: sync", bydata: "data", byissue: "scalar unit", bycore: "other core" };
  const kindOf = (pipe, slice) => slice[0] === 0 ? work[pipe] || "scalar" : ["", "sync", "bysync", "bydata", "byissue", "bycore"][slice[0]];
  const stalled = (slice) => slice[0] > 1;

  const bar = make("div"), pick = make("select"), span = make("span"), key = make("span", "key");
  const button = (text, title, act) => { const node = make("button", "", text); node.title = title; node.addEventListener("click", act); return node; };
  bar.id = "time-bar"; pick.id = "runs"; span.id = "span";
  pick.setAttribute("aria-label", "runs");
  const middle = () => (state.from + state.to) / 2;
  const whole = () => { if (canvases.length) place(0, longest()); };
  bar.append(pick, button("+", "zoom in (+)", () => zoom(0.5, middle())), button("\u2212", "zoom out (-)", () => zoom(2, middle())),
    button("all", "the whole run (0)", whole), span, key);
  const tracks = make("div"), axis = make("canvas"), stack = make("div"), tip = make("div");
  tracks.id = "tracks"; axis.id = "axis"; stack.id = "stack"; tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  axis.setAttribute("aria-hidden", "true");
  tracks.append(axis, stack);
  byId("time").append(bar, tracks, tip);
  let canvases = [], rowHeight = 20;

  // A colour of the style sheet as the canvas takes it.
  const probe = make("i");
  probe.hidden = true;
  byId("time").append(probe);
  const theme = (name) => { probe.style.color = "var(--" + name + ")"; return getComputedStyle(probe).color; };

  function longest() { return Math.max(1, ...kernels[state.kernel].runs.map((run) => run.end)); }

  function build() {
    canvases = kernels[state.kernel].runs.map((run) => {
      const canvas = make("canvas");
      canvas.tabIndex = 0;
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", "timeline " + run.label);
      canvas.run = run;
      listen(canvas);
      return canvas;
    });
    stack.replaceChildren(...canvases);
    const drawn = new Set(kernels[state.kernel].runs.flatMap((run) => run.tracks.flatMap(([pipe, slices]) => slices.map((slice) => kindOf(pipe, slice)))));
    key.replaceChildren(...Object.keys(names).filter((kind) => drawn.has(kind)).map(keyEntry));
    state.from = 0;
    state.to = longest();
    draw();
  }
  function keyEntry(kind) {
    const node = make("span", "", names[kind]), box = make("i");
    box.style.background = "var(--" + kind + ")";
    node.prepend(box);
    return node;
  }

  /// Rows as high as the room allows, so that all runs are in view together.
  function fit() {
    const runs = kernels[state.kernel].runs, count = runs.reduce((sum, run) => sum + run.tracks.length, 0);
    const room = tracks.clientHeight - axisHeight - runs.length * (titleHeight + 2) - 2;
    rowHeight = Math.max(9, Math.min(24, Math.floor(room / Math.max(1, count))));
    for (const canvas of canvases) canvas.style.height = titleHeight + canvas.run.tracks.length * rowHeight + 2 + "px";
  }

  function draw() {
    if (!canvases.length || !tracks.clientWidth) return;
    fit();
    const color = {};
    for (const name of [...Object.keys(names), "text", "soft", "back", "line", "arrow", "focus"]) color[name] = theme(name);
    span.textContent = cycles(state.from) + " to " + cycles(state.to) + " of " + cycles(longest());
    paintAxis(color);
    for (const canvas of canvases) paint(canvas, color);
  }

  function penOf(canvas) {
    const width = canvas.clientWidth, height = canvas.clientHeight, scale = window.devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    pen.textBaseline = "middle";
    return [pen, width, height];
  }
  const xAt = (width) => (time) => labelWidth + (time - state.from) * (width - labelWidth) / (state.to - state.from);
  /// Round times, some 90 pixels apart.
  function ticks(width) {
    const rough = (state.to - state.from) * 90 / Math.max(90, width - labelWidth), power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((by) => by * power >= rough * 0.999);
    const times = [];
    for (let i = Math.ceil(state.from / step); i * step <= state.to; ++i) times.push(i * step);
    return [times, step];
  }

  function paintAxis(color) {
    const [pen, width, height] = penOf(axis), x = xAt(width), [times, step] = ticks(width);
    pen.fillStyle = color.back;
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = color.soft;
    pen.fillText("cycles", 6, height / 2);
    const text = (time) => time === 0 ? "0" : step >= 1e5 ? time / 1e6 + "M" : step >= 100 && state.to >= 1e4 ? +(time / 1e3).toFixed(2) + "k" : String(+time.toFixed(1));
    for (const time of times) {
      pen.fillRect(x(time), height - 5, 1, 5);
      const wide = pen.measureText(text(time)).width;
      pen.fillText(text(time), Math.max(labelWidth, Math.min(x(time) - wide / 2, width - wide - 2)), height / 2 - 2);
    }
  }

  function paint(canvas, color) {
    const [pen, width, height] = penOf(canvas), x = xAt(width), run = canvas.run, chosen = state.lineOf(run.label);
    pen.fillStyle = color.back;
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = color.line;
    for (const time of ticks(width)[0]) pen.fillRect(x(time), titleHeight, 1, height);
    pen.fillStyle = color.text;
    pen.font = "600 11px system-ui, 'DejaVu Sans', sans-serif";
    pen.fillText(run.label, 6, titleHeight / 2 + 1);
    const wide = Math.max(labelWidth, 12 + pen.measureText(run.label).width);
    pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    pen.fillStyle = color.soft;
    const arrows = run.arrows.filter(([, from, , to]) => to >= state.from && from <= state.to);
    const many = arrows.length * arrowWidth > width; // they could not be told apart
    pen.fillText(cycles(run.end) + " cycles drawn" + (many ? "; zoom in for the arrows from set to wait" : ""), wide, titleHeight / 2 + 1);
    if (x(run.end) < width - 1) { // where this run ends and the longest one does not
      pen.fillStyle = color.focus;
      pen.fillRect(Math.max(labelWidth, x(run.end)), titleHeight, x(run.end) < labelWidth ? 0 : 2, height);
    }
    run.tracks.forEach((track, index) => paintTrack(pen, color, track, titleHeight + index * rowHeight, width, x, chosen));
    const ours = (arrow) => chosen > 0 && (arrow[4] === chosen || arrow[5] === chosen);
    paintArrows(pen, color, run, many ? arrows.filter(ours) : arrows, width, x, ours);
  }

  function paintTrack(pen, color, [name, slices], top, width, x, chosen) {
    pen.fillStyle = color.text;
    pen.font = Math.min(11, rowHeight) + "px system-ui, 'DejaVu Sans', sans-serif";
    pen.fillText(name, 6, top + rowHeight / 2);
    pen.save();
    pen.beginPath();
    pen.rect(labelWidth, top, width, rowHeight);
    pen.clip();
    const marked = [];
    for (let i = first(slices, state.from); i < slices.length && slices[i][1] < state.to; ++i) {
      const slice = slices[i], left = x(slice[1]), wide = Math.max(x(slice[1] + slice[2]) - left, 0.6);
      const inset = stalled(slice) ? rowHeight * 0.33 : 1.5;
      pen.fillStyle = color[kindOf(name, slice)];
      pen.fillRect(left, top + inset, wide > 3 ? wide - 0.7 : wide, rowHeight - 2 * inset);
      if (chosen > 0 && slice[4] === chosen) marked.push([left, wide]);
      if (wide > 34 && slice[0] === 0 && rowHeight >= 11) {
        pen.save();
        pen.beginPath();
        pen.rect(left, top, wide - 3, rowHeight);
        pen.clip();
        pen.fillStyle = "#ffffff";
        pen.fillText(texts[slice[3]], Math.max(left, labelWidth) + 3, top + rowHeight / 2);
        pen.restore();
      }
    }
    pen.strokeStyle = color.focus;
    pen.lineWidth = 2;
    for (const [left, wide] of marked) pen.strokeRect(left, top + 1, Math.max(wide, 2), rowHeight - 2);
    pen.lineWidth = 1;
    pen.restore();
  }

  /// `ours`: says whether an arrow is of the line that is chosen.
  function paintArrows(pen, color, run, arrows, width, x, ours) {
    pen.save();
    pen.beginPath();
    pen.rect(labelWidth, titleHeight, width, run.tracks.length * rowHeight);
    pen.clip();
    const middleOf = (track) => titleHeight + (track + 0.5) * rowHeight;
    for (const arrow of [...arrows].sort((a, b) => ours(a) - ours(b))) {
      const [x1, y1, x2, y2] = [x(arrow[1]), middleOf(arrow[0]), x(arrow[3]), middleOf(arrow[2])];
      pen.strokeStyle = pen.fillStyle = ours(arrow) ? color.focus : color.arrow;
      pen.lineWidth = ours(arrow) ? 2 : 1;
      const down = Math.sign(y2 - y1) || 1, head = Math.min(5, rowHeight / 2);
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.bezierCurveTo(x1, (y1 + y2) / 2, x2, (y1 + y2) / 2, x2, y2 - down * head);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(x2, y2);
      pen.lineTo(x2 - head * 0.6, y2 - down * head);
      pen.lineTo(x2 + head * 0.6, y2 - down * head);
      pen.fill();
    }
    pen.restore();
  }

  /// The first slice that ends behind `time`.
  function first(slices, time) {
    let low = 0, high = slices.length;
    while (low < high) {
      const between = (low + high) >> 1;
      if (slices[between][1] + slices[between][2] <= time) low = between + 1; else high = between;
    }
    return low;
  }

  function zoom(factor, at) {
    if (!canvases.length) return;
    const size = Math.min(longest(), Math.max(4, (state.to - state.from) * factor));
    place(at - (at - state.from) / (state.to - state.from) * size, size);
  }
  function place(from, size) {
    if (!canvases.length) return;
    state.from = Math.max(0, Math.min(from, longest() - size));
    state.to = state.from + size;
    draw();
  }
  const pan = (share) => place(state.from + share * (state.to - state.from), state.to - state.from);
  const timeAt = (canvas, event) => {
    const box = canvas.getBoundingClientRect();
    return state.from + (event.clientX - box.left - labelWidth) / (box.width - labelWidth) * (state.to - state.from);
  };
  function sliceAt(canvas, event) {
    const box = canvas.getBoundingClientRect();
    const track = canvas.run.tracks[Math.floor((event.clientY - box.top - titleHeight) / rowHeight)];
    if (!track || event.clientX - box.left < labelWidth) return null;
    const reach = 2 / (box.width - labelWidth) * (state.to - state.from), time = timeAt(canvas, event);
    const slice = track[1][first(track[1], time - reach)];
    return slice && slice[1] <= time + reach ? slice : null;
  }

  function listen(canvas) {
    let drag = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.shiftKey) pan(Math.sign(event.deltaY) * 0.1); else zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(canvas, event));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, from: state.from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag) {
        const size = state.to - state.from;
        if (Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
        if (drag.moved) place(drag.from - (event.clientX - drag.x) / (canvas.clientWidth - labelWidth) * size, size);
      }
      tell(canvas, event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const slice = drag && !drag.moved ? sliceAt(canvas, event) : null;
      drag = null;
      if (slice) show(slice[4], canvas.run.label);
    });
    canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  }

  function tell(canvas, event) {
    const slice = sliceAt(canvas, event);
    tip.style.display = slice ? "block" : "none";
    if (!slice) return;
    tip.replaceChildren(make("strong", "", (stalled(slice) ? "waits for " : "") + texts[slice[3]].replace(/^waits for /, "")));
    tip.append(make("div", "", "line " + slice[4] + ", " + cycles(slice[2]) + " cycles from " + cycles(slice[1]) +
      (slice[6] > 1 ? ", stands for " + slice[6] : "")));
    if (slice[5] >= 0) tip.append(make("div", "", texts[slice[5]]));
    const box = byId("time").getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4 - box.top, event.clientY - box.top - tip.offsetHeight - 10) + "px";
  }

  /// Nothing is shown of a kernel without runs.
  function choose(kernel) {
    state.kernel = kernel;
    const any = !!kernels[kernel] && kernels[kernel].runs.length > 0;
    document.body.classList.toggle("timeless", !any);
    pick.value = String(kernel);
    if (any) build(); else canvases = [];
  }
  kernels.forEach((kernel, number) => {
    if (!kernel.runs.length) return;
    const option = make("option", "", kernel.name);
    option.value = String(number);
    pick.append(option);
  });
  pick.addEventListener("change", () => choose(Number(pick.value)));
  window.addEventListener("resize", draw);

  return {
    draw,
    choose,
    /// Begins with both cores together where there is such a run, and among those with the one that changes most.
    begin() {
      const change = (kernel) => {
        const end = (label) => Math.max(0, ...kernel.runs.filter((run) => run.label.endsWith(label)).map((run) => run.end));
        const [before, after] = [kernel.runs[0], kernel.runs[kernel.runs.length - 1]].map((run) => run ? end(run.label.split(", ").pop()) : 0);
        return Math.abs(before - after) + (kernel.together ? 1e12 : 0) + (kernel.runs.length ? 1 : 0);
      };
      choose(kernels.reduce((most, kernel, number) => most < 0 || change(kernel) > change(kernels[most]) ? number : most, -1));
    },
    /// Frames what stands on a line, and draws its arrows; lineOf(label of the run): the line in the text of that run,
    /// 0 for none.
    mark(lineOf) { state.lineOf = lineOf; draw(); },
    keys: [["+ =", "zoom in; also the wheel", () => zoom(0.5, middle())], ["-", "zoom out", () => zoom(2, middle())], ["0", "the whole run", whole],
      ["arrows", "pan, where a timeline has the focus; also dragging, and the wheel with shift"]],
    /// True if the event is for a timeline.
    arrow(event) {
      if (event.target.tagName !== "CANVAS" || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return false;
      event.preventDefault();
      pan(event.key === "ArrowLeft" ? -0.2 : 0.2);
      return true;
    },
    legend() {
      const node = make("p", "key", "Timelines: ");
      node.append(...Object.keys(names).map(keyEntry));
      return node;
    },
  };
}
