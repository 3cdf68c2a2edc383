import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Lane } from '../../src/lane/lane.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateway.ts';

const take = vi.spyOn(Lane.prototype, 'take');
const isInLane = () => take.mock.results.at(-1)?.value === true;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  gateway.provider.respond('other', answer('warm'));
  do await gateway.chat({ model: 'other' });
  while (!isInLane());
});
afterAll(() => gateway.stop());

/** A machine that is slow may send any request the general way: then another is asked. */
async function askedInLane(model: string): Promise<Response> {
  for (;;) {
    const leaving = new AbortController();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] }),
      signal: leaving.signal,
    });
    if (isInLane()) return response;
    leaving.abort();
  }
}

test('the last words of an answer do not wait for its charge, and its end does', async () => {
  const data = join(gateway.directory, 'data');
  const { opened, open } = gate();
  const last = [chunk({ content: 'last words' }), finish('stop'), usage(7, 2)].map((each) => JSON.stringify(each));
  const inOnePiece = [...last, '[DONE]'].map((each) => `data: ${each}\n\n`).join('');
  gateway.provider.respond('plain', sse([chunk({ content: 'first' }), opened, { raw: inOnePiece }]));
  const response = await askedInLane('plain');
  // From here on nothing can be charged: neither the store nor the journal takes it.
  const other = new DatabaseSync(join(data, 'gateway.db'));
  other.exec('begin immediate');
  await rm(join(data, 'journal'), { recursive: true, force: true });
  await writeFile(join(data, 'journal'), 'in the way');
  let said = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes('first')) open();
    if (!said.includes('last words') || !other.isOpen) continue;
    expect(said).not.toContain('[DONE]');
    await rm(join(data, 'journal'));
    other.close();
  }
  expect(said).toContain('[DONE]');
});
