import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeConsole, fakeConsole, signedIn } from './fake-console.ts';
import { agreement, knownFile, reconciling, unknownFile } from './reconciliation-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectGoodLooks, openView } from './view.ts';

let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole(reconciling);
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

const address = (at = console) => `${at.url}/app/operator/reconciliation`;

async function choose(page: Page, name: string, content: string): Promise<void> {
  await page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(content) });
}

async function chooseUpstream(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Upstream' }).click();
  await page.getByRole('option', { name: 'deepseek' }).click();
}

function sentBody(at = console): unknown {
  return at.calls.findLast(({ line }) => line === 'POST /admin/v1/reconciliations')?.body;
}

test('an operator learns what the page is for, and where the file comes from', async () => {
  const view = await openView(browser, address());
  await view.page.getByRole('heading', { name: "Check a provider's bill" }).waitFor();
  await view.page.getByText('chat-gateway reconcile --provider NAME usage.csv').waitFor();
  await expectGoodLooks(view, 'reconciliation-empty');
  await view.close();
});

test('a known export is compared, and each difference leads to its requests', async () => {
  const view = await openView(browser, address());
  const { page } = view;
  await choose(page, 'usage.csv', knownFile);
  await page.getByText('The columns of the file were recognised').waitFor();
  await page.getByText('Choose the upstream that the file belongs to.').waitFor();
  await chooseUpstream(page);
  await expectGoodLooks(view, 'reconciliation-columns');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('2 of 3 lines differ').waitFor();
  expect(sentBody()).toEqual({
    upstream: 'deepseek',
    tolerance: '0.5',
    rows: [
      {
        day: '2026-11-01',
        model: 'deepseek-chat-2026-06-01',
        input_tokens: 1_204_000,
        cached_tokens: 81_000,
        output_tokens: 52_310,
        cost: '2.018125',
      },
      {
        day: '2026-11-01',
        model: 'deepseek-reasoner',
        input_tokens: 350_000,
        cached_tokens: 0,
        output_tokens: 9000,
        cost: '0.734',
      },
    ],
  });
  await page.getByText('Rows that equal an earlier row in every column: 4.').waitFor();
  await page.getByText('2026-11-02: 3 requests are no longer in the log').waitFor();
  await page.getByText('deepseek-chat-2026-06-01 in the file was compared with deepseek-chat.').waitFor();
  await page.getByRole('group', { name: 'Cost: Difference' }).getByText('+$0.0661').waitFor();
  const table = page.getByRole('table', { name: 'Comparison by day and model' });
  // The largest difference is first, and lines that agree are hidden.
  const [first, second, third] = await table
    .getByRole('row')
    .allInnerTexts()
    .then((rows) => rows.slice(1));
  expect(first).toMatch(/deepseek-reasoner[^]*\+50,000[^]*\+\$0\.064000001[^]*Failed attempt: 2, Retry: 2/);
  expect(second).toMatch(/deepseek-chat-lite[^]*No request explains it/);
  expect(third).toBeUndefined();
  await table.getByRole('button', { name: /deepseek-reasoner/ }).click();
  await page.getByText('41 attempts, 2 failed').waitFor();
  const link = page.getByRole('link', { name: '20261101120001074f7phrwhr2u' });
  expect(await link.getAttribute('href')).toBe('/app/operator/requests/20261101120001074f7phrwhr2u');
  await expectGoodLooks(view, 'reconciliation-result');
  await page.getByText('All lines', { exact: true }).click();
  await table.getByText('Agrees').waitFor();
  await view.close();
});

test('a model that the file names differently is mapped, and the file is compared again', async () => {
  const { page, close } = await openView(browser, address());
  await choose(page, 'usage.csv', knownFile.replaceAll('deepseek-reasoner', 'deepseek-chat-lite'));
  await chooseUpstream(page);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('combobox', { name: 'deepseek-chat-lite' }).click();
  await page.getByRole('option', { name: 'deepseek-reasoner' }).click();
  await expect.poll(() => sentBody()).toMatchObject({ rows: [{}, { model: 'deepseek-reasoner' }] });
  await close();
});

