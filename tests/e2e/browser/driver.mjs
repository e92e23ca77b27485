// Drives Chromium for harness/browser.py: a command per line on standard input, its answer per line on standard output.
// driver.mjs MODULES CHROMIUM

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });

let page = null;
let complaints = [];

const commands = {
  /** A page of its own: `options` are those of Playwright's newContext(). */
  async open({ url, options }) {
    await page?.context().close();
    complaints = [];
    page = await (await browser.newContext(options)).newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    const response = await page.goto(url);
    return response.status();
  },
  reload: () => page.reload().then(() => null),
  evaluate: ({ code }) => page.evaluate(code),
  /** Until the expression is true in the page; its value. */
  async wait({ code, timeout }) {
    // Not waitForFunction(): it polls with eval() inside the page, which the page's policy forbids.
    for (const end = Date.now() + timeout; Date.now() < end; await sleep(50)) {
      const value = await page.evaluate(code);
      if (value) return value;
    }
    throw new Error(`not within ${timeout} ms: ${code}`);
  },
  screenshot: ({ path, full }) => page.screenshot({ path, fullPage: full }).then(() => null),
  hover: ({ selector, position }) => page.hover(selector, { position }).then(() => null),
  click: ({ selector }) => page.click(selector).then(() => null),
  /** What the page's console complained of: errors, warnings, violations of its policy. */
  complaints: () => complaints,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { name, ...given } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[name](given)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
