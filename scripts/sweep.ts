import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../test/browser/chromium.ts';
import { call, type Console, openConsole } from '../test/browser/console.ts';
import { applyLook, newContext } from '../test/browser/view.ts';
import type { ConfigChange } from '../test/gateways/gateway.ts';
import { makeKey } from '../test/keys.ts';
import { chineseFonts } from './sweep-font.ts';

/**
 * Takes pictures of every page of the dashboard: wide and narrow, light and dark, in English and Chinese. The pages show
 * a real gateway with a few rows. The run fails if a page logs an error, or is wider than the screen.
 */
const { values } = parseArgs({
  options: {
    pictures: { type: 'string', default: 'pictures' },
    /** A pattern of page names, such as `operator-.*`. */
    only: { type: 'string', default: '' },
  },
});

const looks = (['wide', 'narrow'] as const).flatMap((screen) =>
  (['light', 'dark'] as const).map((scheme) => ({ screen, scheme })),
);

/** Parts of a gateway that exist only if the configuration file names them. No server listens at these addresses. */
const everyPart: ConfigChange = (base) => ({
  ...base,
  packages: [{ name: 'standard', models: ['*'] }],
  mail: { host: '127.0.0.1', port: 9, from: 'gateway@example.com', url: 'https://gateway.example.com' },
  stored_bodies: {},
  batches: {},
  payments: { stripe: { secret_key: 'sk_sweep', webhook_secret: 'whsec_sweep', base_url: 'http://127.0.0.1:9' } },
});

const fonts = await chineseFonts();
const browser = await launchChromium({ fonts });
const console_ = await openConsole(browser, { change: everyPart });
const ids = await furnish(console_);
const cookies = await console_.context.cookies();
const wanted = new RegExp(`^(?:${values.only})`);
const pages = (await paths()).filter((path) => wanted.test(nameOf(path)));
await mkdir(values.pictures, { recursive: true });
let faults = 0;
for (const language of ['en', 'zh'] as const) {
  const context = await newContext(browser, { language });
  for (const path of pages) await show(context, path, language);
  await context.close();
}
await console_.close();
await browser.close();
await rm(fonts, { recursive: true });
console.log(`${pages.length * 2 * looks.length} pictures in ${values.pictures}, ${faults} faults.`);
process.exitCode = faults === 0 ? 0 : 1;

/** Reads the table of routes as text, because its module runs only in a browser. */
async function paths(): Promise<readonly string[]> {
  const table = await readFile(join(import.meta.dirname, '../packages/dashboard/src/routes.tsx'), 'utf8');
  return [...table.matchAll(/'(\/app\/[^']+)'/g)].map(([, path]) => path ?? '');
}

function nameOf(path: string): string {
  return path.slice('/app/'.length).replaceAll('/', '-').replace('$id', 'one');
}

/** Loads a page once, and takes its picture in each look. */
async function show(context: BrowserContext, path: string, language: string): Promise<void> {
  await context.clearCookies();
  const isForVisitors = /^\/app\/(?:sign-in|sign-up|setup|invite|reset|confirm)\b/.test(path);
  if (!isForVisitors) await context.addCookies(cookies);
  const page = await context.newPage();
  const report = (fault: string) => {
    faults += 1;
    console.log(`${nameOf(path)} ${language}: ${fault}`);
  };
  reportErrors(page, report);
  await page.goto(`http://localhost:${console_.gateway.port}${path.replace('$id', ids[path] ?? 'none')}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // Live pages never stop sending requests.
  await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => {});
  for (const look of looks) {
    await applyLook(page, look);
    const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (wider > 0) report(`${wider} pixels wider than the ${look.screen} screen`);
    const name = [nameOf(path), look.screen, look.scheme, language].join('-');
    await page.screenshot({ path: join(values.pictures, `${name}.png`), fullPage: true });
  }
  await page.close();
}

function reportErrors(page: Page, report: (fault: string) => void): void {
  page.on('pageerror', (error) => report(String(error)));
  page.on('console', (message) => {
    // The browser logs error statuses by itself.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) report(message.text());
  });
}

/** Creates a few rows of every kind. Returns, by path, the id of the row that its page shows. */
async function furnish({ gateway, page }: Console): Promise<Readonly<Record<string, string>>> {
  const { secret } = await makeKey(gateway.gateway, { account: 'demo', name: 'Laptop' });
  const post = <Reply = { id: string }>(path: string, body: unknown) => call<Reply>(page, 'POST', path, body);
  const headers = { authorization: `Bearer ${secret}` };
  const body = { model: 'plain', messages: [{ role: 'user', content: 'Hello, 你好' }] };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => gateway.post('/v1/chat/completions', body, headers)),
  );
  const request = answers[0]?.headers.get('x-gateway-request-id') ?? '';
  const form = new FormData();
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body };
  form.append('purpose', 'batch');
  form.append('file', new Blob([JSON.stringify(line)]), 'questions.jsonl');
  const upload = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  const file = (await upload.json()) as { id: string };
  const order = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const batch = String((await gateway.post('/v1/batches', order, headers)).json.id);
  const { data } = await call<{ data: { id: string; name: string }[] }>(page, 'GET', '/admin/v1/accounts');
  const account = data.find(({ name }) => name === 'demo')?.id ?? '';
  const limits = [{ amount: '500.00', period: 'month' }];
  const organisation = await post('/admin/v1/organisations', { name: 'university', limits });
  const codes = await post('/admin/v1/code-batches', { count: 5, amount: '10.00', note: 'Summer school' });
  await post('/account/v1/webhooks', { name: 'Books', url: 'https://books.example.com/hook' });
  await post('/admin/v1/tokens', { name: 'Provisioning', role: 'operator' });
  await post(`/admin/v1/accounts/${account}/invitations`, { email: 'edsger@example.com', role: 'owner' });
  const month = new Date().toISOString().slice(0, 'yyyy-mm'.length);
  return {
    '/app/models/$id': 'plain',
    '/app/requests/$id': request,
    '/app/batches/$id': batch,
    '/app/billing/$id': month,
    '/app/organisation/$id': month,
    '/app/operator/requests/$id': request,
    '/app/operator/batches/$id': batch,
    '/app/operator/organisations/$id': organisation.id,
    '/app/operator/upstreams/$id': 'fake',
    '/app/operator/models/$id': 'plain',
    '/app/operator/accounts/$id': account,
    '/app/operator/codes/$id': codes.id,
  };
}
