"use strict";
// The runs of a kernel above each other: the wheel zooms, dragging pans, hovering tells, a click goes to the line.
//
// kernels[k].runs = [{label, end, tracks: [[pipe, [slice]]]}], slice = [kind, start, length, text, line, bytes, weight];
// text and bytes are numbers in `texts`. show(line, run number) goes to a line.
function ptosyncTimeline({ kernels, texts, show }) {
  const { byId, make, cycles } = ptosyncParts;
  const state = { kernel: 0, from: 0, to: 1 };
  const kinds = ["work", "sync", "stall"];
  const rowHeight = 22, labelWidth = 78, titleHeight = 18;
  const tracks = byId("tracks");
  let canvases = [];
  const theme = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

  function longest() { return Math.max(1, ...kernels[state.kernel].runs.map((run) => run.end)); }

  function build() {
    tracks.replaceChildren();
    canvases = kernels[state.kernel].runs.map((run, number) => {
      const canvas = make("canvas");
      canvas.tabIndex = 0;
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", "timeline " + run.label);
      canvas.run = run;
      canvas.number = number;
      canvas.style.height = titleHeight + run.tracks.length * rowHeight + 4 + "px";
      tracks.append(canvas);
      listen(canvas);
      return canvas;
    });
    state.from = 0;
    state.to = longest();
    draw();
  }

  function draw() {
    if (!canvases.length) return;
    const color = { work: theme("work"), sync: theme("sync"), stall: theme("stall"), text: theme("text"), soft: theme("soft"),
      back: theme("back"), line: theme("line") };
    byId("span").textContent = cycles(state.from) + " to " + cycles(state.to) + " cycles";
    for (const canvas of canvases) paint(canvas, color);
  }

  function paint(canvas, color) {
    const width = canvas.clientWidth, height = canvas.clientHeight, scale = window.devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = color.back;
    pen.fillRect(0, 0, width, height);
    pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    pen.textBaseline = "middle";
    pen.fillStyle = color.soft;
    pen.fillText(canvas.run.label + ", " + cycles(canvas.run.end) + " cycles drawn", labelWidth, titleHeight / 2);
    const perCycle = (width - labelWidth) / (state.to - state.from);
    canvas.run.tracks.forEach(([name, slices], index) => {
      const top = titleHeight + index * rowHeight;
      pen.fillStyle = color.text;
      pen.fillText(name, 6, top + rowHeight / 2);
      pen.strokeStyle = color.line;
      pen.strokeRect(labelWidth, top + rowHeight - 0.5, width, 0);
      pen.save();
      pen.beginPath();
      pen.rect(labelWidth, top, width, rowHeight);
      pen.clip();
      for (let i = first(slices, state.from); i < slices.length && slices[i][1] < state.to; ++i) {
        const slice = slices[i];
        const left = labelWidth + (slice[1] - state.from) * perCycle, wide = Math.max(slice[2] * perCycle, 0.6);
        const kind = kinds[slice[0]];
        pen.fillStyle = color[kind];
        const inset = kind === "stall" ? 7 : 2;
        pen.fillRect(left, top + inset, wide > 3 ? wide - 0.7 : wide, rowHeight - 2 * inset);
        if (wide > 34 && kind === "work") {
          pen.fillStyle = "#ffffff";
          pen.save();
          pen.beginPath();
          pen.rect(left, top, wide - 2, rowHeight);
          pen.clip();
          pen.fillText(texts[slice[3]], Math.max(left, labelWidth) + 3, top + rowHeight / 2);
          pen.restore();
        }
      }
      pen.restore();
    });
  }

  /// The first slice that ends behind `time`.
  function first(slices, time) {
    let low = 0, high = slices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (slices[middle][1] + slices[middle][2] <= time) low = middle + 1; else high = middle;
    }
    return low;
  }

  function zoom(factor, at) {
    if (!canvases.length) return;
    const whole = longest();
    const span = Math.min(whole, Math.max(4, (state.to - state.from) * factor));
    const share = (at - state.from) / (state.to - state.from);
    place(at - share * span, span);
  }
  function place(from, span) {
    if (!canvases.length) return;
    state.from = Math.max(0, Math.min(from, longest() - span));
    state.to = state.from + span;
    draw();
  }
  const middle = () => (state.from + state.to) / 2;
  const pan = (share) => place(state.from + share * (state.to - state.from), state.to - state.from);
  const timeAt = (canvas, event) => {
    const box = canvas.getBoundingClientRect();
    return state.from + (event.clientX - box.left - labelWidth) / (box.width - labelWidth) * (state.to - state.from);
  };
  function sliceAt(canvas, event) {
    const box = canvas.getBoundingClientRect();
    const track = canvas.run.tracks[Math.floor((event.clientY - box.top - titleHeight) / rowHeight)];
    if (!track) return null;
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
        const span = state.to - state.from;
        if (Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
        if (drag.moved) place(drag.from - (event.clientX - drag.x) / (canvas.clientWidth - labelWidth) * span, span);
      }
      tip(canvas, event);
    });
    canvas.addEventListener("pointerup", (event) => {
      const slice = drag && !drag.moved ? sliceAt(canvas, event) : null;
      drag = null;
      if (slice) show(slice[4], canvas.number);
    });
    canvas.addEventListener("pointerleave", () => { byId("tip").style.display = "none"; });
  }

  function tip(canvas, event) {
    const node = byId("tip"), slice = sliceAt(canvas, event);
    node.style.display = slice ? "block" : "none";
    if (!slice) return;
    node.replaceChildren(make("strong", "", (slice[0] === 2 ? "waits for " : "") + texts[slice[3]]));
    node.append(make("div", "", "line " + slice[4] + ", " + cycles(slice[2]) + " cycles from " + cycles(slice[1]) +
      (slice[6] > 1 ? ", stands for " + slice[6] : "")));
    if (slice[5] >= 0) node.append(make("div", "", texts[slice[5]]));
    const box = byId("time").getBoundingClientRect();
    node.style.left = Math.max(4, Math.min(event.clientX - box.left + 14, box.width - node.offsetWidth - 8)) + "px";
    node.style.top = Math.max(4 - box.top, event.clientY - box.top - node.offsetHeight - 10) + "px";
  }

  byId("zoom-in").addEventListener("click", () => zoom(0.5, middle()));
  byId("zoom-out").addEventListener("click", () => zoom(2, middle()));
  const whole = () => { if (canvases.length) place(0, longest()); };
  byId("zoom-fit").addEventListener("click", whole);
  window.addEventListener("resize", draw);

  return {
    draw,
    /// Nothing is shown of a kernel without runs.
    choose(kernel) {
      state.kernel = kernel;
      const any = kernel < kernels.length && kernels[kernel].runs.length > 0;
      byId("time").style.display = any ? "" : "none";
      if (any) build(); else canvases = [];
    },
    keys: {
      "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()), "-": () => zoom(2, middle()), "0": whole,
    },
    /// True if the event is for a timeline.
    arrow(event) {
      if (event.target.tagName !== "CANVAS" || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return false;
      event.preventDefault();
      pan(event.key === "ArrowLeft" ? -0.2 : 0.2);
      return true;
    },
  };
}
