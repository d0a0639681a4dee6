"use strict";
// The page of a table over kernels: sorted by the column that is clicked, restricted to the rows that hold a text.
(function () {
  const { byId, make } = ptosyncParts;
  const data = JSON.parse(byId("data").textContent);
  const view = { column: -1, down: false, text: "" };

  // So that the columns fit: the folder of all kernels stands in the title alone, and a column that says nothing of any
  // kernel (0, or not known) is left out.
  const folder = data.rows.map((row) => row.cells[0][1]).reduce((common, name) => {
    while (!name.startsWith(common)) common = common.slice(0, common.slice(0, -1).lastIndexOf("/") + 1);
    return common;
  }, data.rows.length > 1 ? data.rows[0].cells[0][1].replace(/[^/]*$/, "") : "");
  const shown = data.columns.map((column, i) => i).filter((i) => i === 0 || data.rows.some((row) => row.cells[i][0]));
  ptosyncParts.header(data.tool + " " + data.command + ": " + data.rows.length + " kernels" + (folder ? " of " + folder : ""), data.lines,
    "ptosync " + data.command);

  // A cell is [value, text]; what is not known stands last, whichever way the column is sorted.
  const compare = (a, b) => {
    const [x] = a.cells[view.column], [y] = b.cells[view.column];
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === "string" || typeof y === "string" ? String(x).localeCompare(String(y)) : x - y;
    return view.down ? -order : order;
  };

  function head() {
    const row = make("tr");
    shown.forEach((i) => {
      const column = data.columns[i];
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
      shown.forEach((i) => {
        const [value, text] = row.cells[i];
        const cell = make("td", data.columns[i].text ? "" : "number");
        if (i === 0 && row.page) {
          const link = make("a", "", text.slice(folder.length));
          link.href = row.page.split("/").map(encodeURIComponent).join("/");
          cell.append(link);
        } else if (!(data.columns[i].text && value === null)) {
          cell.textContent = i === 0 ? text.slice(folder.length) : text;
        }
        line.append(cell);
      });
      body.append(line);
    }
    const table = make("table");
    table.append(head(), body);
    byId("table").replaceChildren(table);
    byId("shown").textContent = rows.length === data.rows.length ? "" : rows.length + " of " + data.rows.length + " kernels";
  }

  byId("search").addEventListener("input", () => { view.text = byId("search").value.toLowerCase(); draw(); });
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Escape") { byId("search").value = view.text = ""; draw(); }
  });
  const turn = ptosyncParts.theme(draw);
  ptosyncParts.keyboard([["/", "search; Esc takes it back", () => byId("search").focus()], ["t", "light or dark", turn]], null,
    [make("p", "", "A click on a column's title sorts by it, the largest first; the next click turns the order. Columns that are 0 for every kernel are left out. A kernel's name leads to its page.")]);
  draw();
})();
