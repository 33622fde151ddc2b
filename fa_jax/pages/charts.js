// Small line charts: points over a number, with axes that begin and end at round numbers.

const chart = {width: 420, height: 210, left: 52, right: 20, top: 24, bottom: 34};

function roundSteps(low, high, wanted) {
  const rough = (high - low || Math.abs(high) || 1) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(times => times * power >= rough * 0.999);
  const first = Math.floor(low / step), last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  return Array.from({length: last - first + 1}, (_, i) => (first + i) * step);
}

const brief = number => Math.abs(number) >= 1e4 || (number && Math.abs(number) < 1e-3)
  ? number.toExponential(1).replace("e+", "e") : String(+number.toPrecision(4));

// Where a point's name begins and its baseline, so that it is on the plot and not on the line; above
// on the right if there is no such place. point, line: in pixels.
function placeOfName(name, [x, y], line) {
  const wide = widthOf([name]), letter = {above: 11, below: 3};
  const onLine = line.slice(1).flatMap(([x1, y1], i) => Array.from({length: 101}, (_, step) => {
    const [x0, y0] = line[i], share = step / 100;
    return [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
  }));
  const places = [x + 8, x - 8 - wide].flatMap(begin => [-8, 4, 17, -20].map(down => [begin, y + down]));
  const isFree = ([begin, base]) =>
    begin >= chart.left && begin + wide <= chart.width &&
    base - letter.above >= 0 && base <= chart.height - chart.bottom + 4 &&  // above the axis's numbers
    !onLine.some(([across, up]) => across >= begin && across <= begin + wide &&
                                   up >= base - letter.above && up <= base + letter.below);
  return places.find(isFree) ?? places[0];
}

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
  const line = points.map(point => [x(point[0]), y(point[1])]);
  const places = line.map(place => place.map(number => number.toFixed(1)).join(","));
  draw(svg, "polyline", {points: places.join(" ")});
  for (const [valueX, valueY, name] of dots ? points : []) {
    const dot = draw(svg, "circle", {cx: x(valueX), cy: y(valueY), r: 4});
    draw(dot, "title", {}, `${name ?? brief(valueX)}: ${brief(valueY)}`);
    if (!name) continue;
    const [begin, base] = placeOfName(name, [x(valueX), y(valueY)], line);
    draw(svg, "text", {class: "name", x: begin, y: base}, name);
  }
  return figure;
}
