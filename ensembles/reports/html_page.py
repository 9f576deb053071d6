"""The page of a report: how it looks, and what it does on the screen and before it is printed."""

__all__ = ["PAGE", "SCRIPT", "STYLE"]

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 "Source Sans 3", "Source Sans Pro", system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; color: light-dark(#11171a, #e8e8e3); background: light-dark(#fcfcfa, #15191b); }
div { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.8rem; text-align: right; border-bottom: 1px solid light-dark(#e4e4dd, #2c3336); }
.left { text-align: left; max-width: 24rem; overflow-wrap: break-word; }
.better { color: light-dark(#007a59, #2cc295); }
.worse { color: light-dark(#b34f00, #ff8a45); }
p { max-width: 46rem; color: light-dark(#5f676b, #a3abae); }
figure { margin: 1.5rem 0; }
summary { cursor: pointer; }
.note { color: inherit; }
.note + .note { margin-top: -0.5rem; }
.pairs { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; }
@page { margin: 15mm; }
.print { width: 180mm; margin: 0; padding: 0; font-size: 10pt; }
.print th, .print td { padding: 0.15rem 0.4rem; }
.print .pairs { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1rem; }
@media print {
  :root { color-scheme: light; }
  body { background: #fff; }
  div { overflow: visible; }
  h1, h2, h3, h2 + p, h3 + p, .note { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  details, .modebar { display: none !important; }
  pre { white-space: pre-wrap; }
}
"""

# Figures are drawn when they come into sight: a report may have hundreds. Before printing all of them are, on white and as
# wide as the paper (an A4 page less its margins, which fits Letter too); wider tables shrink, short ones stay whole. One
# that is more than twice as wide is printed in pieces, each with the first column.
SCRIPT = """
const own = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const draw = (place, theme) => {
  seen.unobserve(place);
  const figure = JSON.parse(place.nextElementSibling.textContent)[theme];
  const png = {name: "Download as PNG", icon: Plotly.Icons.disk,
    click: plot => Plotly.downloadImage(plot, {format: "png", scale: 3, filename: place.dataset.name})};
  Plotly.react(place, figure.data, figure.layout, {displaylogo: false, responsive: true,
    toImageButtonOptions: {format: "svg", filename: place.dataset.name}, modeBarButtonsToAdd: [png]});
};
const seen = new IntersectionObserver(
  found => found.filter(one => one.isIntersecting).forEach(one => draw(one.target, own)), {rootMargin: "600px"});
const all = () => document.querySelectorAll(".plot");
all().forEach(place => seen.observe(place));
const cut = table => {
  const [first, ...rest] = table.rows[0].cells, room = 2 * document.body.clientWidth - first.offsetWidth;
  let left = 0, last = 0;
  const pieces = rest.map(cell => {
    if (left && left + cell.offsetWidth > room) { left = 0; last++; }
    left += cell.offsetWidth;
    return last;
  });
  for (let piece = 0; last && piece <= last; piece++) {
    const copy = table.cloneNode(true);
    for (const row of copy.rows) [...row.cells].slice(1).forEach((cell, place) => pieces[place] === piece || cell.remove());
    copy.classList.add("piece");
    table.before(copy);
  }
  table.hidden = last > 0;
};
const fit = table => {
  table.style.zoom = Math.min(1, document.body.clientWidth / (table.offsetWidth || 1));
  table.style.breakInside = table.offsetHeight < 500 ? "avoid" : "";
};
addEventListener("beforeprint", () => {
  document.body.classList.add("print");
  all().forEach(place => draw(place, "light"));
  document.querySelectorAll("table:not(details *)").forEach(cut);
  document.querySelectorAll("table:not([hidden])").forEach(fit);
});
addEventListener("afterprint", () => {
  document.body.classList.remove("print");
  document.querySelectorAll(".piece").forEach(piece => piece.remove());
  document.querySelectorAll("table").forEach(table => { table.style.zoom = ""; table.hidden = false; });
  all().forEach(place => draw(place, own));
});
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{style}</style>
<script>{plotly}</script>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""
