// A graph over the last minutes: a title, a figure, a plot; several series are stacked.

import { duration, roundUp } from "./format.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 1000; // the plot's own units; the page stretches them
const HEIGHT = 100;

function element(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function drawing(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export class Graph {
  /**
   * `series`: [{ key, label, className }], `total`: the key of the figure beside the title, `format`: how it is
   * written, `base`: 10 or 1024.
   */
  constructor({ title, series, total, format, base = 10, legend = false }) {
    Object.assign(this, { title, series, total, format, base, legend });
    this.figure = element("b");
    this.top = element("span", { className: "top" });
    this.svg = drawing("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    this.svg.append(drawing("line", { x1: 0, x2: WIDTH, y1: 0, y2: 0 }));
    this.paths = series.map(({ className }) => this.makePaths(className));
    this.marker = drawing("line", { y1: 0, y2: HEIGHT, class: "at", visibility: "hidden" });
    this.svg.append(this.marker);
    this.keys = new Map();
    this.root = element("figure", {}, [
      element("figcaption", {}, [element("h3", { textContent: title }), this.figure]),
      ...(legend ? [this.makeLegend()] : []),
      element("div", { className: "plot" }, [this.svg, this.top]),
    ]);
  }

  makePaths(className) {
    const stacked = this.series.length > 1;
    const area = drawing("path", { class: `${className} ${stacked ? "area" : "under"}` });
    const line = stacked ? null : drawing("path", { class: className });
    this.svg.append(area, ...(line ? [line] : []));
    return { area, line };
  }

  makeLegend() {
    const items = this.series.map(({ key, label, className }) => {
      const value = element("b");
      this.keys.set(key, value);
      return element("li", { className }, [`${label} `, value]);
    });
    return element("ul", { className: "legend" }, items);
  }

  /** `at`: the point whose figures are shown; null: the last one. */
  render(history, at) {
    const { points, span, end } = history;
    const shown = at ?? points.at(-1);
    const highest = Math.max(0, ...points.map((point) => this.sum(point, this.series.length)));
    const top = roundUp(Math.max(1, highest), this.base);
    const x = (point) => (1 - (end - point.time) / span) * WIDTH;
    const y = (value) => HEIGHT * (1 - value / top);
    this.series.forEach((_, index) => this.trace(index, history, x, y));
    this.top.textContent = highest > 0 ? this.format(top) : "";
    this.figure.textContent = this.format(shown?.[this.total]);
    for (const [key, value] of this.keys) value.textContent = this.format(shown?.[key]);
    this.marker.setAttribute("visibility", at ? "visible" : "hidden");
    if (at) {
      this.marker.setAttribute("x1", x(at));
      this.marker.setAttribute("x2", x(at));
    }
    this.svg.setAttribute("aria-label", `${this.title}: ${this.figure.textContent}, over ${duration(span)}`);
  }

  /** Of the first series; null if the point does not have the figure. */
  sum(point, series) {
    let total = 0;
    for (let i = 0; i < series; i += 1) total += point[this.series[i].key] ?? 0;
    return total;
  }

  trace(index, { points, span }, x, y) {
    const { area, line } = this.paths[index];
    const upper = [];
    const pieces = [];
    let piece = null;
    let before = null;
    for (const point of points) {
      const known = point[this.series[index].key] != null;
      // A gap is not bridged: nothing is known of it.
      if (!known || !before || point.time - before.time > Math.max(5, span / 60)) piece = null;
      if (known) {
        if (!piece) pieces.push((piece = []));
        piece.push(point);
      }
      before = point;
    }
    let under = "";
    for (const run of pieces) {
      const high = run.map((point) => `${x(point).toFixed(1)} ${y(this.sum(point, index + 1)).toFixed(2)}`);
      const low = run.map((point) => `${x(point).toFixed(1)} ${y(this.sum(point, index)).toFixed(2)}`).reverse();
      upper.push(`M${high.join("L")}`);
      under += `M${high.join("L")}L${low.join("L")}Z`;
    }
    area.setAttribute("d", under);
    line?.setAttribute("d", upper.join(""));
  }
}
