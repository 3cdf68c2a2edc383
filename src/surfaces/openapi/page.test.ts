import { expect, test } from 'vitest';
import { errorTable } from '../../core/error-table.ts';
import { openApiDocument } from './document.ts';
import { html } from './html.ts';
import { docsPage } from './page.ts';

const options = {
  version: '0.1.0',
  messagesPrefix: '/anthropic',
  supportEmail: 'help@example.com',
  serverUrl: 'https://gateway.example',
};
const document = openApiDocument(options);
const page = docsPage(document);

test('every endpoint has its section and its entry in the contents', () => {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const { operationId } of Object.values(item)) {
      expect(page).toContain(`<section id="${operationId}"`);
      expect(page).toContain(`href="#${operationId}"`);
    }
    expect(page).toContain(`<span>${path}</span>`);
  }
});

test('every error case is in the table with its status, code, condition and remedy', () => {
  const rows = page.match(/<tr(?: id="error-\d+")?><th scope="row"><span class="status">.*<\/tr>/g) ?? [];
  expect(rows).toHaveLength(Object.keys(errorTable).length);
  const missing = Object.values(errorTable).filter(({ status, code }) => {
    const shown = code === '' ? '<span class="none">empty code</span>' : `<code>${code}</code>`;
    return !rows.some((row) => row.includes(`${status}</span>${shown}`));
  });
  expect(missing).toEqual([]);
});

test('every field of the chat request is in its table', () => {
  const section = page.slice(
    page.indexOf('<section id="createChatCompletion"'),
    page.indexOf('<section id="createCompletion"'),
  );
  for (const name of Object.keys(document.components.schemas['ChatCompletionRequest']?.properties ?? {})) {
    expect(section).toContain(`<code>${name}</code>`);
  }
});

test('the quick start uses the address of the server', () => {
  expect(page).toContain('https://gateway.example/v1/chat/completions');
  expect(page.match(/https:\/\/gateway\.example\/v1&#39;/g)).toHaveLength(5);
});

test('the quick start has the clients of the responses format', () => {
  for (const word of [
    'wire_api',
    'https://gateway.example/v1/models&quot;',
    'client.responses.create',
    '@openai/agents',
  ]) {
    expect(page).toContain(word);
  }
});

test('both headers, the support address and the quirks are there', () => {
  for (const word of ['x-gateway-version', 'x-gateway-request-id', 'mailto:help@example.com', 'There is no 429']) {
    expect(page).toContain(word);
  }
});

test('the page loads nothing from other servers and has no inline script', () => {
  expect(page).not.toMatch(/<style|<script(?! src="api\/script\.js" defer>)|\sstyle=|\son[a-z]+=/);
  const fetched = [...page.matchAll(/<(?:link|script|img)[^>]*?(?:href|src)="([^"]*)"/g)].map(([, address]) => address);
  expect(fetched.filter((address) => !address?.startsWith('data:'))).toEqual(['api/style.css', 'api/script.js']);
});

test('ids are unique and every internal link has a target', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
});

test('hostile text in the document is escaped', () => {
  const hostile = `"><script>alert('x')</script>`;
  const text = docsPage(
    openApiDocument({ version: hostile, messagesPrefix: '', supportEmail: hostile, serverUrl: hostile }),
  );
  expect(text).not.toContain('<script>alert');
  expect(text).toContain(html`${hostile}`.markup);
});

test('a gateway without a support address shows none', () => {
  expect(docsPage(openApiDocument({ ...options, supportEmail: undefined }))).not.toContain('mailto:');
});
