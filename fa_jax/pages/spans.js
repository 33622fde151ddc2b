// The vision span of each output step: a picture, and a table of what a step did.

const shown = token => token.replaceAll("▁", "·");
const percent = share => (100 * share).toFixed(1) + "%";
const sum = numbers => numbers.reduce((total, number) => total + number, 0);
const scored = trace => sum(trace.steps.map(step => step.window.length)) / trace.steps.length;
const cell = {widest: 40, narrowest: 11}, height = 28;
// The source's words stand above every so many steps, where these look.
const stepsOfBlock = 24, beside = 4;

// First and last position that some steps look at, and a few more.
function lookedAt(steps, length) {
  const positions = steps.flatMap(step => [step.window[0], step.window.at(-1)])
    .filter(position => position !== undefined);
  return positions.length
    ? [Math.max(0, Math.min(...positions) - beside),
       Math.min(length - 1, Math.max(...positions) + beside)]
    : [0, length - 1];
}

function widthOf(words) {
  const letter = code => code > "⺀" ? 14 : 8;
  return Math.max(...words.map(word => sum([...word].map(letter))));
}

function draw(parent, name, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return parent.appendChild(node);
}

// Into an empty svg, as wide as there is room; calls describe(t) for the step that is pointed at.
function drawSpans(svg, trace, describe, room = Infinity) {
  const left = widthOf(trace.steps.map(step => shown(step.token))) + 22;
  const top = Math.max(40, widthOf(trace.source.map(shown)) * 0.75 + 28);
  const bar = room < 520 ? 44 : 110, space = room < 520 ? 14 : 26;
  const fitting = Math.floor((room - left - space - bar - 14) / trace.source.length);
  const wide = Math.min(cell.widest, Math.max(cell.narrowest, fitting));
  const gap = left + trace.source.length * wide + space;
  const isLong = trace.steps.length > 2 * stepsOfBlock;
  const blocks = isLong ? Math.ceil(trace.steps.length / stepsOfBlock) : 1;
  const below = blocks * top + trace.steps.length * height;
  const x = position => left + (position + 0.5) * wide;
  const blockOf = step => isLong ? Math.floor(step / stepsOfBlock) : 0;
  const y = step => (blockOf(step) + 1) * top + (step + 0.5) * height;
  svg.setAttribute("width", gap + bar + 14);
  svg.setAttribute("height", below + 24);

  for (let block = 0; block < blocks; block++) {
    const begin = block * stepsOfBlock, above = y(begin) - height / 2 - 8;
    const [first, last] = isLong
      ? lookedAt(trace.steps.slice(begin, begin + stepsOfBlock), trace.source.length)
      : [0, trace.source.length - 1];
    for (let s = first; s <= last; s++) draw(svg, "text", {
      class: "source", x: x(s), y: above, transform: `rotate(-50 ${x(s)} ${above})`,
    }, shown(trace.source[s]));
  }
  draw(svg, "text", {class: "label", x: 0, y: 14}, "source →");
  draw(svg, "text", {class: "label", x: 0, y: top - 8}, "output ↓");
  draw(svg, "text", {class: "label", x: gap, y: top - 8}, "g(t)");
  for (const value of bar > 100 ? [0, 0.5, 1] : [0, 1]) {
    const across = gap + value * bar;
    draw(svg, "line", {class: "axis", x1: across, x2: across, y1: top, y2: below});
    draw(svg, "text", {class: "label", x: across, y: below + 16, "text-anchor": "middle"}, value);
  }

  const rows = trace.steps.map((step, t) => {
    const row = draw(svg, "g", {class: "row", role: "option", "aria-label":
      `${shown(step.token)}: ${step.window.length} of ${trace.source.length} positions`});
    draw(row, "rect", {class: "catch", x: 1, y: y(t) - height / 2, width: gap + bar, height});
    // In a long picture a word stands beside its window, or nobody sees both.
    const place = isLong && step.window.length ? x(step.window[0]) - wide / 2 : left;
    draw(row, "text", {class: "target", x: place - 8, y: y(t) + 5, "text-anchor": "end"},
         shown(step.token));
    if (step.window.length) {
      const first = step.window[0], last = step.window.at(-1);
      draw(row, "rect", {class: "band", x: x(first) - wide / 2, y: y(t) - height / 2 + 2,
                         width: (last - first + 1) * wide, height: height - 4, rx: 4});
    }
    step.weights.forEach((weight, i) => {
      const s = step.window[i];
      const side = Math.sqrt(weight) * Math.min(height - 8, wide - 1);
      if (side > 1.5) draw(row, "rect", {class: "weight", x: x(s) - side / 2, y: y(t) - side / 2,
                                         width: side, height: side});
    });
    draw(row, "circle", {class: "focus", cx: x(step.focus), cy: y(t), r: 4});
    draw(row, "rect", {class: "strength", x: gap, y: y(t) - 7, width: step.strength * bar,
                       height: 14});
    for (const event of ["mouseenter", "focus", "click"]) {
      row.addEventListener(event, () => choose(t));
    }
    return row;
  });

  function choose(t) {
    rows.forEach((row, i) => {
      row.classList.toggle("chosen", i === t);
      row.setAttribute("aria-selected", i === t);
      row.setAttribute("tabindex", i === t ? 0 : -1);
    });
    describe(t);
    return t;
  }

  svg.onkeydown = event => {
    const last = rows.length - 1, now = rows.findIndex(row => row.matches(".chosen"));
    const next = {ArrowDown: Math.min(now + 1, last), ArrowUp: Math.max(now - 1, 0), Home: 0,
                  End: last}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    rows[next].focus();
  };
  choose(0);
}

// What a step did, as a heading and tables, in place of what was there.
function describeStep(place, trace, t) {
  const step = trace.steps[t];
  const head = document.createElement("h2"), tables = document.createElement("div");
  head.textContent = `${t + 1}. ${shown(step.token)}`;
  const others = step.alternatives.filter(([word]) => word !== step.token);
  const weights = step.weights.map((weight, i) => [weight, step.window[i]]).sort((a, b) => b[0] - a[0])
    .slice(0, 5).filter(([weight]) => weight >= 0.005);
  tables.className = "tables";
  tables.append(tableOf([
    ["probability", percent(step.probability)],
    ...others.map(([word, probability]) => [`or ${shown(word)}`, percent(probability)]),
  ]), tableOf([
    ["strength g(t)", step.strength.toFixed(3)],
    ["focus p_t", step.focus.toFixed(2)],
    ["window", `${step.window.length} of ${trace.source.length} positions`],
    ...weights.map(([weight, s]) => [`weight of ${shown(trace.source[s])}`, percent(weight)]),
  ]));
  place.replaceChildren(head, tables);
}

function tableOf(rows) {
  const table = document.createElement("table");
  for (const [name, value] of rows) {
    const line = table.insertRow(), first = document.createElement("th");
    first.scope = "row";
    first.textContent = name;
    line.append(first);
    line.insertCell().textContent = value;
  }
  return table;
}
