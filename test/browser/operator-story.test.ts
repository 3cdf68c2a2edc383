import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { json } from '../fakes/fake-provider.ts';
import { type Console, openConsole } from './console.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, shot } from './view.ts';

let browser: Browser;
let console: Console;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await openConsole(browser);
});

afterAll(async () => {
  await console?.close();
  await closeWindows(browser);
});

test('an operator adds an upstream and a model, orders its routes, and a client gets an answer', async () => {
  const { page, context, go, gateway, complaints } = console;
  await go('/app/operator/upstreams?add=choose', 'Add an upstream');
  await page.getByRole('link', { name: /^Simulated/ }).click();
  await page.getByRole('button', { name: 'Add and test' }).click();
  await page.getByRole('heading', { name: 'Add a model, then test' }).waitFor();

  await page.getByRole('status').getByRole('link', { name: 'Add a model' }).click();
  await page.getByRole('textbox', { name: 'ID', exact: true }).fill('acme/sim');
  await page.getByRole('textbox', { name: 'Input', exact: true }).fill('1.50');
  await page.getByRole('textbox', { name: 'Output', exact: true }).fill('3');
  await page.getByRole('button', { name: 'Add a route' }).click();
  await page.getByRole('combobox', { name: 'Upstream' }).nth(1).click();
  await page.getByRole('option').first().click();
  await page.getByRole('button', { name: 'Move simulated down' }).click();
  await page.getByRole('button', { name: 'Move simulated up' }).click();
  await page.getByRole('button', { name: 'Advanced' }).click();
  const failing = page.getByRole('combobox', { name: 'When it fails' });
  await failing.fill('thinker');
  await failing.press('Enter');
  await page.getByRole('button', { name: 'Add a model' }).click();
  await page.getByRole('heading', { level: 1, name: 'acme/sim' }).waitFor();
  await page.reload();
  await page.getByText('thinker', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'acme/sim' }).waitFor();
  await page.getByText('Healthy').first().waitFor();

  // Two tabs edit one model. Changes to different fields are merged; of two prices, the operator chooses one.
  const other = await context.newPage();
  await other.goto(`${page.url()}?edit=1`);
  await other.getByRole('textbox', { name: 'Input', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Input', exact: true }).fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  await other.getByRole('textbox', { name: 'Output', exact: true }).fill('4');
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByText('You changed Price, Input to 7 in another tab or session; this is kept.').waitFor();
  await other.getByRole('button', { name: 'Edit' }).click();
  await expect.poll(() => other.getByRole('textbox', { name: 'Input', exact: true }).inputValue()).toBe('7');
  await page.reload();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Output', exact: true }).fill('6');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  await other.getByRole('textbox', { name: 'Output', exact: true }).fill('5');
  await other.getByRole('button', { name: 'Save' }).click();
  const conflict = other.getByRole('alert').filter({ hasText: 'You changed the same fields elsewhere' });
  await conflict.getByRole('radio', { name: '6', exact: true }).waitFor();
  await shot(other, 'operator-story-conflict');
  await other.getByRole('button', { name: 'Save' }).click();
  await other.getByRole('button', { name: 'Edit' }).waitFor();
  await other.close();

  const { status } = await gateway.chat({ model: 'acme/sim', messages: [{ role: 'user', content: 'Hello' }] });
  expect(status).toBe(200);

  await go('/app/operator/upstreams/simulated', 'simulated');
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByRole('heading', { name: 'Test passed' }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Disabled: it gets no new requests.').waitFor();
  await shot(page, 'operator-story-switched-off');

  await go('/app/operator/live', 'Live');
  await page.getByText('No requests right now.').waitFor();

  // A failure links to its requests, and a request to its account.
  gateway.provider.respond('thinker', json(400, { error: { message: 'no' } }));
  await gateway.chat({ model: 'thinker', messages: [{ role: 'user', content: 'Hello' }] });
  await eventually(async () => {
    await go('/app/operator/overview', 'Business');
    await page.getByRole('link', { name: /^Rejected by the provider/ }).click({ timeout: 5000 });
  });
  await page.waitForURL(/app\/operator\/requests\?.*error_case=upstream-rejected/);
  await page.getByRole('row').filter({ hasText: 'thinker' }).getByRole('link', { name: 'tester' }).click();
  await page.getByRole('heading', { level: 1, name: 'tester' }).waitFor();
  expect(complaints).toEqual([]);
});

test('an owner whose connection breaks before the reply clicks again, and gets one key with its secret', async () => {
  const { page, go } = console;
  await go('/app/keys', 'Keys');
  await page.getByRole('button', { name: 'Create key' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('train');
  // The gateway creates the key, but the reply is lost.
  const lost = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route('**/account/v1/keys', lost, { times: 1 });
  const make = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
  await make.click();
  await page.getByText('The gateway did not respond').waitFor();
  await make.click();
  const secret = await page.getByRole('textbox', { name: 'Secret key' }).inputValue();
  const { data } = await page.evaluate<{ data: { name: string; display: string }[] }>(
    "fetch('/account/v1/keys').then((reply) => reply.json())",
  );
  const made = data.filter(({ name }) => name === 'train');
  expect(made).toHaveLength(1);
  expect(made[0]?.display).toBe(`${secret.slice(0, 11)}…${secret.slice(-2)}`);
});
