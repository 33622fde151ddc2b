// Small line charts: points over a number, with axes that begin and end at round numbers.

const chart = {width: 420, height: 200, left: 52, right: 20, top: 12, bottom: 34};

function roundSteps(low, high, wanted) {
  const rough = (high - low || Math.abs(high) || 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(times => times * power >= rough * 0.999);
  const first = Math.floor(low / step), last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  return Array.from({length: last - first + 1}, (_, i) => (first + i) * step);
}

const brief = number => Math.abs(number) >= 1e4 || (number && Math.abs(number) < 1e-3)
  ? number.toExponential(1).replace("e+", "e") : String(+number.toPrecision(4));

// about: title; across and up, what the axes say; points [x, y, name]; dots, whether each is drawn.
function lineChart({title, across, points, dots = false, fromZero = true}) {
  const figure = document.createElement("figure"), caption = document.createElement("figcaption");
  figure.className = "chart";
  caption.textContent = title;
  figure.append(caption);
  const {width, height, left, right, top, bottom} = chart;
  const svg = draw(figure, "svg", {viewBox: `0 0 ${width} ${height}`, role: "img",
                                   "aria-label": title});
  const xs = points.map(point => point[0]), ys = points.map(point => point[1]);
  const [lowX, highX, lowY, highY] = [Math.min(...xs), Math.max(...xs), Math.min(...ys),
                                      Math.max(...ys)];
  const ticksX = roundSteps(fromZero ? Math.min(0, lowX) : lowX, highX, 5);
  const ticksY = roundSteps(fromZero ? Math.min(0, lowY) : lowY, highY, 4);
  const scale = (ticks, from, to) => value =>
    from + (value - ticks[0]) / (ticks.at(-1) - ticks[0]) * (to - from);
  const x = scale(ticksX, left, width - right), y = scale(ticksY, height - bottom, top);
  for (const value of ticksY) {
    draw(svg, "line", {class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value)});
    draw(svg, "text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, brief(value));
  }
  for (const value of ticksX) {
    draw(svg, "text", {x: x(value), y: height - bottom + 15, "text-anchor": "middle"},
         brief(value));
  }
  draw(svg, "text", {x: width - right, y: height - 3, "text-anchor": "end"}, across);
  const places = points.map(point => `${x(point[0]).toFixed(1)},${y(point[1]).toFixed(1)}`);
  draw(svg, "polyline", {points: places.join(" ")});
  for (const [valueX, valueY, name] of dots ? points : []) {
    const dot = draw(svg, "circle", {cx: x(valueX), cy: y(valueY), r: 4});
    draw(dot, "title", {}, `${name ?? brief(valueX)}: ${brief(valueY)}`);
    const end = x(valueX) > width * 0.7;
    if (name) draw(svg, "text", {class: "name", x: x(valueX) + (end ? -8 : 8), y: y(valueY) - 8,
                                 "text-anchor": end ? "end" : "start"}, name);
  }
  return figure;
}
