import { afterAll, beforeAll, expect, test } from 'vitest';
import { conform } from './conform.ts';
import { bending, bendingJson, to, toChat } from './fake/change.ts';
import { type FakeGateway, fakeGateway } from './fake/gateway.ts';
import { failuresOf, type Scorecard, totalsOf } from './scorecard.ts';

let fake: FakeGateway;
beforeAll(async () => {
  fake = await fakeGateway();
});
afterAll(() => fake.close());

test('a gateway that keeps the contract passes every check', async () => {
  fake.be({});
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key });
  expect(failuresOf(scorecard)).toEqual([]);
  expect(totalsOf(scorecard.groups).skip).toBe(0);
  expect(scorecard.model).toBe('fake-chat-2026-01-02');
  expect(fake.crashes).toEqual([]);
});

test('what a deployment does not offer is skipped with a reason, not failed', async () => {
  const absent = ['/v1/completions', '/v1/user/balance', '/anthropic/v1/messages'];
  const route = bending(
    ({ path }) => absent.includes(path),
    (reply) => void (reply.status = 404),
  );
  fake.be(route);
  const only = ['completions', 'balance', 'messages-surface'];
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key }, { only });
  expect(totalsOf(scorecard.groups)).toEqual({ pass: 0, fail: 0, skip: 15 });
  expect(reasons(scorecard)).toContain('this deployment has no /anthropic/v1/messages');
});

test('abilities that the chosen model lacks are skipped with a reason', async () => {
  fake.be({});
  const target = { baseUrl: fake.url, key: fake.key };
  const only = ['tools', 'thinking', 'logprobs'];
  const scorecard = await conform(target, { model: 'fake-thinker-2026-02-03', only });
  expect(failuresOf(scorecard)).toEqual([]);
  expect(reasons(scorecard)).toContain('no tool call came from fake-thinker-2026-02-03');
  expect(reasons(scorecard)).toContain('no logprobs came from fake-thinker-2026-02-03');
});

test('a field that only the upstream refuses is skipped', async () => {
  fake.be(
    bending(
      ({ json }) => typeof json.reasoning_effort === 'string',
      (reply) => {
        reply.status = 400;
        reply.body = '{"error":{"type":"upstream_error","code":"x","message":"no","param":""}}';
      },
    ),
  );
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key }, { only: ['fields'] });
  expect(failuresOf(scorecard)).toEqual([]);
  expect(totalsOf(scorecard.groups).skip).toBe(1);
});

test('a model given by its alias must be answered under an id of the catalog', async () => {
  fake.be({});
  const target = { baseUrl: fake.url, key: fake.key };
  const scorecard = await conform(target, { model: 'fake-agent', only: ['names', 'stream-shape'] });
  expect(failuresOf(scorecard)).toEqual([]);
});

test('an empty catalog leaves nothing to ask, which is a failure and says so', async () => {
  fake.be(bendingJson(to('/v1/models', 'GET'), (body) => void (body.data = [])));
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key }, { only: ['logprobs'] });
  expect(scorecard.model).toBeUndefined();
  expect(failuresOf(scorecard)[0]?.outcome).toMatchObject({ expected: 'a model in the catalog to ask' });
});

test('the same chat is asked only once', async () => {
  const bodies: string[] = [];
  fake.be(bending(toChat, (_reply, { body }) => void bodies.push(body)));
  await conform({ baseUrl: fake.url, key: fake.key }, { only: ['stream-shape', 'usage', 'logprobs'] });
  expect(bodies.length).toBeGreaterThan(0);
  expect(new Set(bodies).size).toBe(bodies.length);
});

test('the address may end in /v1 or in a slash', async () => {
  fake.be({});
  for (const end of ['', '/', '/v1', '/v1/']) {
    const scorecard = await conform({ baseUrl: fake.url + end, key: fake.key }, { only: ['models'] });
    expect(scorecard.baseUrl).toBe(fake.url);
    expect(failuresOf(scorecard)).toEqual([]);
  }
});

test('groups are told as they finish, in order', async () => {
  fake.be({});
  const told: string[] = [];
  const onGroup = ({ name }: { name: string }) => void told.push(name);
  await conform({ baseUrl: fake.url, key: fake.key }, { only: ['http', 'models', 'headers'], onGroup });
  expect(told).toEqual(['models', 'http', 'headers']);
});

test('a key that the deployment echoes is not in the report', async () => {
  const echo = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => `No: ${String(headers.authorization)}`;
  fake.be({ change: (reply, request) => void (reply.body = echo(request)) });
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key });
  const report = JSON.stringify(scorecard);
  expect(report).toContain('(the key)');
  expect(report).not.toContain(fake.key.slice(0, 12));
});

test('a deployment that cannot be reached is no scorecard', async () => {
  const gone = await fakeGateway();
  gone.close();
  await expect(conform({ baseUrl: gone.url, key: 'k' })).rejects.toThrow(/GET \/v1\/models: .*ECONNREFUSED/);
});

test('a group that does not exist is refused by name', async () => {
  const target = { baseUrl: fake.url, key: fake.key };
  await expect(conform(target, { only: ['models', 'weather'] })).rejects.toThrow(/no group "weather".*never-429/);
});

function reasons(scorecard: Scorecard): readonly string[] {
  const outcomes = scorecard.groups.flatMap((group) => group.checks.map((check) => check.outcome));
  return outcomes.flatMap((outcome) => (outcome.kind === 'skip' ? [outcome.reason] : []));
}
