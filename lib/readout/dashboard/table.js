// Every figure of /stats.json as text, group by group.

import { NONE, bytes, count } from "./format.js";

function text(name, value) {
  if (value == null) return NONE;
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value !== "number") return String(value);
  if (name.startsWith("bytes") || name.endsWith("bytes")) return bytes(value);
  if (name === "pid") return String(value);
  return Number.isInteger(value) ? count(value) : value.toFixed(3);
}

/** [name, text] of everything in the group; what is inside of something has both names. */
function rows(group, prefix = "") {
  return Object.entries(group).flatMap(([name, value]) =>
    value !== null && typeof value === "object" ? rows(value, `${prefix}${name} `) : [[prefix + name, text(name, value)]]);
}

function table(title, group) {
  const made = document.createElement("table");
  made.createCaption().textContent = title;
  for (const [name, value] of rows(group)) {
    const row = made.insertRow();
    const head = Object.assign(document.createElement("th"), { scope: "row", textContent: name.replaceAll("_", " ") });
    row.append(head);
    row.insertCell().textContent = value;
  }
  return made;
}

export function fillTable(target, stats) {
  const groups = Object.entries(stats).filter(([, value]) => value !== null && typeof value === "object");
  const top = Object.fromEntries(Object.entries(stats).filter(([, value]) => value === null || typeof value !== "object"));
  target.replaceChildren(table("server", top), ...groups.map(([name, group]) => table(name.replaceAll("_", " "), group)));
}
