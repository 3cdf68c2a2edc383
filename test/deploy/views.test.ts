import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPepper } from '../../src/accounts/pepper.ts';
import { metricSpecs } from '../../src/telemetry/metric-names.ts';
import { eventually } from '../eventually.ts';
import { answer, chunk, endings, type FakeProvider, fakeProvider, finish, json, sse, usage } from '../fake-provider.ts';
import { makeKey } from '../keys.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';
import { type Prometheus, startPrometheus } from '../services/prometheus.ts';
import { readText, readYaml } from './definitions.ts';

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: { readonly summary: string; readonly runbook_url: string };
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const rules: readonly Rule[] = readYaml('deploy/views/rules.yaml').groups.flatMap(
  (group: { rules: readonly Rule[] }) => group.rules,
);
const { panels } = JSON.parse(readText('deploy/views/dashboard.json')) as { panels: readonly Panel[] };
const alerts = rules.filter(({ alert }) => alert !== undefined);
const drawn = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Of an alert the figure, without the bound: while all is well there is nothing beyond that. */
const figureAndBound = /^(.+) (?:>|<|==) [\d.e]+$/s;
const figure = ({ alert, expr }: Rule): string =>
  alert === undefined ? expr : (figureAndBound.exec(expr)?.[1] ?? `no bound in ${expr}`);

/** As Grafana would fill them in. */
const filledIn = (expr: string): string => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m');

