import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReconciliationDocument } from '../../../src/manage/admin/money/reconciliations.ts';
import { createToken } from '../../../src/manage/admin/api/tokens.ts';
import { decimalText, nanoFrom } from '../../../src/core/money.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { chat } from '../../chat-client.ts';
import { eventually } from '../../eventually.ts';
import { answer, chunk, endings, finish, json, type ScriptedReply, sse, usage } from '../../fakes/fake-provider.ts';
import { command } from '../../gateways/command.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

/** The usage that the provider charges for one call. */
interface ProvidedUsage {
  readonly model: string;
  readonly key: string;
  readonly input: number;
  readonly output: number;
}

const day = '2026-11-01';
const secrets = ['sk-upstream-first', 'sk-upstream-second'] as const;
const names = ['steady', 'limited', 'flaky', 'silent', 'gone', 'gift'] as const;
const cost = { input: '1', output: '2' };

const provided: ProvidedUsage[] = [];
let gateway: TestGateway;
let token: string;

/** A reply for which the provider charges. */
function billed(input: number, output: number, reply: ScriptedReply): ScriptedReply {
  return (writer, call) => {
    const key = call.headers['authorization']?.replace('Bearer ', '') ?? '';
    provided.push({ model: call.key, key, input, output });
    return reply(writer, call);
  };
}

const whole = (text: string) => sse([chunk({ content: text }), finish('stop'), usage(100, 20), '[DONE]']);
const withoutUsage = sse([chunk({ role: 'assistant', content: 'Hello' }), finish('stop'), '[DONE]']);
const busy = json(429, { error: { message: 'slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' } });

beforeAll(async () => {
  // Noon, so that no request is on another day.
  const shiftMs = Date.parse(`${day}T12:00Z`) - systemClock.now();
  const clock = { ...systemClock, now: () => systemClock.now() + shiftMs };
  gateway = await startTestGateway(
    (base, provider) => ({
      ...base,
      upstreams: [
        { name: 'fake', kind: 'openai', base_url: provider.url, api_keys: [...secrets], timeouts: patientTimeouts },
      ],
      models: names.map((id) =>
        model(id, { price: { input: '3', output: '6' }, routes: [{ upstream: 'fake', cost }], ...gift(id) }),
      ),
    }),
    { clock },
  );
  const { store, pepper } = gateway.gateway;
  token = (await createToken({ store, pepper, clock }, { name: 'books', role: 'operator', accountId: undefined }))
    .secret;
  await serveRequests();
});
afterAll(() => gateway.stop());

function gift(id: string): object {
  return id === 'gift' ? { tools: { paid_by: 'gateway' }, guarantees: { json: 'gateway' } } : {};
}

async function serveRequests(): Promise<void> {
  const { provider } = gateway;
  provider.respond('steady', billed(100, 3, answer('one two three', { promptTokens: 100 })));
  provider.respond('limited', busy, billed(60, 1, answer('one', { promptTokens: 60 })));
  provider.respond(
    'flaky',
    billed(50, 0, sse([chunk({ role: 'assistant' }), endings.reset])),
    billed(50, 1, answer('one', { promptTokens: 50 })),
  );
  provider.respond('silent', billed(400, 9, withoutUsage));
  provider.respond('gone', billed(500, 500, sse([chunk({ content: 'Once upon' }), endings.hang])));
  provider.respond('gift', billed(100, 20, whole('It is sunny.')), billed(100, 20, whole('{"sunny":true}')));
  for (let count = 0; count < 4; count += 1) expect((await gateway.chat({ model: 'steady' })).status).toBe(200);
  for (const name of ['limited', 'flaky', 'silent']) expect((await gateway.chat({ model: name })).status).toBe(200);
  const format = { type: 'json_object' };
  expect((await gateway.chat({ model: 'gift', response_format: format })).text).toContain('sunny');
  const { port, key } = gateway;
  const leaving = chat({
    port,
    key,
    model: 'gone',
    body: { stream: true, messages: [{ role: 'user', content: 'hi' }], model: 'gone' },
  });
  await leaving.waitForText('upon');
  leaving.leave();
  const stored = gateway.gateway.store.db.selectFrom('requests').select('id');
  await eventually(async () => expect(await stored.execute()).toHaveLength(9));
}

