// What the graphs show: a point for each event, kept for some minutes.

export const SPAN = 300; // seconds

export class History {
  constructor() {
    this.points = [];
    this.latest = null;
  }

  /** Returns the new point. Another run of the server starts over. */
  add(stats) {
    const before = this.latest;
    const again = before && before.pid === stats.pid && stats.uptime_s > before.uptime_s;
    if (before && before.pid === stats.pid && stats.uptime_s === before.uptime_s) return this.points.at(-1);
    if (!again) this.points = [];
    this.latest = stats;
    const point = History.point(stats, again ? before : null);
    this.points.push(point);
    while (this.points[0].time < point.time - SPAN - 5) this.points.shift();
    return point;
  }

  static point(stats, before) {
    const { connections, memory, parking_events: parking, requests } = stats;
    const seconds = before ? stats.uptime_s - before.uptime_s : null;
    const perSecond = (now, then) => (seconds && now != null && then != null ? Math.max(0, now - then) / seconds : null);
    const wakes = {};
    for (const [cause, n] of Object.entries(parking.wakes_by ?? {})) {
      wakes[cause] = perSecond(n, before?.parking_events.wakes_by?.[cause]);
    }
    return {
      time: stats.uptime_s,
      active: connections.active,
      parked: connections.parked,
      frozen: connections.frozen,
      open: connections.open,
      rss: memory.rss_bytes,
      perParked: memory.bytes_per_parked_connection,
      requests: perSecond(requests.total, before?.requests.total),
      wakes: perSecond(parking.wakes, before?.parking_events.wakes),
      ...wakes,
    };
  }

  /** How many seconds the graphs reach back: whole minutes. */
  get span() {
    const age = this.points.length ? this.points.at(-1).time - this.points[0].time : 0;
    return Math.min(SPAN, Math.max(60, Math.ceil(age / 60) * 60));
  }

  get end() {
    return this.points.length ? this.points.at(-1).time : 0;
  }

  /** The point nearest to a time. */
  at(time) {
    let best = null;
    for (const point of this.points) {
      if (!best || Math.abs(point.time - time) < Math.abs(best.time - time)) best = point;
    }
    return best;
  }
}
