import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import { organisations } from '../../../src/money/accounts/organisations.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { sql } from 'kysely';
import { json } from '../../fakes/fake-replies.ts';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

const canary = 'canary-7d1f';
const reference = '${CANARY_SECRET}';
let gateway: TestGateway;
let owner: ConsolePerson;
let operator: ConsolePerson;
/** The id that replaces `:id`, by the kind of thing in the path. */
let ids: Readonly<Record<string, string>>;
beforeAll(async () => {
  // Owners may name the variable here.
  const egress = { allow: ['127.0.0.1'], variables: ['CANARY_SECRET'] };
  gateway = await startTestGateway((base) => ({ ...base, egress, webhooks: { allow: ['127.0.0.1'] } }), {
    env: { CANARY_SECRET: canary },
  });
  gateway.provider.respond('GET /v1/models', json(200, { data: [{ id: 'large' }] }));
  gateway.provider.respond('POST /hook', json(200, {}));
  owner = await newPerson(gateway, { operator: 'owner' });
  operator = await newPerson(gateway, { operator: 'operator' });
  const accounts = await newAccount(gateway, 'team');
  const group = await organisations(gateway.gateway.store, systemClock).create({ name: 'group' });
  for (const [path, body] of Object.entries(things)) await owner.post(`/admin/v1/${path}`, body());
  const { id: keys } = await owner.post('/admin/v1/keys', { account: accounts, name: 'key' });
  const { id: webhooks } = await owner.post('/admin/v1/webhooks', hook());
  const named = { upstreams: 'own', models: 'own', packages: 'own', sites: 'own' };
  ids = { ...named, accounts, organisations: group.id, keys, webhooks, people: operator.id };
});
afterAll(() => gateway.stop());

const upstream = () => ({ name: 'own', kind: 'openai', base_url: gateway.provider.url, api_key: 'sk-literal' });
const hook = () => ({ name: 'hook', url: `${gateway.provider.url}/hook` });
const model = { id: 'own', routes: [{ upstream: 'fake', model: 'plain' }], price: 'free' };
const things: Readonly<Record<string, () => object>> = {
  upstreams: upstream,
  models: () => model,
  packages: () => ({ name: 'own', models: ['*'] }),
  sites: () => ({ name: 'own', domains: ['own.example'], models: ['*'], title: 'Own' }),
};

/** Bodies that are accepted. The name of a new thing is different each time. */
const bodies: Readonly<Record<string, (name: string) => object>> = {
  ...Object.fromEntries(
    Object.entries(things).flatMap(([path, body]) => [
      [`POST ${path}`, (name: string) => ({ ...body(), [path === 'models' ? 'id' : 'name']: name })],
      [`PUT ${path}/:id`, body],
    ]),
  ),
  'POST accounts': (name) => ({ name, package: 'standard', display_name: 'Team' }),
  'PATCH accounts/:id': () => ({ display_name: 'Team' }),
  'POST organisations': (name) => ({ name }),
  'PATCH organisations/:id': () => ({ display_name: 'Group' }),
  'POST organisations/:id/invitations': (name) => ({ email: `${name}@example.com`, role: 'viewer' }),
  'POST accounts/:id/invitations': (name) => ({ email: `${name}@example.com`, role: 'viewer' }),
  'POST accounts/:id/credits': (name) => ({ kind: 'grant', amount: '1', reference: name, reason: 'walk' }),
  'POST code-batches': () => ({ count: 1, amount: '1', kind: 'grant', note: 'walk' }),
  'POST keys': (name) => ({ name, account: ids['accounts'] }),
  'PATCH keys/:id': () => ({ name: 'key' }),
  'POST upstreams/:id/keys': () => ({ api_keys: ['sk-literal'] }),
  'POST model-batches': (id) => ({ models: [{ ...model, id }] }),
  'PATCH people/:id': () => ({ name: 'Person' }),
  'PATCH accounts/:id/alerts': () => ({ low_balance: '1' }),
  'POST webhooks': hook,
  'PATCH webhooks/:id': hook,
};
/** They are walked too, but need a state that the walk does not have, so it does not know that they accept a body. */
const others = [
  'POST reconciliations',
  'POST keys/import',
  'POST keys/:id/rotate',
  'POST price-batches',
  'POST people/:id/reset',
  'PATCH accounts/:id/members',
  'POST mail/test',
  'POST webhooks/:id/rotate',
];

