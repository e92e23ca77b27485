// The page: every event of /live goes into the history, the lot, the graphs and the figures.

import { NONE, bytes, count, duration, rate } from "./format.js";
import { Graph } from "./graph.js";
import { History } from "./history.js";
import { Lot } from "./lot.js";
import { Stream } from "./stream.js";
import { fillTable } from "./table.js";

const by = (id) => document.getElementById(id);
const DEPTHS = ["active", "parked", "frozen"];
const CAUSES = ["readable", "handler", "body", "timer", "shutdown", "write"];

const TILES = [
  ["tasks", (s) => count(s.tasks.live)],
  ["streams open", (s) => count(s.requests.streams_open)],
  ["HTTP/2", (s) => count(s.connections.h2)],
  ["HTTP/1.1", (s) => count(s.connections.h1)],
  ["TLS", (s) => count(s.connections.tls)],
  ["frozen images", (s) => bytes(s.memory.frozen_bytes)],
  ["socket queues", (s) => bytes(s.memory.socket_kernel_bytes)],
];

const GRAPHS = [
  new Graph({
    title: "connections by depth", total: "open", format: count,
    series: [...DEPTHS].reverse().map((key) => ({ key, label: key, className: key })),
  }),
  new Graph({
    title: "requests per second", total: "requests", format: rate,
    series: [{ key: "requests", label: "requests", className: "series-0" }],
  }),
  new Graph({
    title: "wakes per second, by cause", total: "wakes", format: rate, legend: true,
    series: CAUSES.map((key, i) => ({ key, label: key, className: `series-${i}` })),
  }),
  new Graph({
    title: "resident memory", total: "rss", format: bytes, base: 1024,
    series: [{ key: "rss", label: "RSS", className: "series-0" }],
  }),
  new Graph({
    title: "memory per parked connection", total: "perParked", format: bytes, base: 1024,
    series: [{ key: "perParked", label: "bytes", className: "series-0" }],
  }),
];

const history = new History();
const lot = new Lot(by("lot"), by("hint"));
let pointedAt = null; // seconds before the end of the graphs
let stale = false; // there is an event that the hidden page has not shown

function set(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

function freezing(stats) {
  if (!stats.parking) return "parking off";
  return stats.freeze_after_s == null ? "freezes never" : `freezes after ${duration(stats.freeze_after_s)}`;
}

function showFacts(stats) {
  set(by("version"), stats.version ?? "");
  const facts = [
    location.host,
    `pid ${stats.pid}`,
    `up ${duration(stats.uptime_s)}`,
    `${count(stats.threads)} ${stats.threads === 1 ? "thread" : "threads"}`,
    freezing(stats),
  ];
  by("facts").replaceChildren(...facts.map((fact) => Object.assign(document.createElement("span"), { textContent: fact })));
}

function showConnections({ connections }) {
  set(by("open"), count(connections.open));
  set(by("open-word"), connections.open === 1 ? "connection" : "connections");
  for (const depth of DEPTHS) {
    set(by(depth), count(connections[depth]));
    const share = connections.open ? (connections[depth] ?? 0) / connections.open : 0;
    document.querySelector(`.bar .${depth}`).style.width = `${share * 100}%`;
  }
  by("empty").hidden = connections.open !== 0;
  const words = DEPTHS.map((depth) => `${count(connections[depth])} ${depth}`).join(", ");
  by("lot").setAttribute("aria-label", `The parking lot: ${count(connections.open)} connections, ${words}`);
  set(document.querySelector("title"), `${count(connections.open)} · h2park`);
}

function showTiles(stats) {
  const tiles = by("tiles");
  if (!tiles.children.length) {
    for (const [name] of TILES) {
      const tile = document.createElement("div");
      tile.append(Object.assign(document.createElement("dt"), { textContent: name }), document.createElement("dd"));
      tiles.append(tile);
    }
  }
  TILES.forEach(([, value], i) => set(tiles.children[i].lastChild, value(stats) ?? NONE));
}

function showGraphs() {
  const at = pointedAt === null ? null : history.at(history.end - pointedAt);
  for (const graph of GRAPHS) graph.render(history, at);
  const [from, to] = by("axis").children;
  set(from, `${history.span / 60} min ago`);
  set(to, at ? `shown: ${duration(history.end - at.time)} ago` : "now");
}

function show() {
  const stats = history.latest;
  stale = document.hidden;
  if (!stats || stale) return;
  showFacts(stats);
  showConnections(stats);
  showTiles(stats);
  showGraphs();
  if (by("all").open) fillTable(by("table"), stats);
}

function pointAt(event) {
  const plot = event.target.closest("svg");
  if (!plot) return;
  const { left, width } = plot.getBoundingClientRect();
  pointedAt = (1 - (event.clientX - left) / width) * history.span;
  showGraphs();
}

const graphs = by("graphs");
graphs.append(...GRAPHS.map((graph) => graph.root));
const axis = Object.assign(document.createElement("p"), { id: "axis", className: "axis" });
axis.append(document.createElement("span"), document.createElement("span"));
graphs.append(axis);
graphs.addEventListener("pointermove", pointAt);
graphs.addEventListener("pointerleave", () => {
  pointedAt = null;
  showGraphs();
});
by("all").addEventListener("toggle", show);
document.addEventListener("visibilitychange", () => stale && show());

new Stream(
  "/live",
  ({ stats, depths, left_out: leftOut }) => {
    history.add(stats);
    if (depths.length) lot.update(depths, leftOut); // a server that shuts down says no more of them
    show();
  },
  (state, reason) => {
    document.body.dataset.state = state;
    set(by("status"), state === "live" ? "live" : reason);
  },
);
