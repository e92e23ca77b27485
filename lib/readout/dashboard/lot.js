// The parking lot: a canvas with a square for each connection. The deeper one sleeps, the smaller it is.
//
// 1. The squares are as large as fits; the lot grows in steps, so that they seldom change their size.
// 2. An event redraws the places that changed. A frame of the animation redraws those that light up.

import { count } from "./format.js";
import { ACTIVE, FREE, Places } from "./places.js";

const LARGEST = 30; // CSS pixels from one square to the next
const GLOW = 1400; // milliseconds that a connection stays lit after it woke
const NAMES = ["free", "active", "parked", "frozen"];
const SIZES = [0.36, 1, 1, 0.72]; // by depth: free and frozen ones are smaller, where they have pixels enough
const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

export class Lot {
  constructor(canvas, hint) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.hint = hint;
    this.usual = hint.textContent;
    this.resting = this.usual;
    this.places = new Places();
    this.lit = new Map(); // place -> when it woke
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    new ResizeObserver(() => this.resize()).observe(canvas);
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => (this.hint.textContent = this.resting));
    this.restyle();
  }

  /** The depths of an event of /live, and how many connections it does not list. */
  update(texts, leftOut) {
    this.rest(leftOut > 0 ? `${count(leftOut)} more connections are not drawn.` : this.usual);
    const { changed, woke, moved } = this.places.update(texts);
    const now = performance.now();
    if (moved) this.lit.clear();
    for (const place of woke) this.lit.set(place, now);
    if (this.still.matches) {
      // Lit until the next event, without fading.
      for (const [place, since] of this.lit) {
        if (since === now) continue;
        this.lit.delete(place);
        changed.push(place);
      }
    }
    if (this.arrange() || moved) this.drawAll(now);
    else for (const place of changed) this.draw(place, now);
    this.animate();
  }

  /** What the line below says while nobody points at a square. */
  rest(text) {
    if (this.hint.textContent === this.resting) this.hint.textContent = text;
    this.resting = text;
  }

  restyle() {
    const style = getComputedStyle(document.documentElement);
    this.colours = ["--free", "--active", "--parked", "--frozen"].map((name) => style.getPropertyValue(name).trim());
    this.drawAll(performance.now());
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    this.canvas.width = Math.round(width * devicePixelRatio);
    this.canvas.height = Math.round(height * devicePixelRatio);
    this.pitch = 0;
    this.arrange();
    this.drawAll(performance.now());
  }

  /** How many places the lot is laid out for: one of few numbers, so that it does not change with each guest. */
  static capacity(length) {
    const power = 10 ** Math.floor(Math.log10(Math.max(length, 1)));
    return power * STEPS.find((step) => step * power >= length);
  }

  /** Chooses the size of the squares; true if it is another one. */
  arrange() {
    const { width, height } = this.canvas;
    const room = Lot.capacity(this.places.length);
    let pitch = Math.floor(LARGEST * devicePixelRatio);
    while (pitch > 1 && Math.floor(width / pitch) * Math.floor(height / pitch) < room) pitch -= 1;
    if (pitch === this.pitch) return false;
    this.pitch = pitch;
    this.columns = Math.max(1, Math.floor(width / pitch));
    this.rows = Math.max(1, Math.floor(height / pitch));
    this.full = pitch - (pitch >= 16 ? Math.round(pitch / 7) : pitch >= 4 ? 1 : 0);
    // Large squares end where the card's text does; with small ones a pixel more here and there would be seen.
    this.stride = pitch >= 12 && this.columns > 1 ? (width - this.full) / (this.columns - 1) : pitch;
    return true;
  }

  drawAll(now) {
    if (!this.pitch) return;
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    for (let place = 0; place < this.columns * this.rows; place += 1) this.draw(place, now, true);
  }

  draw(place, now, clean = false) {
    if (place >= this.columns * this.rows) return;
    const depth = this.places.depthAt(place);
    const x = Math.round((place % this.columns) * this.stride);
    const y = Math.floor(place / this.columns) * this.pitch;
    if (!clean) this.context.clearRect(x, y, this.full, this.full);
    this.square(x, y, depth);
    const lit = this.lit.get(place);
    if (lit === undefined || depth === FREE || depth === ACTIVE) return;
    const left = this.still.matches ? 1 : 1 - (now - lit) / GLOW;
    if (left > 0) this.square(x, y, ACTIVE, Math.min(1, 1.8 * left));
    else this.lit.delete(place);
  }

  /** `share`: of the full size; a light that goes out becomes smaller. */
  square(x, y, depth, share = SIZES[depth]) {
    const { context, full } = this;
    const inset = full < 9 ? 0 : Math.round((full * (1 - share)) / 2);
    const size = full - 2 * inset;
    context.fillStyle = this.colours[depth];
    if (size >= 7) {
      context.beginPath();
      context.roundRect(x + inset, y + inset, size, size, size / 4.5);
      context.fill();
    } else {
      context.fillRect(x + inset, y + inset, size, size);
    }
  }

  animate() {
    if (this.frame || this.still.matches || this.lit.size === 0) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      for (const place of this.lit.keys()) this.draw(place, now);
      this.animate();
    });
  }

  point(event) {
    const column = Math.floor((event.offsetX * devicePixelRatio) / this.stride);
    const place = Math.floor((event.offsetY * devicePixelRatio) / this.pitch) * this.columns + column;
    const depth = column < this.columns ? this.places.depthAt(place) : FREE;
    this.hint.textContent = depth === FREE ? this.resting : `${this.places.nameAt(place)}: ${NAMES[depth]}`;
  }
}
