// The events of /live, over and over: what is lost is opened again, a little later each time.

const FIRST_DELAY = 500;
const LONGEST_DELAY = 5000;
// Events come every second. A server that was stopped, or a network that swallows everything, says nothing.
const SILENCE = 6000;

export class Stream {
  /** `onEvent(data)`; `onState("live" | "lost", reason)`. */
  constructor(url, onEvent, onState) {
    this.url = url;
    this.onEvent = onEvent;
    this.onState = onState;
    this.delay = FIRST_DELAY;
    this.lostAt = null;
    this.open();
  }

  open() {
    const source = new EventSource(this.url);
    const lose = () => this.lose();
    let silence = setTimeout(lose, SILENCE);
    this.close = () => {
      clearTimeout(silence);
      source.close();
    };
    source.onerror = lose;
    source.onmessage = (message) => {
      clearTimeout(silence);
      silence = setTimeout(lose, SILENCE);
      this.delay = FIRST_DELAY;
      this.lostAt = null;
      this.onState("live");
      this.onEvent(JSON.parse(message.data));
    };
  }

  async lose() {
    this.close();
    setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(this.delay * 2, LONGEST_DELAY);
    this.lostAt ??= new Date().toLocaleTimeString();
    this.onState("lost", `connection lost at ${this.lostAt}, trying again`);
    const refusal = await this.refusal();
    if (refusal) this.onState("lost", refusal);
  }

  /** An EventSource does not tell why it was refused; asking for the head alone does. */
  async refusal() {
    try {
      const { status } = await fetch(this.url, { method: "HEAD", cache: "no-store" });
      if (status === 503) return "too many are watching, trying again";
      if (status === 401 || status === 403) return "the server wants a token, reload the page";
    } catch {
      // Nobody answers: lost is the word.
    }
    return null;
  }
}