test('every alert is a figure with a bound, and the handbook has a section for it, and for no other', () => {
  const sections = [...readText('docs/operations.md').matchAll(/^#+ (ChatGateway\w+)$/gm)].map(([, name]) => name);
  expect(new Set(sections)).toEqual(new Set(alerts.map(({ alert }) => alert)));
  for (const { alert, expr, annotations } of alerts) {
    expect(expr).toMatch(figureAndBound);
    expect(annotations?.runbook_url).toBe(`docs/operations.md#${alert?.toLowerCase()}`);
  }
});

test('every metric that they speak of exists, and every one of ours is drawn', () => {
  const recorded = new Set(rules.map(({ record }) => record));
  const spoken = [...rules.map(({ expr }) => expr), ...drawn].flatMap((expr) => namesIn(expr));
  const known = (name: string) =>
    recorded.has(name) || name === 'up' || Object.hasOwn(metricSpecs, name.replace(/_(bucket|sum|count)$/, ''));
  expect(spoken.filter((name) => !known(name))).toEqual([]);
  const seen = new Set(spoken.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect(Object.keys(metricSpecs).filter((name) => !seen.has(name))).toEqual([]);
});

const upstreams = ['good', 'bad', 'locked', 'narrow'] as const;
const routes: Readonly<Record<string, readonly (typeof upstreams)[number][]>> = {
  whole: ['good'],
  tools: ['good'],
  flaky: ['good'],
  broken: ['good'],
  down: ['bad'],
  moving: ['bad', 'good'],
  refused: ['locked'],
  narrow: ['narrow'],
  falling: ['bad'],
};
/** Several wait for the only place of one upstream all the time, those of two accounts. */
const clientsOf = (model: string): number => (model === 'narrow' ? 8 : 1);
/** Between two requests of a client: figures are wanted here, not load. */
const paceMs = 400;
/** A slow answer: all of them together take less than anybody's patience, since accounts are compared that never cease to wait. */
const turnMs = 100;

let provider: FakeProvider;
let gateway: ServedGateway | undefined;
let prometheus: Prometheus | undefined;
const over = new AbortController();

beforeAll(async () => {
  provider = await fakeProvider();
  misbehave(provider);
  gateway = await startServedGateway({ config: configuration(provider.url) });
});
afterAll(async () => {
  over.abort();
  await prometheus?.stop();
  await gateway?.clean();
  await provider.close();
});

test('a real Prometheus finds a figure for every rule and every panel of a gateway under load', async () => {
  const [, token = ''] = await gateway!.says(/admin token, shown this once: (\S+)/);
  const target = { job: 'chat-gateway', target: `127.0.0.1:${gateway!.port}`, token };
  prometheus = await startPrometheus(target, join(import.meta.dirname, '../../deploy/views/rules.yaml'));
  const keys = [gateway!.key, await keyOf('other')];
  const clients = keys.flatMap((key) =>
    Object.keys(routes).flatMap((model) => Array.from({ length: clientsOf(model) }, () => keepAsking(model, key))),
  );

  const missing = new Set([...rules.map(figure), ...drawn.map(filledIn)]);
  await eventually(async () => {
    for (const expr of missing) if ((await prometheus!.query(expr)).some(Number.isFinite)) missing.delete(expr);
    expect([...missing]).toEqual([]);
  });
  const { groups } = (await prometheus.ask('rules')) as { groups: { rules: { health: string }[] }[] };
  expect(groups.flatMap((group) => group.rules).filter(({ health }) => health !== 'ok')).toEqual([]);
  over.abort();
  await Promise.all(clients);
});

function configuration(base_url: string): Record<string, unknown> {
  const price = { input: '1', output: '2' };
  return {
    workers: 2,
    // Less than the body of one request.
    stored_bodies: { memory_bytes_max: '64KiB' },
    waiting: { max_wait: '3s' },
    upstreams: upstreams.map((name) => {
      return { name, kind: 'openai', base_url, api_key: name, max_concurrency: name === 'narrow' ? 1 : 50 };
    }),
    models: Object.entries(routes).map(([id, names]) => {
      const fallbacks = id === 'falling' ? [{ model: 'whole' }] : [];
      const guarantees = { stop: id === 'moving' ? 'gateway' : 'auto' };
      return { id, price, fallbacks, guarantees, routes: names.map((upstream, priority) => ({ upstream, priority })) };
    }),
    accounts: ['tester', 'other'].map((name) => ({ name, package: 'standard', credit: '10000.00' })),
  };
}

/** One provider behind all of them, which does whatever a figure needs to be more than nothing. */
function misbehave({ respond }: FakeProvider): void {
  const failure = json(500, { error: { message: 'out of order' } });
  const whole = answer('One two three four five.');
  let flaky = 0;
  respond('whole', whole);
  respond('flaky', (writer, call) => ((flaky += 1) % 2 === 0 ? whole : failure)(writer, call));
  respond('broken', sse([chunk({ role: 'assistant', content: 'One' }), chunk({ content: ' two' }), endings.reset]));
  respond('narrow', async (writer, call) => {
    await setTimeout(turnMs);
    await whole(writer, call);
  });
  respond('down', failure);
  respond('falling', failure);
  respond('moving', (writer, call) => (call.headers['authorization'] === 'Bearer bad' ? failure : whole)(writer, call));
  respond('refused', json(401, { error: { message: 'no such key' } }));
  const called = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } };
  respond(
    'tools',
    sse([chunk({ role: 'assistant', tool_calls: [called] }), finish('tool_calls'), usage(1, 1), '[DONE]']),
  );
}

async function keyOf(account: string): Promise<string> {
  const store = await gateway!.openStore();
  const pepper = await openPepper(store, { data: join(gateway!.directory, 'data'), secret: undefined });
  return (await makeKey({ store, pepper }, { account, name: 'test', storeBodies: true })).secret;
}

async function keepAsking(model: string, key: string): Promise<void> {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const messages = [{ role: 'user', content: 'Go on.' }];
  while (!over.signal.aborted) {
    const asked = fetch(`http://127.0.0.1:${gateway!.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        messages,
        ...(model === 'tools' ? { tools } : { stop: ['four'] }),
        ...long(model),
      }),
    });
    // What becomes of a request is not the matter here.
    await asked.then((response) => response.text()).catch(() => undefined);
    // Who waits for a turn is slow enough, and an account whose requests never cease to wait is compared with others.
    if (model !== 'narrow') await setTimeout(paceMs);
  }
}

/** One model is asked at a length that there is no room for. */
function long(model: string): object {
  return model === 'whole' ? { padding: 'x'.repeat(70_000) } : {};
}

/** The metrics in an expression: words that are neither functions nor labels. */
function namesIn(expr: string): readonly string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without) \([^)]*\)/g, ' ');
  return [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !['or', 'and', 'sum', 'min', 'max', 'count'].includes(name) && !/^e\d/.test(name));
}
