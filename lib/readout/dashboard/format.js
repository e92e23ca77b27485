// Numbers as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const NONE = "–";

export function count(value) {
  return value == null ? NONE : whole.format(value);
}

/** Per second: a decimal where it says something. */
export function rate(value) {
  if (value == null) return NONE;
  return (value < 100 ? tenths : whole).format(value);
}

export function bytes(value) {
  if (value == null) return NONE;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < 4) {
    value /= 1024;
    unit += 1;
  }
  return `${(unit > 0 && value < 100 ? tenths : whole).format(value)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`;
}

/** The two largest units: "3m 12s". */
export function duration(seconds) {
  if (seconds == null) return NONE;
  if (seconds > 0 && seconds < 1) return `${Math.round(seconds * 1000)}ms`;
  const parts = [];
  let left = Math.floor(seconds);
  for (const [unit, size] of [["d", 86400], ["h", 3600], ["m", 60], ["s", 1]]) {
    if (left >= size || (unit === "s" && parts.length === 0)) parts.push(`${Math.floor(left / size)}${unit}`);
    left %= size;
  }
  return parts.slice(0, 2).join(" ");
}

/** The least 1, 2, 2.5 or 5 times a power of the base that is not below `value`: scales that seldom change. */
export function roundUp(value, base) {
  const unit = base === 1024 && value >= 1024 ? 1024 ** Math.floor(Math.log(value) / Math.log(1024)) : 1;
  const power = 10 ** Math.floor(Math.log10(value / unit));
  for (const step of [1, 2, 2.5, 5, 10]) {
    if (step * power * unit >= value) return step * power * unit;
  }
  return value;
}
