// Fills the report of a run.

const byId = id => document.getElementById(id);
const fill = (id, nodes) => byId(id).querySelector(".list, .charts").replaceChildren(...nodes);
const hideUnless = (id, there) => { byId(id).hidden = !there; return there; };

function paragraph(text) {
  const node = document.createElement("p");
  node.textContent = text;
  return node;
}

function showScores({heads, rows, own, signatures}) {
  const table = byId("scores").querySelector("table");
  const head = table.createTHead().insertRow(), body = table.createTBody();
  for (const name of heads) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  for (const [number, row] of rows.entries()) {
    const line = body.insertRow();
    line.classList.toggle("own", number === own);
    for (const value of row) line.insertCell().textContent = value;
  }
  byId("scores").querySelector(".signatures").textContent = signatures.join(" · ");
}

function showSample({source, reference, trace}) {
  const copy = byId("sample").content.cloneNode(true), find = name => copy.querySelector(name);
  const svg = find("svg"), step = find(".step"), figure = find("figure");
  find(".source").textContent = source;
  find(".translation").textContent = trace.translation;
  find(".reference").textContent = reference;
  for (const name of [".translation", ".reference"]) find(name).lang = report.target;
  find(".source").lang = report.source;
  byId("samples").querySelector(".list").append(copy);
  const redraw = () => {
    svg.replaceChildren();
    drawSpans(svg, trace, t => describeStep(step, trace, t), figure.clientWidth);
  };
  redraw();
  addEventListener("resize", redraw);
}

function settingsOf([name, values]) {
  const details = document.createElement("details"), summary = document.createElement("summary");
  summary.textContent = name;
  details.append(summary, tableOf(values));
  return details;
}

// Text that is laid out before its font is there may stay without it.
await document.fonts.load("1em Letters", JSON.stringify(report.samples)).catch(() => {});

document.title = `${report.title}: report`;
byId("title").textContent = report.title;
byId("about").textContent = report.about;
byId("missing").replaceChildren(...report.missing.map(paragraph));
hideUnless("missing", report.missing.length);
if (hideUnless("scores", report.scores.rows.length)) showScores(report.scores);
if (hideUnless("tradeoff", report.tradeoff.length > 1)) {
  fill("tradeoff", [lineChart({title: "BLEU", across: "positions scored a word", dots: true,
                               fromZero: false, points: report.tradeoff})]);
}
byId("drawn").textContent = report.drawn;
if (hideUnless("samples", report.samples.length)) report.samples.forEach(showSample);
if (hideUnless("course", report.curves.length)) {
  fill("course", report.curves.map(curve => lineChart({across: "step", ...curve})));
}
fill("settings", report.settings.map(settingsOf));