test('the keys of a file are mapped to credentials, and other keys are left out', async () => {
  const { page, close } = await openView(browser, address());
  await chooseUpstream(page);
  await choose(page, 'usage.csv', knownFile);
  await page.getByRole('switch', { name: 'Compare each key separately' }).click({ force: true });
  await page.getByRole('combobox', { name: 'key_b' }).click();
  await page.getByRole('option', { name: 'Credential #1' }).click();
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('1 row of another key was left out.').waitFor();
  expect(sentBody()).toMatchObject({ rows: [{ model: 'deepseek-reasoner', credential: 0 }] });
  await close();
});

test('the columns of an unknown export are selected by hand', async () => {
  const view = await openView(browser, address());
  const { page } = view;
  await choose(page, 'nutzung.csv', unknownFile);
  await page.getByText('The file has no known column for Day. Select it below.').waitFor();
  await page.getByRole('cell', { name: 'deepseek-chat' }).waitFor();
  const select = async (field: string, ...columns: readonly string[]) => {
    const box = page.getByRole('combobox', { name: field });
    for (const column of columns) {
      await box.click();
      await page.getByRole('option', { name: column, exact: true }).click();
    }
    await page.keyboard.press('Escape');
  };
  await select('Day', 'Tag');
  await select('Model', 'Modell');
  await select('Tokens in, with cached ones', 'Frisch', 'Zwischenspeicher');
  await select('Cost', 'Preis');
  await page.getByText('The cost is in cents').click();
  await expectGoodLooks(view, 'reconciliation-mapping');
  await chooseUpstream(page);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('2 of 3 lines differ').waitFor();
  const row = { day: '2026-11-01', model: 'deepseek-chat', input_tokens: 1000, cost: '0.125' };
  expect(sentBody()).toEqual({ upstream: 'deepseek', tolerance: '0.5', rows: [row] });
  await page.getByText('has no column for it: Cached tokens, Tokens out.').waitFor();
  await view.close();
});

test('a file that cannot be read says which row to correct', async () => {
  const { page, close } = await openView(browser, address());
  await choose(page, 'usage.csv', 'day,model,input\n2026-11-01,large,5\n11/02/2026,large,5\n');
  await page.getByText('Row 3: “11/02/2026” in the column day does not fit “Day”.').waitFor();
  expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0);
  await choose(page, 'broken.json', '{"data":');
  await page.getByText('is not valid JSON').waitFor();
  await close();
});

test('a bill without differences says so, and the result is saved as CSV', async () => {
  const agreeing = await fakeConsole({ ...reconciling, 'POST /admin/v1/reconciliations': agreement });
  const view = await openView(browser, address(agreeing));
  const { page } = view;
  await choose(page, 'usage.csv', knownFile);
  await chooseUpstream(page);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Everything agrees').waitFor();
  await expectGoodLooks(view, 'reconciliation-agrees');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('reconciliation-deepseek-2026-11-01-2026-11-02.csv');
  expect(await text(await saved.createReadStream())).toContain(
    '2026-11-01,deepseek-chat,,1204000,81000,52310,2.018125',
  );
  await view.close();
  await agreeing.close();
});

test('an operator who may only read cannot compare', async () => {
  const reading = await fakeConsole({ ...reconciling, 'GET /auth/session': { ...signedIn, operator: 'read-only' } });
  const { page, close } = await openView(browser, address(reading));
  await page.getByText('Your role can read, but not compare invoices.').waitFor();
  await close();
  await reading.close();
});

test('the page is Chinese for a Chinese operator', async () => {
  const session = { ...signedIn, user: { ...signedIn.user, language: 'zh' } };
  const chinese = await fakeConsole({ ...reconciling, 'GET /auth/session': session });
  const view = await openView(browser, address(chinese), { language: 'zh' });
  const { page } = view;
  await page.getByRole('heading', { name: '核对上游账单' }).waitFor();
  await expectGoodLooks(view, 'reconciliation-zh-empty');
  await choose(page, 'usage.csv', knownFile);
  await page.getByRole('combobox', { name: '上游' }).click();
  await page.getByRole('option', { name: 'deepseek' }).click();
  await page.getByRole('button', { name: '开始对账' }).click();
  await page.getByRole('button', { name: /deepseek-reasoner/ }).click();
  await page.getByText('41 次尝试，其中 2 次失败').waitFor();
  await expectGoodLooks(view, 'reconciliation-zh-result');
  await view.close();
  await chinese.close();
});
