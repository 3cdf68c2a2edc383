import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
const entry = new URL('./src/index.ts', import.meta.url).href;

test('a reader of the README translates a messages request and the stream of its answer', async () => {
  const code = /```js\n([^]*?)```/.exec(readme)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'formats-readme-'));
  const file = join(folder, 'example.mjs');
  writeFileSync(file, code.replace("'chat-formats'", `'${entry}'`));
  const example: { body: string; translated(pieces: readonly string[]): readonly string[] } = await import(
    pathToFileURL(file).href
  );
  rmSync(folder, { recursive: true });

  expect(JSON.parse(example.body)).toMatchObject({ model: 'gpt-5', messages: [{ role: 'user', content: 'Hi' }] });
  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
  const stream = [
    chunk({ role: 'assistant', content: 'Hel' }),
    chunk({ content: 'lo' }),
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}\n\n',
    'data: [DONE]\n\n',
  ];
  const events = example
    .translated(stream)
    .join('')
    .matchAll(/^event: (\w+)$/gm);
  expect([...events].map(([, name]) => name)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});
