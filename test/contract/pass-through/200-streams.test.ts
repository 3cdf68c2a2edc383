import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAtRest } from '../../at-rest.ts';
import { gate, type ScriptedReply } from '../../fakes/fake-provider.ts';
import type { TestGateway } from '../../gateways/gateway.ts';
import { body, recordOf, startPassThroughGateway } from './pass-through-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startPassThroughGateway();
});
afterAll(() => gateway.stop());

const send = (path: string, request: object, init: RequestInit = {}) => {
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  return fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(request), ...init });
};
const speak = (init?: RequestInit) => send('/v1/audio/speech', { model: 'voice', input: 'four' }, init);
const calls = () => gateway.provider.calls.filter(({ key }) => key === 'voice').length;
const cost = async (reply: { headers: Headers }) => Number((await recordOf(gateway, reply)).cost);

/** A reply that writes its first bytes, and then continues with `last`. */
function inPieces(contentType: string, first: string | Buffer, last: ScriptedReply): ScriptedReply {
  return async (writer, call) => {
    writer.head(200, { 'content-type': contentType });
    await writer.body(first);
    await last(writer, call);
  };
}

/** Reads a body until it has this number of bytes or ends. The sizes of its chunks are not defined. */
async function bytesOf(pieces: AsyncIterator<Uint8Array>, bytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  let all = Buffer.alloc(0);
  while (all.length < bytes) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    all = Buffer.concat([all, value]);
  }
  return all;
}

const sound = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

test('speech is streamed while the provider generates it, byte for byte', async () => {
  const received = gate();
  const rest: ScriptedReply = async (writer) => {
    await received.opened;
    await writer.body(sound);
    writer.end();
  };
  gateway.provider.respond('voice', inPieces('audio/mpeg', sound, rest));
  const reply = await speak();
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  const pieces = reply.body![Symbol.asyncIterator]();
  expect(await bytesOf(pieces, sound.length)).toEqual(sound);
  received.open();
  expect(await bytesOf(pieces)).toEqual(sound);
  expect(await cost(reply)).toBe(4 * 15_000);
  await expectAtRest(gateway.gateway);
});

test('backpressure of a slow client reaches the provider, and no bytes are lost', async () => {
  const piece = Buffer.alloc(1024 * 1024, 0x80);
  const before = calls();
  gateway.provider.respond('voice', async (writer) => {
    writer.head(200, { 'content-type': 'audio/wav' });
    for (let count = 0; count < 32; count++) await writer.body(piece);
    writer.end();
  });
  const reply = await speak();
  const call = await gateway.provider.call('voice', before).received;
  await expect.poll(() => call.bufferedBytes).toBeGreaterThan(0);
  expect((await reply.arrayBuffer()).byteLength).toBe(32 * piece.length);
  expect(await cost(reply)).toBe(4 * 15_000);
});

test('the gateway aborts the call of a client that leaves a stream, and charges the text it sent', async () => {
  const before = calls();
  gateway.provider.respond(
    'voice',
    inPieces('audio/mpeg', sound, () => new Promise(() => {})),
  );
  const leaving = new AbortController();
  const reply = await speak({ signal: leaving.signal });
  await reply.body!.getReader().read();
  leaving.abort();
  await gateway.provider.call('voice', before).aborted;
  const record = await recordOf(gateway, reply);
  expect(record).toMatchObject({ client_gone: 1, status: 200 });
  expect(Number(record.cost)).toBe(4 * 15_000);
  await expectAtRest(gateway.gateway);
});

test('an interrupted sound ends without a proper end of the body, so that the client notices', async () => {
  gateway.provider.respond(
    'voice',
    inPieces('audio/mpeg', sound, (writer) => writer.reset()),
  );
  const reply = await speak();
  await expect(reply.arrayBuffer()).rejects.toThrow();
  const record = await recordOf(gateway, reply);
  expect(record.error_case).toBe('upstream-failed');
  expect(Number(record.cost)).toBe(4 * 15_000);
  await expectAtRest(gateway.gateway);
});

test('an empty sound is a failure of the provider, and nothing is charged', async () => {
  gateway.provider.respond('voice', body('audio/mpeg', ''));
  const reply = await speak();
  expect(reply.status).toBe(502);
  expect(await cost(reply)).toBe(0);
});

const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const partial = event('image_generation.partial_image', { partial_image_index: 0, b64_json: 'AAAA' });
const completed = event('image_generation.completed', {
  b64_json: 'BBBB',
  usage: { input_tokens: 5, output_tokens: 9 },
});

test('images are streamed as events while they are generated, and completed ones are charged', async () => {
  const seen = gate();
  const rest: ScriptedReply = async (writer) => {
    await seen.opened;
    await writer.body(completed);
    writer.end();
  };
  gateway.provider.respond('paint', inPieces('text/event-stream; charset=utf-8', partial, rest));
  const reply = await send('/v1/images/generations', { model: 'paint', prompt: 'x', stream: true, partial_images: 1 });
  const pieces = reply.body![Symbol.asyncIterator]();
  expect(String(await bytesOf(pieces, Buffer.byteLength(partial)))).toBe(partial);
  seen.open();
  expect(String(await bytesOf(pieces))).toBe(completed);
  const record = await recordOf(gateway, reply);
  expect(JSON.parse(record.tool_uses!)).toEqual({ 'unit:request': 1, 'unit:image': 1 });
  expect(Number(record.cost)).toBe(40_000_000);
});

test('an interrupted event stream ends with an error, and only completed images are charged', async () => {
  gateway.provider.respond(
    'paint',
    inPieces('text/event-stream', partial, (writer) => writer.reset()),
  );
  const reply = await send('/v1/images/generations', { model: 'paint', prompt: 'x', stream: true });
  const text = await reply.text();
  expect(text.startsWith(partial)).toBe(true);
  expect(text).toMatch(/event: error\ndata: \{"type":"error","error":\{"code":"[a-z_]+","message":"[^"]+"/);
  expect(await cost(reply)).toBe(0);
  await expectAtRest(gateway.gateway);
});

test('a transcript is streamed, and charged by the seconds of the recording', async () => {
  const delta = event('transcript.text.delta', { delta: 'Grüße ' });
  const done = event('transcript.text.done', { text: 'Grüße 👋', usage: { type: 'duration', seconds: 4 } });
  gateway.provider.respond('POST /v1/audio/transcriptions', body('text/event-stream', delta + done));
  const form = new FormData();
  form.append('model', 'ears');
  form.append('stream', 'true');
  form.append('file', new Blob([Buffer.alloc(64_000, 0x80)]), 'a.mp3');
  const headers = { authorization: `Bearer ${gateway.key}` };
  const reply = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
  expect(await reply.text()).toBe(delta + done);
  expect(await cost(reply)).toBe(4 * 100_000);
});