function rowOf({ model: name, key, input, output }: ProvidedUsage) {
  const nano = BigInt(input) * 1000n + BigInt(output) * 2000n;
  const credential = secrets.indexOf(key as (typeof secrets)[number]);
  return { day, model: name, credential, input_tokens: input, output_tokens: output, cost: decimalText(nano) };
}

async function reconciled(rows: readonly object[]): Promise<ReconciliationDocument> {
  const body = { upstream: 'fake', rows };
  const reply = await gateway.post('/admin/v1/reconciliations', body, { authorization: `Bearer ${token}` });
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
}

type Line = ReconciliationDocument['lines'][number];

/** The lines with a difference, by model. Only the re-prompted model may have two: one for each credential. */
function differing({ lines }: ReconciliationDocument): ReadonlyMap<string, readonly Line[]> {
  return Map.groupBy(
    lines.filter(({ different }) => different.length > 0),
    (line) => line.model,
  );
}

/** The only line of a model with a difference. */
function only(found: ReadonlyMap<string, readonly Line[]>, name: string): Line {
  const [line, ...others] = found.get(name) ?? [];
  expect(others).toEqual([]);
  return line!;
}

/** Two differences that no request explains. */
const ghost = { model: 'ghost', key: secrets[0], input: 9, output: 9 };
function plantedInvoice(): readonly ProvidedUsage[] {
  const steady = provided.find((each) => each.model === 'steady');
  return [...provided, ghost, { ...steady!, input: 0, output: 1000 }];
}

test('each planted difference of an invoice is found and explained, and no other', async () => {
  const result = await reconciled(plantedInvoice().map(rowOf));
  const found = differing(result);
  expect([...found.keys()].toSorted()).toEqual(['flaky', 'ghost', 'gift', 'gone', 'silent', 'steady']);
  expect(result).toMatchObject({ by_credential: true, missing_records: [], from: day, to: day });
  const failedKey = provided.find((each) => each.model === 'flaky')?.key;
  const flaky = only(found, 'flaky');
  expect(flaky).toMatchObject({
    credential: secrets.indexOf(failedKey as (typeof secrets)[number]),
    difference: { input_tokens: 50, output_tokens: 0, cost: '0.00005', cached_tokens: null },
    reasons: { failed_attempt: 1 },
  });
  expect(only(found, 'silent').requests).toMatchObject([{ reasons: ['counted_usage'] }]);
  expect(only(found, 'gone').requests).toMatchObject([{ reasons: ['client_gone', 'counted_usage'] }]);
  expect(only(found, 'steady')).toMatchObject({ different: ['output_tokens', 'cost'], requests: [], reasons: {} });
  expect(only(found, 'ghost')).toMatchObject({ own: { attempts: 0, input_tokens: 0 }, charged: '0.00', requests: [] });
  // The cost of the route includes the discarded answer, the tokens do not.
  const gifts = found.get('gift') ?? [];
  expect(gifts.reduce((sum, { difference }) => sum + (difference.input_tokens ?? 0), 0)).toBe(100);
  expect(gifts.reduce((sum, { difference }) => sum + nanoFrom(difference.cost ?? '0'), 0n)).toBe(0n);
  for (const { requests } of gifts) expect(requests).toMatchObject([{ reasons: ['discarded_answer'] }]);
  const detail = await gateway.get(`/admin/v1/requests/${flaky.requests[0]?.id}`, { authorization: `Bearer ${token}` });
  expect(detail.json).toMatchObject({ model: 'flaky', attempt_count: 2 });
});

