import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { answer, chunk, finish, gate, json, sse } from '../fakes/fake-provider.ts';
import { makeKey } from '../keys.ts';
import { call, type Console, openConsole, owner } from './console.ts';
import { journeyOn } from './journey.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, shot } from './view.ts';

let browser: Browser;
let console: Console;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await openConsole(browser, {
    change: (base) => ({
      ...base,
      egress: { allow: ['127.0.0.1'] },
      upstreams: (base['upstreams'] as object[]).map((upstream) => ({ ...upstream, max_concurrency: 4 })),
      accounts: [...(base['accounts'] as object[]), { name: 'hog', package: 'standard', credit: '100.00' }],
    }),
  });
});

afterAll(async () => {
  await console?.close();
  await closeWindows(browser);
});

test('an operator repairs an upstream, stops a hog and finds the request of a customer', async () => {
  const { gateway } = console;
  const { provider } = gateway;
  // An upstream whose provider rejects the credential.
  const spec = { name: 'frail', kind: 'openai', base_url: provider.url, api_key: 'sk-old', max_concurrency: 4 };
  await call(console.page, 'POST', '/admin/v1/upstreams', spec);
  await call(console.page, 'POST', '/admin/v1/models', { id: 'large', routes: [{ upstream: 'frail' }], price: 'free' });
  provider.respond('large', json(401, { error: { message: 'Incorrect API key provided' } }));
  const failed = await gateway.chat({ model: 'large' });
  expect(failed.status).toBe(502);
  const requestId = String(failed.headers.get('x-gateway-request-id'));

  const { page, complaints } = await console.another('/app/sign-in', { once: true });
  const { click, fill, press, expectWithin } = journeyOn(page);
  await fill(page.getByLabel('E-mail'), owner.email);
  await fill(page.getByLabel('Password', { exact: true }), owner.password);
  await press('Enter');

  await click(page.getByRole('link', { name: 'Operator', exact: true }));
  await click(page.getByRole('link', { name: 'Live', exact: true }));
  await page.getByText('The provider rejects every credential of this upstream.').waitFor();
  await shot(page, 'journey-operator-live');
  await click(page.getByRole('link', { name: 'replace the credential' }));
  await page.getByText('Incorrect API key provided').first().waitFor();
  await click(page.getByRole('alert').getByRole('button', { name: 'Rotate key' }));
  await fill(page.getByRole('textbox', { name: /key/i }), 'sk-new');
  provider.respond('GET /v1/models', json(200, { data: [{ id: 'large' }] }));
  provider.respond('large', answer('Hello again'));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }));
  // The page tests the new credential by itself.
  await page.getByRole('heading', { name: 'Test passed' }).waitFor();
  expect((await gateway.chat({ model: 'large' })).status).toBe(200);

  // A hog takes all slots that one account may hold. Of the two requests of another account, one has to wait.
  const held = gate();
  provider.respond('plain', sse([chunk({ content: 'Once' }), held.opened, finish('stop'), '[DONE]']));
  const { secret } = await makeKey(gateway.gateway, { account: 'hog', name: 'hog' });
  const hogs = Array.from({ length: 6 }, () => gateway.chat({}, { authorization: `Bearer ${secret}` }));
  await eventually(() => expect(gateway.gateway.alive().requests).toBe(6));
  const others = [gateway.chat({}), gateway.chat({})];
  await click(page.getByRole('link', { name: 'Live', exact: true }));
  const queue = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'fake', exact: true }) });
  await queue.getByText('hog holds 3 of 4 slots').waitFor();
  await shot(page, 'journey-operator-hog');
  await click(queue.getByRole('button', { name: 'Suspend…' }));
  await click(page.getByRole('checkbox', { name: 'Also abort running requests' }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Suspend' }));
  await page.getByText('hog is suspended').first().waitFor();
  // The requests of the hog are aborted, and the other account has its slots.
  await queue.getByText('tester holds 2 of 4 slots, 0 waiting').waitFor();
  held.open();
  await Promise.allSettled([...hogs, ...others]);

  await press('Control+k');
  await fill(page.getByRole('dialog').getByRole('textbox'), requestId);
  await page.getByRole('option').filter({ hasText: requestId }).first().waitFor();
  await press('Enter');
  await page.getByText('How to fix it').waitFor();
  expectWithin(25);
  expect(complaints).toEqual([]);
});
