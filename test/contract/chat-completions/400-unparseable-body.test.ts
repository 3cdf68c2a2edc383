import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from '../../depth.ts';
import { expectEnvelope } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const unparseable = { status: 400, code: '', type: 'gateway_error' };
const fine = '{"model":"plain","messages":[{"role":"user","content":"x"}]}';

const bodies: readonly (readonly [label: string, body: string | Buffer])[] = [
  ['nothing', ''],
  ['an open brace', '{'],
  ['a trailing comma', '{"model":"plain",}'],
  ['single quotes', "{'model':'plain'}"],
  ['a comment', '{/* x */"model":"plain"}'],
  ['NaN', '{"temperature":NaN}'],
  ['Infinity', '{"temperature":Infinity}'],
  ['a byte order mark', `\ufeff${fine}`],
  ['a byte that is never UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['an overlong encoding', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
  ['UTF-16', Buffer.from(fine, 'utf16le')],
  ['65 levels of nesting', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
  ['ten thousand levels of nesting', '['.repeat(10_000) + ']'.repeat(10_000)],
  ['five million brackets', '['.repeat(5_000_000)],
  ['a megabyte of empty objects', `[${'{},'.repeat(350_000)}{}]`],
  ['300 thousand keys', `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":0`).join(',')}}`],
];

test.each(bodies)('%s cannot be parsed', async (_label, body) => {
  const reply = await gateway.postText('/v1/chat/completions', body as string);
  expectEnvelope(reply, unparseable);
});

const types = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=gbk',
  '',
];

test.each(types)('the content type %j is not JSON', async (type) => {
  const reply = await gateway.postText('/v1/chat/completions', fine, { 'content-type': type });
  expectEnvelope(reply, unparseable);
});

test('a compressed body is not inflated', async () => {
  const reply = await gateway.postText('/v1/chat/completions', fine, { 'content-encoding': 'gzip' });
  expectEnvelope(reply, unparseable);
});

test.each(['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
  'the content type %j is JSON',
  async (type) => {
    expect((await gateway.postText('/v1/chat/completions', fine, { 'content-type': type })).status).toBe(200);
  },
);

test('the gateway answers a body with megabytes of escapes', async () => {
  const escapes = '\\n'.repeat(isDeep ? 4_000_000 : 1_000_000);
  const heavy = `{"model":"plain","messages":[{"role":"user","content":"${escapes}"}]}`;
  const reply = await gateway.postText('/v1/chat/completions', heavy);
  expect([200, 400]).toContain(reply.status);
});