const routes = endpoints
  .filter(({ access, body, path }) => access === 'operator' && body !== undefined && path.startsWith('/admin/v1/'))
  .map((endpoint) => [`${endpoint.method} ${endpoint.path.slice('/admin/v1/'.length)}`, endpoint] as const);

test('each endpoint with a body is walked', () => {
  expect(routes.map(([route]) => route).toSorted()).toEqual([...Object.keys(bodies), ...others].toSorted());
});

let count = 0;
test.each(routes)(
  '%s: no text that an operator stores is replaced by a variable',
  async (route, { method, path, body }) => {
    const kind = path.split('/')[3] ?? '';
    const target = path.replace(':id', ids[kind] ?? 'x');
    const send = async (change: (sent: object) => object): Promise<number> => {
      const name = `walk-${(count += 1)}`;
      const { status } = await operator.send(method, target, change(bodies[route]?.(name) ?? {}));
      if (status === 200 && (kind === 'upstreams' || kind === 'webhooks')) {
        const id = method === 'POST' && !path.includes(':id') && kind === 'upstreams' ? name : ids[kind];
        await operator.send('POST', `/admin/v1/${kind}/${id}/test`);
      }
      return status;
    };
    if (bodies[route]) {
      const needsOwner = route === 'POST sites';
      expect(await send((sent) => sent)).toBe(needsOwner ? 403 : 200);
    }
    for (const place of textsIn(z.toJSONSchema(body?.schema ?? z.never(), { io: 'input', unrepresentable: 'any' }))) {
      await send((sent) => withText(sent, place, () => reference) as object);
      await send((sent) => withText(sent, place, (text) => `${text}${reference}`) as object);
    }
    expect(await everywhere()).not.toContain(canary);
  },
);

test('the walk would see the variable: an owner sends it', async () => {
  await owner.post('/admin/v1/upstreams', { ...upstream(), name: 'seen', api_key: reference });
  await owner.post('/admin/v1/upstreams/seen/test');
  expect(await everywhere()).toContain(canary);
});

type Schema = Readonly<Record<string, unknown>>;

/** The place of each text in values of the schema. `x` is a name of a record. */
function textsIn(schema: Schema, place: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  const { type, properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  if (place.length > 6) return [];
  const inside = (value: unknown, ...names: (string | number)[]) =>
    typeof value === 'object' && value !== null ? textsIn(value as Schema, [...place, ...names]) : [];
  return [
    ...(type === 'string' && !('enum' in schema) && !('const' in schema) ? [place] : []),
    ...Object.entries(properties as Schema).flatMap(([name, value]) => inside(value, name)),
    ...inside(items, 0),
    ...inside(additionalProperties, 'x'),
    ...[anyOf, oneOf, allOf].flatMap((each) => (each as readonly unknown[]).flatMap((one) => inside(one))),
  ];
}

function withText(
  value: unknown,
  [name, ...rest]: readonly (string | number)[],
  text: (old: string) => string,
): unknown {
  if (name === undefined) return text(typeof value === 'string' ? value : '');
  const copy = Array.isArray(value)
    ? [...value]
    : typeof value === 'object' && value !== null
      ? { ...value }
      : undefined;
  const into = (copy ?? (typeof name === 'number' ? [] : {})) as Record<string | number, unknown>;
  into[name] = withText(into[name], rest, text);
  return into;
}

/** All that the provider received, the store holds and the lists of the API show. */
async function everywhere(): Promise<string> {
  const { db } = gateway.gateway.store;
  const sent = gateway.provider.calls.map(({ headers, path, text }) => [headers, path, text]);
  const tables = await db.introspection.getTables();
  const stored = await Promise.all(
    tables.map(async ({ name }) => (await sql`select * from ${sql.table(name)}`.execute(db)).rows),
  );
  const lists = endpoints.filter(({ method, path }) => method === 'GET' && /^\/admin\/v1\/[a-z-]+$/.test(path));
  const shown = await Promise.all(lists.map(async ({ path }) => (await owner.send('GET', path)).text));
  return JSON.stringify([sent, stored, shown], (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}
