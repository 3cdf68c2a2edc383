import { afterAll, beforeAll, expect, test } from 'vitest';
import { conform } from './conform.ts';
import { changing, changingJson, to, toChat } from './fake/change.ts';
import { type FakeGateway, fakeGateway } from './fake/gateway.ts';
import { failuresOf, type Scorecard, totalsOf } from './scorecard.ts';

let fake: FakeGateway;
beforeAll(async () => {
  fake = await fakeGateway();
});
afterAll(() => fake.close());

test('a conforming gateway passes every check', async () => {
  fake.setFault({});
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key });
  expect(failuresOf(scorecard)).toEqual([]);
  expect(totalsOf(scorecard.groups).skip).toBe(0);
  expect(scorecard.model).toBe('fake-chat-2026-01-02');
  expect(fake.crashes).toEqual([]);
});

test('checks of missing endpoints are skipped with a reason', async () => {
  const absent = ['/v1/completions', '/v1/user/balance', '/anthropic/v1/messages'];
  const route = changing(
    ({ path }) => absent.includes(path),
    (reply) => void (reply.status = 404),
  );
  fake.setFault(route);
  const only = ['completions', 'balance', 'messages-surface'];
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key }, { only });
  expect(totalsOf(scorecard.groups)).toEqual({ pass: 0, fail: 0, skip: 15 });
  expect(reasons(scorecard)).toContain('this deployment has no /anthropic/v1/messages');
});

test('checks of capabilities that the chosen model lacks are skipped with a reason', async () => {
  fake.setFault({});
  const target = { baseUrl: fake.url, key: fake.key };
  const only = ['tools', 'thinking', 'logprobs'];
  const scorecard = await conform(target, { model: 'fake-thinker-2026-02-03', only });
  expect(failuresOf(scorecard)).toEqual([]);
  expect(reasons(scorecard)).toContain('no tool call came from fake-thinker-2026-02-03');
  expect(reasons(scorecard)).toContain('no logprobs came from fake-thinker-2026-02-03');
});

test('a check is skipped if only the upstream rejects the field', async () => {
  fake.setFault(
    changing(
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

test('a model given by its alias is answered under an id of the catalog', async () => {
  fake.setFault({});
  const target = { baseUrl: fake.url, key: fake.key };
  const scorecard = await conform(target, { model: 'fake-agent', only: ['names', 'stream-shape'] });
  expect(failuresOf(scorecard)).toEqual([]);
});

test('an empty catalog fails the checks that need a model', async () => {
  fake.setFault(changingJson(to('/v1/models', 'GET'), (body) => void (body.data = [])));
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key }, { only: ['logprobs'] });
  expect(scorecard.model).toBeUndefined();
  expect(failuresOf(scorecard)[0]?.outcome).toMatchObject({ expected: 'a model in the catalog' });
});

test('the same chat request is sent only once', async () => {
  const bodies: string[] = [];
  fake.setFault(changing(toChat, (_reply, { body }) => void bodies.push(body)));
  await conform({ baseUrl: fake.url, key: fake.key }, { only: ['stream-shape', 'usage', 'logprobs'] });
  expect(bodies.length).toBeGreaterThan(0);
  expect(new Set(bodies).size).toBe(bodies.length);
});

test('the address may end in /v1 or in a slash', async () => {
  fake.setFault({});
  for (const end of ['', '/', '/v1', '/v1/']) {
    const scorecard = await conform({ baseUrl: fake.url + end, key: fake.key }, { only: ['models'] });
    expect(scorecard.baseUrl).toBe(fake.url);
    expect(failuresOf(scorecard)).toEqual([]);
  }
});

test('onGroup receives each group as it finishes, in order', async () => {
  fake.setFault({});
  const finished: string[] = [];
  const onGroup = ({ name }: { name: string }) => void finished.push(name);
  await conform({ baseUrl: fake.url, key: fake.key }, { only: ['http', 'models', 'headers'], onGroup });
  expect(finished).toEqual(['models', 'http', 'headers']);
});

test('the report does not contain a key that the deployment echoes', async () => {
  const echo = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => `No: ${String(headers.authorization)}`;
  fake.setFault({ change: (reply, request) => void (reply.body = echo(request)) });
  const scorecard = await conform({ baseUrl: fake.url, key: fake.key });
  const report = JSON.stringify(scorecard);
  expect(report).toContain('(the key)');
  expect(report).not.toContain(fake.key.slice(0, 12));
});

test('conform rejects if the deployment cannot be reached', async () => {
  const gone = await fakeGateway();
  gone.close();
  await expect(conform({ baseUrl: gone.url, key: 'k' })).rejects.toThrow(/GET \/v1\/models: .*ECONNREFUSED/);
});

test('conform rejects an unknown group by name', async () => {
  const target = { baseUrl: fake.url, key: fake.key };
  await expect(conform(target, { only: ['models', 'weather'] })).rejects.toThrow(/no group "weather".*never-429/);
});

function reasons(scorecard: Scorecard): readonly string[] {
  const outcomes = scorecard.groups.flatMap((group) => group.checks.map((check) => check.outcome));
  return outcomes.flatMap((outcome) => (outcome.kind === 'skip' ? [outcome.reason] : []));
}
