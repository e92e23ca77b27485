// Which connection stands where: the depths that the server tells, and a place in the lot for each connection.
//
// A connection's key (its number in its thread, and the thread) is as stable as the server makes it. It gets
// the first free place of the lot and keeps it until it is closed, or until so much of the lot is free that
// the rest moves together.

export const FREE = 0;
export const ACTIVE = 1;
export const PARKED = 2;
export const FROZEN = 3;

const LETTERS = { ".": FREE, a: ACTIVE, p: PARKED, P: PARKED, f: FROZEN, F: FROZEN };
// Below this nothing is gained by moving together.
const FEW = 24;

export class Places {
  constructor() {
    this.clear();
  }

  clear() {
    this.depths = []; // by key
    this.placeOf = []; // by key
    this.keys = []; // by place; -1: free
    this.taken = 0;
    this.firstFree = 0;
    this.threads = 0;
  }

  /**
   * `texts`: by thread, as /live has them. Returns the places that changed and those whose connection has been
   * awake; `moved` if everything changed.
   */
  update(texts) {
    const moved = texts.length !== this.threads;
    if (moved) this.clear();
    this.threads = texts.length;
    const changes = { changed: [], woke: [], moved };
    texts.forEach((text, thread) => this.updateThread(text, thread, changes));
    if (this.keys.length > FEW && this.taken < this.keys.length / 2) {
      this.moveTogether();
      changes.moved = true;
      changes.woke = [];
    }
    return changes;
  }

  updateThread(text, thread, changes) {
    let key = thread;
    for (const [, times, letter] of text.matchAll(/(\d*)([.apfPF])/g)) {
      for (let i = Number(times || 1); i > 0; i -= 1) {
        this.set(key, letter, changes);
        key += this.threads;
      }
    }
    // What is not listed is free.
    for (; key < this.depths.length; key += this.threads) this.set(key, ".", changes);
  }

  set(key, letter, changes) {
    const before = this.depths[key] ?? FREE;
    const depth = LETTERS[letter];
    this.depths[key] = depth;
    const woke = Places.woke(before, letter);
    if (before === depth && !woke) return;
    if (before === FREE) this.take(key);
    const place = this.placeOf[key];
    changes.changed.push(place);
    if (woke) changes.woke.push(place);
    if (depth === FREE) this.free(key);
  }

  /** A capital's rest began since the last event. From parked to frozen it is just one that went on sleeping. */
  static woke(before, letter) {
    if (before === PARKED) return letter === "P";
    if (before === FROZEN) return letter === "F" || letter === "P";
    return before === FREE && (letter === "P" || letter === "F");
  }

  take(key) {
    while (this.firstFree < this.keys.length && this.keys[this.firstFree] >= 0) this.firstFree += 1;
    this.keys[this.firstFree] = key;
    this.placeOf[key] = this.firstFree;
    this.taken += 1;
  }

  free(key) {
    const place = this.placeOf[key];
    this.keys[place] = -1;
    this.firstFree = Math.min(this.firstFree, place);
    this.taken -= 1;
  }

  moveTogether() {
    this.keys = this.keys.filter((key) => key >= 0);
    this.keys.forEach((key, place) => (this.placeOf[key] = place));
    this.firstFree = this.keys.length;
  }

  get length() {
    return this.keys.length;
  }

  depthAt(place) {
    const key = this.keys[place] ?? -1;
    return key < 0 ? FREE : this.depths[key];
  }

  /** "thread 1, place 133". */
  nameAt(place) {
    const key = this.keys[place];
    return `thread ${key % this.threads}, place ${Math.floor(key / this.threads)}`;
  }
}
