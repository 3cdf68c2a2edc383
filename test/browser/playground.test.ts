import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeConsole, fakeConsole, signedIn } from './fake-console.ts';
import { key, ownerReplies } from './owner-replies.ts';
import { models, requestDetail } from './request-replies.ts';
import { sharedChromium } from './shared-chromium.ts';
import { closeWindows, expectAccessible, expectGoodLooks, openView, screens, shot } from './view.ts';

const secret = 'gwk_live_0123456789abcdefghijklmnopqrstuvwxyz01';
let browser: Browser;
let console: FakeConsole;

beforeAll(async () => {
  browser = await sharedChromium();
  console = await fakeConsole({
    'GET /account/v1/models': models,
    'POST /account/v1/playground-keys': key({
      id: 'key_9',
      name: 'playground',
      display: 'gwk_live_01…01',
      expires_at: new Date(Date.now() + 86_000_000).toISOString(),
      secret,
    }),
    'GET /account/v1/requests/req_1': requestDetail,
  });
});

afterAll(async () => {
  await closeWindows(browser);
  await console?.close();
});

describe('the playground', () => {
  test('is accessible, fits the screen and breaks no policy', async () => {
    const view = await openView(browser, `${console.url}/app/playground`);
    const { page } = view;
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.getByText('Start a conversation').waitFor();
    await expectGoodLooks(view, 'playground-empty');
    await answerWith(page, '/v1/chat/completions', chatAnswer);
    await sendMessage(page, 'What is the weather in Bern?');
    await page.getByText('Let me look that up.').waitFor();
    await page.getByText('$0.0015').waitFor();
    await expectGoodLooks(view, 'playground-answer');
    await page.getByText('Raw frames').click();
    await page.getByText('data: [DONE]').waitFor();
    await expectGoodLooks(view, 'playground-frames');
    await page.getByText('Code', { exact: true }).click();
    await page.getByText('curl -N').waitFor();
    await expectGoodLooks(view, 'playground-code');
    await view.close();
  });

  test('creates its own key, keeps it in the tab and sends it like a program', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground`);
    const calls = await answerWith(page, '/v1/chat/completions', chatAnswer);
    await page.route('**/playground-keys', (route) => route.abort());
    await sendMessage(page, 'Hello');
    await page.getByText('The gateway did not respond.').waitFor();
    await page.unroute('**/playground-keys');
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await page.getByText('Let me look that up.').waitFor();
    expect(console.calls.filter(({ line }) => line === 'POST /account/v1/playground-keys').length).toBeGreaterThan(0);
    expect(calls[0]?.headers['authorization']).toBe(`Bearer ${secret}`);
    expect(calls[0]?.headers['cookie']).toBeUndefined();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(secret);
    await page.reload();
    await page.getByText('Key gwk_live_01…01').waitFor();
    await close();
  });

  test('accepts the result of a tool and continues with it, and shows reasoning separately', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground?surface=messages&model=sim-chat`);
    const calls = await answerWith(page, '/anthropic/v1/messages', messagesAnswer);
    await sendMessage(page, 'What is the weather in Bern?');
    await page.getByText('I have to look.').waitFor({ state: 'attached' });
    await expect.poll(() => page.getByText('I have to look.').isVisible()).toBe(false);
    await page.getByText('Reasoning', { exact: true }).last().click();
    await page.getByText('I have to look.').waitFor();
    await page.getByLabel('Result of get_weather').fill('sunny');
    await page.getByRole('button', { name: 'Send to the model' }).click();
    await expect.poll(() => calls.length).toBe(2);
    expect(calls[0]?.headers['x-api-key']).toBe(secret);
    expect(calls[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'I have to look.', signature: 'c2ln' },
            { type: 'text', text: 'Let me look that up.' },
            { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Bern' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' }] },
      ],
    });
    await close();
  });

  test('renders Markdown without running scripts, loading images or following unsafe links', async () => {
    const { page, complaints, close } = await openView(browser, `${console.url}/app/playground`);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await answerWith(page, '/v1/chat/completions', [chunk({ content: markdown }), chunk({}, 'stop'), 'data: [DONE]']);
    await sendMessage(page, 'Show off');
    const answer = page.getByRole('region', { name: 'sim-chat' });
    await answer.getByRole('heading', { name: 'A title' }).waitFor();
    await answer.getByRole('cell', { name: 'one' }).waitFor();
    await answer.getByText("print('hi')").waitFor();
    expect(
      await answer.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://example.com/page', 'https://example.com/picture.png', '/app/requests/req_1']);
    await expect.poll(() => answer.locator('img, script, iframe, input').count()).toBe(0);
    await expect.poll(() => answer.getByText('<b onclick="alert(1)">bold</b>').count()).toBe(1);
    expect(loaded.filter((url) => url.includes('example.com'))).toEqual([]);
    await shot(page, 'playground-markdown');
    await expectAccessible(page);
    expect(complaints).toEqual([]);
    await close();
  });

  test('edits a message, requests another answer and sends the same message to two models', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground?model=sim-chat`);
    const words = [chunk({ content: 'Certainly.' }), chunk({}, 'stop'), 'data: [DONE]'];
    const calls = await answerWith(page, '/v1/chat/completions', words);
    const said = (index: number) =>
      (calls[index]?.body as { messages?: { content: string }[] } | undefined)?.messages ?? [];
    await sendMessage(page, 'Hello');
    await page.getByRole('button', { name: 'Regenerate' }).click();
    await expect.poll(() => calls.length).toBe(2);
    expect(said(1)).toEqual(said(0));
    await page.getByRole('button', { name: 'Edit this message' }).click();
    await page.getByLabel('Edit this message').fill('Good morning');
    await page.getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => calls.length).toBe(3);
    expect(said(2)).toEqual([{ role: 'user', content: 'Good morning' }]);
    await page.getByText('Certainly.').waitFor();
    await page.getByRole('combobox', { name: 'Compare with' }).click();
    await page.getByRole('option', { name: models.data[1]?.id ?? '' }).click();
    await sendMessage(page, 'And you?');
    await expect.poll(() => calls.length).toBe(5);
    expect(new Set(calls.slice(3).map(({ body }) => (body as { model: string }).model)).size).toBe(2);
    for (const index of [3, 4]) {
      expect(said(index).map(({ content }) => content)).toEqual(['Good morning', 'Certainly.', 'And you?']);
    }
    await expect.poll(() => page.getByText('Certainly.').count()).toBe(4);
    await shot(page, 'playground-compare');
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Something to keep');
    await page.getByRole('button', { name: 'Prompts' }).click();
    await page.getByRole('menuitem', { name: 'Save the current message' }).click();
    await shot(page, 'playground-prompts');
    await page.keyboard.press('Escape');
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.reload();
    await expect.poll(() => page.getByText('Certainly.').count()).toBe(4);
    await expect.poll(() => page.getByLabel('System prompt').inputValue()).toBe('Be brief.');
    const message = page.getByRole('textbox', { name: 'Message', exact: true });
    await expect.poll(() => message.inputValue()).toBe('Something to keep');
    await message.fill('');
    await page.getByRole('button', { name: 'Prompts' }).click();
    await page.getByRole('menuitem', { name: 'Something to keep' }).click();
    await expect.poll(() => message.inputValue()).toBe('Something to keep');
    await close();
  });

  test('shows an error next to another answer completely, above the composer and at the same height', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground?model=sim-chat&against=sim-thinker`);
    const refused = { code: 'invalid_api_key', message: 'The API key is unknown. '.repeat(8), type: 'gateway_error' };
    const long = [chunk({ content: 'A line of a long answer.\n\n'.repeat(9) }), chunk({}, 'stop'), 'data: [DONE]'];
    await page.route('**/v1/chat/completions', (route) => {
      const { model, messages } = route.request().postDataJSON() as { model: string; messages: object[] };
      if (model === 'sim-chat') return route.fulfill({ status: 401, json: { error: refused } });
      const frames = messages.length === 1 ? long : [chunk({ content: 'Short.' }), chunk({}, 'stop'), 'data: [DONE]'];
      return route.fulfill({ contentType: 'text/event-stream', body: frames.map((each) => `${each}\n\n`).join('') });
    });
    const [pane, other] = ['sim-chat', 'sim-thinker'].map((name) => page.getByRole('region', { name })) as [
      Locator,
      Locator,
    ];
    const composer = page.locator('form', { has: page.getByRole('button', { name: 'Prompts' }) });
    const isComplete = async () => (await bottomOf(pane.getByRole('alert').last())) <= (await topOf(composer));
    for (const words of ['First', 'Second', 'Third']) {
      await sendMessage(page, words);
      const [left, right] = [pane, other].map((each) => each.getByText(words, { exact: true }));
      await pane.getByRole('alert').nth(['First', 'Second', 'Third'].indexOf(words)).waitFor();
      await expect.poll(isComplete, { message: words }).toBe(true);
      await expect.poll(async () => (await topOf(left)) - (await topOf(right)), { message: words }).toBe(0);
    }
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('A long draft\n'.repeat(9));
    await expect.poll(isComplete).toBe(true);
    await shot(page, 'playground-compare-error');
    await close();
  });

  test('prompts from two tabs are all saved, and the next user has their own', async () => {
    const { page, context, close } = await openView(browser, `${console.url}/app/playground`, { once: true });
    const other = await context.newPage();
    await other.goto(`${console.url}/app/playground`);
    const keep = async (tab: Page, text: string) => {
      await tab.keyboard.press('Escape');
      await tab.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
      await tab.getByRole('button', { name: 'Prompts' }).click();
      await tab.getByRole('menuitem', { name: 'Save the current message' }).click();
      await tab.getByRole('menuitem', { name: text }).waitFor();
    };
    await other.getByRole('button', { name: 'Prompts' }).waitFor();
    await keep(page, 'From the first tab');
    await keep(other, 'From the second tab');
    await other.getByRole('menuitem', { name: 'From the first tab' }).waitFor();
    await page.getByRole('menuitem', { name: 'From the second tab' }).waitFor();
    await keep(other, `A long one: ${'word '.repeat(40)}`.trim());
    const long = await other.getByRole('menuitem', { name: 'A long one' }).boundingBox();
    const cross = await other.getByRole('button', { name: /A long one/ }).boundingBox();
    expect((long?.x ?? 0) + (long?.width ?? 0), 'a long prompt leaves room for its cross').toBeLessThanOrEqual(
      cross?.x ?? 0,
    );
    const text = await other
      .getByText(/^A long one/)
      .last()
      .boundingBox();
    expect(text?.width).toBeLessThanOrEqual(long?.width ?? 0);
    await other.getByRole('button', { name: /From the first tab/ }).click();
    await page.getByRole('menuitem', { name: 'From the first tab' }).waitFor({ state: 'detached' });
    const bob = { ...signedIn, user: { ...signedIn.user, id: 'usr_2', email: 'bob@example.com', name: 'Bob' } };
    await page.route('**/auth/session', (route) => route.fulfill({ json: bob }));
    await page.reload();
    await page.getByRole('button', { name: 'Prompts' }).click();
    await page.getByText('No saved prompts yet.').waitFor();
    await close();
  });

  test('can be used with the keyboard alone, and never loses the focus', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground`);
    const words = [chunk({ content: 'Certainly.' }), chunk({}, 'stop'), 'data: [DONE]'];
    const calls = await answerWith(page, '/v1/chat/completions', words);
    const focused = () => page.locator(':focus').getAttribute('aria-label');
    const sample = page.getByRole('button', { name: 'Write a haiku about patient software.' });
    await sample.press('Enter');
    await expect.poll(focused).toBe('Message');
    await page.locator('button[type=submit]:enabled', { hasText: 'Send' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Regenerate' }).press('Enter');
    await expect.poll(() => calls.length).toBe(2);
    await expect.poll(focused).toBe('Message');
    const edit = page.getByRole('button', { name: 'Edit this message' });
    await edit.press('Enter');
    await expect.poll(focused).toBe('Edit this message');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Edit this message');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send again' }).waitFor();
    await page.keyboard.type(' In Norwegian.');
    await page.keyboard.press('Enter');
    await expect.poll(() => calls.length).toBe(3);
    expect(calls[2]?.body).toMatchObject({
      messages: [{ content: 'Write a haiku about patient software. In Norwegian.' }],
    });
    await page.unroute('**/v1/chat/completions');
    await page.route('**/v1/chat/completions', () => {});
    await page.getByRole('button', { name: 'Regenerate' }).press('Enter');
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.getByText('You stopped this response.').waitFor();
    await expect.poll(focused).toBe('Message');
    await page.getByRole('button', { name: 'New conversation' }).press('Enter');
    await sample.waitFor();
    await expect.poll(focused).toBe('Message');
    await close();
  });

  test('stops a running answer', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground`);
    await page.route('**/v1/chat/completions', () => {});
    await sendMessage(page, 'Hello');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('You stopped this response.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Send', exact: true }).count()).toBe(1);
    await close();
  });

  test('shows at once that the account is suspended if its key is refused for that, and offers no other key', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground`, { once: true });
    // Disables periodic refreshes.
    await page.addInitScript(`for (const name of ['setTimeout', 'setInterval']) {
      const real = window[name];
      window[name] = (run, ms, ...rest) => (ms >= 30_000 ? 0 : real(run, ms, ...rest));
    }`);
    let status: 'active' | 'suspended' = 'active';
    const account = ownerReplies['GET /account/v1/account'];
    await page.route('**/account/v1/account', (route) => route.fulfill({ json: { ...account, status } }));
    await page.route('**/v1/chat/completions', (route) => {
      status = 'suspended';
      const message = 'The API key is missing, malformed, revoked or unknown.';
      return route.fulfill({ status: 401, json: { error: { code: 'invalid_api_key', message, type: 'x' } } });
    });
    await page.reload();
    await sendMessage(page, 'Hello');
    await page.getByText('Acme is suspended').waitFor();
    await page.getByText('The account is suspended. Its keys are rejected until it is resumed.').waitFor();
    expect(await page.getByText('The gateway rejected this key').count()).toBe(0);
    await close();
  });

  test('offers another key if the gateway refused the current one', async () => {
    const { page, close } = await openView(browser, `${console.url}/app/playground`);
    await page.route('**/v1/chat/completions', (route) =>
      route.fulfill({
        status: 401,
        json: { error: { code: 'invalid_api_key', message: 'The API key is unknown.', type: 'authentication_error' } },
      }),
    );
    for (const words of ['Hello', 'Hello again', 'Is anyone there?']) {
      await sendMessage(page, words);
      await page.getByRole('button', { name: 'Regenerate' }).waitFor();
    }
    const box = page.getByRole('region', { name: 'Playground key' });
    await box.getByText('The gateway rejected this key').waitFor();
    await page.getByText('The API key is unknown.').last().waitFor();
    // It is visible, and nothing covers it.
    await expect.poll(() => bottomOf(box)).toBeLessThanOrEqual(screens.wide.height);
    const composer = page.locator('form', { has: page.getByRole('button', { name: 'Prompts' }) });
    expect(await bottomOf(box)).toBeLessThanOrEqual(await topOf(composer));
    await box.getByRole('button', { name: 'Create a key for one hour' }).click();
    await box.waitFor({ state: 'detached' });
    await close();
  });
});

async function sendMessage(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
  // The button is disabled until the models are loaded.
  await page.locator('button[type=submit]:enabled', { hasText: 'Send' }).waitFor();
  await page.keyboard.press('Enter');
}

async function topOf(element: Locator | undefined): Promise<number> {
  return (await element?.boundingBox())?.y ?? Number.NaN;
}

async function bottomOf(element: Locator): Promise<number> {
  return (await topOf(element)) + ((await element.boundingBox())?.height ?? Number.NaN);
}

interface PlaygroundCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function answerWith(page: Page, path: string, frames: readonly string[]): Promise<readonly PlaygroundCall[]> {
  const calls: PlaygroundCall[] = [];
  await page.route(`**${path}`, async (route) => {
    calls.push({ headers: await route.request().allHeaders(), body: route.request().postDataJSON() });
    await route.fulfill({
      headers: { 'content-type': 'text/event-stream', 'x-gateway-request-id': 'req_1' },
      body: frames.map((frame) => `${frame}\n\n`).join(''),
    });
  });
  return calls;
}

function chunk(delta: object, finish: string | null = null): string {
  const head = { id: 'chatcmpl-req_1', object: 'chat.completion.chunk', created: 1, model: 'sim-chat' };
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], usage: null })}`;
}

