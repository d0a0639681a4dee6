"use strict";
// What the pages and their timelines have in common.
const ptosyncParts = (function () {
  const byId = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const cycles = (n) => n < 999.5 ? n.toFixed(0) : n < 999950 ? (n / 1e3).toFixed(1) + "k" : (n / 1e6).toFixed(2) + "M";

  /// Light or dark as the system is; what is returned turns it, and so does the page's button.
  function theme(redraw) {
    const root = document.documentElement;
    root.dataset.theme = window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const turn = () => { root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; redraw(); };
    byId("theme").addEventListener("click", turn);
    return turn;
  }

  return { byId, make, cycles, theme };
})();
