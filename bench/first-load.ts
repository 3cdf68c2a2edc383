import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../test/browser/chromium.ts';
import { openConsole } from '../test/browser/console.ts';
import { newContext } from '../test/browser/view.ts';

/**
 * Loads pages of the dashboard with an empty cache, a slowed network and a slowed processor: the time to the heading and
 * to the last reply, requests and bytes; medians. Run `npm run build:dashboard` first. The gateway runs on the same
 * machine and is not slowed.
 */
const processorSlowdown = 4;
const loadsPerPage = 5;
/** Replies that the page requests after its heading arrive within this time. */
const settleMs = 2000;
const paths = ['/app/sign-in', '/app/overview', '/app/operator/overview'];
/** The preset of the browser's developer tools, and that of Lighthouse. */
const networks = [
  { name: 'fast 4G (8.1 Mbit/s, 165 ms)', latency: 165, bitsPerSecond: 8.1e6 },
  { name: 'slow 4G (1.6 Mbit/s, 150 ms)', latency: 150, bitsPerSecond: 1.6e6 },
];
type Network = (typeof networks)[number];

/** Runs in the page, because a wait of the driver would compete with the page for the slowed processor. */
const headingClock = `new MutationObserver((changes, observer) => {
  if (!document.querySelector('h1')?.textContent) return;
  observer.disconnect();
  requestAnimationFrame(() => window.reportHeading(performance.now()));
}).observe(document, { childList: true, subtree: true, characterData: true })`;

interface Load {
  readonly headingMs: number;
  readonly lastReplyMs: number;
  readonly requests: number;
  readonly kibibytes: number;
}

const browser = await launchChromium();
const dashboard = await openConsole(browser);
const origin = new URL(dashboard.page.url()).origin;
const cookies = await dashboard.context.cookies();
// An open page would go on reading.
await dashboard.page.goto('about:blank');
for (const network of networks) {
  for (const path of paths) {
    const loads: Load[] = [];
    for (let count = 0; count < loadsPerPage; count += 1) loads.push(await load(browser, path, network));
    console.log(`${network.name} · ${path} · ${lineOf(loads)}`);
  }
}
await dashboard.close();
await browser.close();

async function load(browser: Browser, path: string, network: Network): Promise<Load> {
  const context = await newContext(browser, {});
  if (path !== '/app/sign-in') await context.addCookies(cookies);
  const page = await context.newPage();
  await slowDown(context, page, network);
  const heading = Promise.withResolvers<number>();
  await page.exposeFunction('reportHeading', heading.resolve);
  await page.addInitScript(headingClock);
  const start = performance.now();
  const replies: { readonly afterMs: number; readonly bytes: number }[] = [];
  page.on('requestfinished', async (request) => {
    const afterMs = performance.now() - start;
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    replies.push({ afterMs, bytes: responseBodySize + responseHeadersSize });
  });
  await page.goto(origin + path, { waitUntil: 'commit' });
  const headingMs = await heading.promise;
  await page.waitForTimeout(settleMs);
  await context.close();
  return {
    headingMs,
    lastReplyMs: Math.max(...replies.map(({ afterMs }) => afterMs)),
    requests: replies.length,
    kibibytes: replies.reduce((sum, { bytes }) => sum + bytes, 0) / 1024,
  };
}

async function slowDown(context: BrowserContext, page: Page, { latency, bitsPerSecond }: Network): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: bitsPerSecond / 8,
    uploadThroughput: bitsPerSecond / 8,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown });
}

function lineOf(loads: readonly Load[]): string {
  const median = (figure: keyof Load) => {
    const sorted = loads.map((each) => each[figure]).sort((one, other) => one - other);
    return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  };
  return [
    `heading ${median('headingMs')} ms`,
    `last reply ${median('lastReplyMs')} ms`,
    `${median('requests')} requests`,
    `${median('kibibytes')} KiB`,
  ].join(' · ');
}
