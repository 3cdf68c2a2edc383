import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from './warm-fast-path.ts';

watchedFastPath();

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await warmFastPath(gateway, 'other');
});
afterAll(() => gateway.stop());

test('the last text of an answer is sent before its charge, and [DONE] after it', async () => {
  const data = join(gateway.directory, 'data');
  const { opened, open } = gate();
  const last = [chunk({ content: 'last words' }), finish('stop'), usage(7, 2)].map((each) => JSON.stringify(each));
  const lastFrames = [...last, '[DONE]'].map((each) => `data: ${each}\n\n`).join('');
  gateway.provider.respond('plain', sse([chunk({ content: 'first' }), opened, { raw: lastFrames }]));
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'x' }] }),
  });
  expect(isInFastPath()).toBe(true);
  // From here on charges fail: the store is locked and the journal cannot be written.
  const other = new DatabaseSync(join(data, 'gateway.db'));
  // The gateway may be writing at this moment.
  await eventually(() => other.exec('begin immediate'));
  await rm(join(data, 'journal'), { recursive: true, force: true });
  await writeFile(join(data, 'journal'), 'in the way');
  let received = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    received += text;
    if (received.includes('first')) open();
    if (!received.includes('last words') || !other.isOpen) continue;
    expect(received).not.toContain('[DONE]');
    await rm(join(data, 'journal'));
    other.close();
  }
  expect(received).toContain('[DONE]');
});
