// Asks the server for traces, and shows one or two of them.

const EXAMPLES = {
  en: ["I was amazed at his courage.", "Tom hasn't finished all his homework yet.",
       "The weather was so bad that we could not go out."],
  de: ["Am Anfang schuf Gott den Himmel und die Erde.",
       "Ich habe meinen Bruder lange nicht gesehen.",
       "Und er sprach zu ihnen: Fürchtet euch nicht!"],
};
const STOPS = [0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.55, 0.75, 1, 1.2, 1.5, 2, 3, 4, 6, 8, 12];
const KEPT = 300;  // traces, so that a slider that moves back need not ask again
const PATIENCE = 450;  // milliseconds without a key until a sentence is translated
const UNKNOWN = "<unk>", NO_PIECES = ["</s>", "▁"];

const byId = id => document.getElementById(id);
const field = byId("q"), traces = new Map(), panels = [];

async function ask(body) {
  const began = performance.now();
  let response;
  try {
    response = await fetch("/trace", {method: "POST", body,
                                      headers: {"Content-Type": "application/json"}});
  } catch {
    throw Error("The server does not answer. Is it still running?");
  }
  const answer = await response.json().catch(() => ({error: `status ${response.status}`}));
  if (!response.ok) throw Error(answer.error);
  return {...answer, milliseconds: performance.now() - began};
}

function traceOf(q, run, threshold) {
  const body = JSON.stringify({q, run, threshold});
  if (!traces.has(body)) {
    const answer = ask(body);
    answer.catch(() => traces.delete(body));
    traces.set(body, answer);
    if (traces.size > KEPT) traces.delete(traces.keys().next().value);
  }
  return traces.get(body);
}

// Whether at least half of the pieces are unknown; an end and a space alone are none.
function mostlyUnknown(tokens) {
  const pieces = tokens.filter(token => !NO_PIECES.includes(token));
  return pieces.length > 0 && 2 * pieces.filter(token => token === UNKNOWN).length >= pieces.length;
}

// Why a translation is not to be trusted, if it is not.
function doubt(trace, source) {
  if (mostlyUnknown(trace.source)) {
    return `The translator does not know most of this sentence. It was trained on ${source.name} ` +
      "sentences, and guesses at what it has not seen.";
  }
  return mostlyUnknown(trace.steps.map(step => step.token))
    ? "Most of this translation is <unk>: the translator has no words for it." : "";
}

// One run at one threshold.
class Panel {
  constructor(run, everything) {
    const copy = byId("panel").content.cloneNode(true);
    this.place = copy.querySelector("article");
    this.find = selector => this.place.querySelector(selector);
    this.slider = this.find("input");
    this.choose(run, everything);
    this.slider.addEventListener("input", () => { this.sayThreshold(); update(); });
    this.find("select").addEventListener("change", event => {
      this.choose(Number(event.target.value));
      arrange();
    });
    byId("panels").append(copy);
  }

  choose(run, everything = false) {
    const about = runs[run], own = Number(about.threshold);  // NaN where it is ∞ or none
    this.run = run;
    const stops = new Set(own > 0 ? [...STOPS, own] : STOPS);
    this.stops = [...stops].sort((a, b) => a - b).concat("inf");
    this.slider.max = this.stops.length - 1;
    const start = everything || !about.threshold ? "inf" : own || 1.2;
    this.slider.value = this.stops.indexOf(start);
    this.find(".threshold").hidden = !about.threshold;
    this.sayThreshold();
  }

  get about() { return runs[this.run]; }
  get threshold() { return this.stops[this.slider.value]; }

  sayThreshold() {
    const text = this.threshold === "inf" ? "∞" : String(+this.threshold.toPrecision(3));
    this.find(".threshold b").textContent = text;
    this.slider.setAttribute("aria-valuetext", text === "∞" ? "infinity" : text);
  }

  offer(numbers) {
    const {source, target, attention, validation} = this.about;
    const options = numbers.map(n => new Option(runs[n].name, n, false, n === this.run));
    this.find("select").replaceChildren(...options);
    this.find("select").disabled = numbers.length < 2;
    this.find(".translation").lang = target.code;
    this.find(".about").textContent = `${source.name} to ${target.name} · ${attention}` +
      (validation ? ` · ${validation}` : "");
  }

  // other: the text to compare with, if there is one. same, different: what to say of the two.
  show(trace, other, same, different) {
    const text = trace.translation;
    writeMarked(this.find(".translation"), text, other ?? text, this.about.target.code);
    const compared = text === other ? same : different;
    this.find(".difference").textContent = other === undefined ? "" : compared;
    this.find(".doubt").textContent = doubt(trace, this.about.source);
    this.showNumbers(trace);
    this.find(".drawing").hidden = false;
    const svg = this.find("svg"), had = svg.contains(document.activeElement);
    svg.replaceChildren();
    this.room = this.find("figure").clientWidth;
    drawSpans(svg, trace, t => describeStep(this.find(".step"), trace, t), this.room);
    if (had) svg.querySelector(".chosen").focus();
  }