const markdown = `# A title

Some **bold** words, a [page](https://example.com/page), a [trap](javascript:alert(1)) and
![a picture](https://example.com/picture.png). <b onclick="alert(1)">bold</b> <img src=x onerror=alert(1)>

| a | b |
|---|---|
| one | two |

- [x] done

\`\`\`python
print('hi')
\`\`\`
`;

const call = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
};
const usage = { prompt_tokens: 412, completion_tokens: 96, total_tokens: 508 };
const chatAnswer = [
  ': waiting',
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'I have to look.' }),
  chunk({ content: 'Let me look ' }),
  chunk({ content: 'that up.' }),
  chunk({ tool_calls: [call] }),
  chunk({}, 'tool_calls'),
  `data: ${JSON.stringify({ id: 'chatcmpl-req_1', model: 'sim-chat', choices: [], usage })}`,
  'data: [DONE]',
];

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}`;
}

const messagesAnswer = [
  event('message_start', {
    message: { id: 'msg_req_1', model: 'sim-chat', usage: { input_tokens: 412, output_tokens: 0 } },
  }),
  event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'I have to look.' } }),
  event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }),
  event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Let me look that up.' } }),
  event('content_block_start', {
    index: 2,
    content_block: { type: 'tool_use', id: 'call_1', name: 'get_weather', input: {} },
  }),
  event('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '{"city":"Bern"}' } }),
  event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 96 } }),
  event('message_stop', {}),
];