test('the lines have the attempts of the gateway and the charges of the accounts', async () => {
  const { lines } = await reconciled(provided.map(rowOf));
  const steady = lines.filter((line) => line.model === 'steady');
  expect(steady.reduce((sum, { own }) => sum + own.attempts, 0)).toBe(4);
  expect(steady.every(({ different }) => different.length === 0)).toBe(true);
  // 100 tokens for 3 and 3 tokens for 6, of a million.
  expect(steady.reduce((sum, { charged }) => sum + Number(charged), 0)).toBeCloseTo(4 * 0.000318, 9);
  const limited = lines.filter((line) => line.model === 'limited');
  expect(limited.reduce((sum, { own }) => sum + own.failed_attempts, 0)).toBe(1);
});

test('without credentials, the rows are compared by day and model', async () => {
  const rows = provided.map(rowOf).map(({ credential: _credential, ...row }) => row);
  const result = await reconciled(rows);
  expect(result.by_credential).toBe(false);
  expect([...differing(result).keys()]).toEqual(['flaky', 'gift', 'gone', 'silent']);
});

test('the command prints the same for a file, and its status says whether there are differences', async () => {
  const csv = (rows: readonly ProvidedUsage[]) =>
    ['\uFEFFDate;Model;Prompt Tokens;Completion Tokens;Cost;Key']
      .concat(
        rows.map((each) => {
          const row = rowOf(each);
          return `${day};"${row.model}";${row.input_tokens};${row.output_tokens};${row.cost.replace('.', ',')};${each.key}`;
        }),
      )
      .join('\r\n');
  const file = join(gateway.directory, 'usage.csv');
  const words = ['reconcile', file, '--provider', 'fake', '--data', join(gateway.directory, 'data')];
  const keys = ['--column', 'key=Key', '--keys', secrets.map((secret, index) => `${secret}=${index}`).join(',')];
  await writeFile(file, csv(plantedInvoice()));
  const printed = await command(...words, ...keys, '--json');
  expect(printed).toMatchObject({ status: 1, err: '' });
  expect(JSON.parse(printed.out)).toEqual({
    ...(await reconciled(plantedInvoice().map(rowOf))),
    skipped_rows: 0,
    repeated_rows: expect.any(Array),
  });
  const shown = await command(...words, ...keys);
  expect(shown.out).toMatch(/\d+ of \d+ lines differ by more than 0.5 %/);
  expect(shown.out).toMatch(/flaky, credential \d: 1 failed attempt/);
  await writeFile(file, csv(provided.filter((each) => ['steady', 'limited'].includes(each.model))));
  // The other models are on no row, so each of their lines differs.
  expect((await command(...words)).status).toBe(1);
  expect((await command(...words, '--tolerance', 'much')).status).toBe(2);
});

test('an invoice of an unknown upstream, of too many days or without rows is refused', async () => {
  const send = (body: object) => gateway.post('/admin/v1/reconciliations', body, { authorization: `Bearer ${token}` });
  const row = { day, model: 'steady', input_tokens: 1 };
  expect((await send({ upstream: 'unknown', rows: [row] })).status).toBe(404);
  const long = await send({ upstream: 'fake', rows: [row, { ...row, day: '2025-01-01' }] });
  expect([long.status, long.json.error.reason]).toEqual([400, 'invoice_too_long']);
  expect((await send({ upstream: 'fake', rows: [] })).status).toBe(400);
  expect((await send({ upstream: 'fake', rows: [{ ...row, cost: 1.5 }] })).status).toBe(400);
});

test('days whose records have expired are named', async () => {
  const { store } = gateway.gateway;
  const before = await reconciled(provided.map(rowOf));
  expect(before.missing_records).toEqual([]);
  const rollups = store.db
    .selectFrom('usage_rollup_days')
    .select('requests')
    .where('value', '=', '=fake')
    .where('account_id', '=', '');
  await expect.poll(() => rollups.execute(), { message: 'the rollup of the day' }).toEqual([{ requests: 9 }]);
  const [first] = await store.db.selectFrom('requests').select('id').limit(1).execute();
  await store.db.deleteFrom('requests').where('id', '=', first!.id).execute();
  expect((await reconciled(provided.map(rowOf))).missing_records).toEqual([{ day, requests: 1 }]);
});
