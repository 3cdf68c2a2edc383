import { afterEach, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { answer, chunk, gate, sse } from '../fakes/fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

/** Reads a streamed response until an event of this type arrives, and returns the id of the response. */
async function readUntil(type: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'other', input: 'hello', stream: true }),
  });
  let text = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes(`event: ${type}\n`)) break;
  }
  return /"id":"(resp_[^"]+)"/.exec(text)![1]!;
}

async function storedIds(): Promise<readonly string[]> {
  const store = await gateway.openStore();
  await expectSound(store);
  return (await store.db.selectFrom('sealed_blobs').select('id').execute()).map(({ id }) => id);
}

test('a completed response is still stored after the process is killed', async () => {
  gateway = await startServedGateway();
  gateway.provider.respond('other', answer('hello'));
  const id = await readUntil('response.completed');
  gateway.signal('SIGKILL');
  await gateway.exit();
  expect(await storedIds()).toEqual([id]);
});

test('a response whose process is killed in the middle of it is not stored', async () => {
  gateway = await startServedGateway();
  const { opened } = gate();
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'hel' }), opened]));
  await readUntil('response.output_text.delta');
  gateway.signal('SIGKILL');
  await gateway.exit();
  expect(await storedIds()).toEqual([]);
});