  clear() {
    for (const part of [".translation", ".difference", ".doubt", ".numbers", "svg", ".step"]) {
      this.find(part).replaceChildren();
    }
    this.find(".drawing").hidden = true;
    this.room = 0;
  }

  showNumbers(trace) {
    const window = scored(trace), positions = trace.source.length;
    const logs = trace.steps.map(step => Math.log(Math.max(step.probability, 1e-4)));
    const numbers = [
      ["of the source looked at", percent(window / positions)],
      ["positions a word", `${window.toFixed(1)} of ${positions}`],
      ["mean probability of a word", percent(Math.exp(sum(logs) / logs.length))],
      ["until the answer came", `${Math.round(trace.milliseconds)} ms`],
    ];
    this.find(".numbers").replaceChildren(...numbers.map(([name, value]) => {
      const pair = document.createElement("div");
      const term = document.createElement("dt"), said = document.createElement("dd");
      term.textContent = name;
      said.textContent = value;
      pair.append(term, said);
      return pair;
    }));
  }
}

// Who is compared with what: the two panels with each other, one with itself at τ = ∞.
async function showAll(q) {
  const found = await Promise.all(panels.map(({run, threshold}) => traceOf(q, run, threshold)));
  // Text that is laid out before its font is there may stay without it.
  await document.fonts.load("1em Letters", JSON.stringify(found)).catch(() => {});
  const [first] = panels;
  if (panels.length === 2) {
    const same = first.about.target.code === panels[1].about.target.code;
    const others = same ? [found[1].translation, found[0].translation] : [];
    panels.forEach((panel, i) => panel.show(found[i], others[i], "The same words on both sides.",
                                            "Words that one side alone has are underlined."));
  } else if (first.about.threshold && first.threshold !== "inf") {
    const whole = await traceOf(q, first.run, "inf");
    first.show(found[0], whole.translation, "The same words as at τ = ∞.",
               `At τ = ∞ it writes: ${whole.translation}`);
  } else {
    first.show(found[0]);
  }
}

let busy = false, again = false;

// One question at a time; what changes meanwhile is asked next.
async function update() {
  again = true;
  if (busy) return;
  busy = true;
  while (again) {
    again = false;
    const q = field.value.trim(), late = setTimeout(() => mark("busy", true), 200);
    try {
      if (q) await showAll(q);
      else panels.forEach(panel => panel.clear());
      byId("problem").textContent = "";
    } catch (error) {
      byId("problem").textContent = error.message;
    }
    clearTimeout(late);
    mark("busy", false);
  }
  busy = false;
}

function mark(name, on) {
  panels.forEach(panel => panel.place.classList.toggle(name, on));
}

const alike = run => [...runs.keys()].filter(n => runs[n].source.code === runs[run].source.code);

// As many panels as are wanted, each with the runs that it may show; then what they show.
function arrange() {
  const [first] = panels, wanted = byId("compare").checked ? 2 : 1;
  const others = alike(first.run), {source} = first.about;
  while (panels.length > wanted) panels.pop().place.remove();
  if (panels.length < wanted) {
    const other = others.find(n => n !== first.run);
    panels.push(new Panel(other ?? first.run, other === undefined));
  }
  if (panels[1] && !others.includes(panels[1].run)) panels[1].choose(first.run, true);
  first.offer([...runs.keys()]);
  panels[1]?.offer(others);
  byId("language").textContent = `${source.name} sentence`;
  field.lang = source.code;
  offerExamples(source.code);
  update();
}

let offered;

function offerExamples(language) {
  if (offered === language) return;
  offered = language;
  const sentences = EXAMPLES[language] ?? [];
  byId("examples").replaceChildren(...sentences.map(sentence => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sentence;
    button.onclick = () => { field.value = sentence; update(); };
    return button;
  }));
  field.value = sentences[0] ?? "";
}

let typing;
field.maxLength = longest;
field.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(update, PATIENCE);
});
field.addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId("ask").requestSubmit();
});
byId("ask").addEventListener("submit", event => {
  event.preventDefault();
  clearTimeout(typing);
  update();
});
byId("compare").addEventListener("change", arrange);
new ResizeObserver(() => {
  if (panels.some(panel => panel.room && panel.room !== panel.find("figure").clientWidth)) update();
}).observe(byId("panels"));

panels.push(new Panel(0));
byId("compare").checked = alike(0).length > 1;
arrange();
