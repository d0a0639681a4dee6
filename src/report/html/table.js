"use strict";
// The page of a table over kernels: sorted by the column that is clicked, restricted to the rows that hold a text.
(function () {
  const { byId, make, theme } = ptosyncParts;
  const data = JSON.parse(byId("data").textContent);
  const view = { column: -1, down: false, text: "" };

  document.title = "ptosync " + data.command;
  byId("title").textContent = data.tool + " " + data.command + ": " + data.rows.length + " kernels";
  for (const line of data.lines) byId("lines").append(make("p", "", line));

  // A cell is [value, text]; what is not known stands last, whichever way the column is sorted.
  const compare = (a, b) => {
    const [x] = a.cells[view.column], [y] = b.cells[view.column];
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === "string" || typeof y === "string" ? String(x).localeCompare(String(y)) : x - y;
    return view.down ? -order : order;
  };

  function head() {
    const row = make("tr");
    data.columns.forEach((column, i) => {
      const cell = make("th", column.text ? "" : "number");
      const button = make("button", "", column.title + (view.column === i ? (view.down ? " ↓" : " ↑") : ""));
      button.title = "sort by " + column.title;
      button.addEventListener("click", () => {
        // Numbers begin with the largest, which is what one looks for.
        view.down = view.column === i ? !view.down : !column.text;
        view.column = i;
        draw();
      });
      if (view.column === i) cell.setAttribute("aria-sort", view.down ? "descending" : "ascending");
      cell.append(button);
      row.append(cell);
    });
    const part = make("thead");
    part.append(row);
    return part;
  }

  function draw() {
    let rows = data.rows.filter((row) => row.cells.some(([, text]) => text.toLowerCase().includes(view.text)));
    if (view.column >= 0) rows = [...rows].sort(compare);
    const body = make("tbody");
    for (const row of rows) {
      const line = make("tr");
      row.cells.forEach(([value, text], i) => {
        const cell = make("td", data.columns[i].text ? "" : "number");
        if (i === 0 && row.page) {
          const link = make("a", "", text);
          link.href = row.page.split("/").map(encodeURIComponent).join("/");
          cell.append(link);
        } else if (!(data.columns[i].text && value === null)) {
          cell.textContent = text;
        }
        line.append(cell);
      });
      body.append(line);
    }
    const table = make("table");
    table.append(head(), body);
    byId("table").replaceChildren(table);
    byId("shown").textContent = rows.length === data.rows.length ? "" : rows.length + " of " + data.rows.length;
  }

  byId("search").addEventListener("input", () => { view.text = byId("search").value.toLowerCase(); draw(); });
  const turn = theme(draw);
  document.addEventListener("keydown", (event) => {
    if (event.target === byId("search")) {
      if (event.key === "Escape") { byId("search").value = view.text = ""; byId("search").blur(); draw(); }
    } else if (event.key === "/") {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "t" && !event.ctrlKey && !event.metaKey) {
      turn();
    }
  });
  draw();
})();
