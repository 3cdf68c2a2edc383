import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPepper } from '../../src/accounts/pepper.ts';
import { metricSpecs } from '../../src/telemetry/metric-names.ts';
import {
  answer,
  chunk,
  endings,
  type FakeProvider,
  fakeProvider,
  finish,
  gate,
  json,
  sse,
  usage,
} from '../fake-provider.ts';
import { patientTimeouts } from '../gateway.ts';
import { makeKey } from '../keys.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';
import { type Prometheus, scrapeMs, startPrometheus } from '../services/prometheus.ts';
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
  overstated: ['good'],
  flaky: ['good'],
  broken: ['good'],
  down: ['bad'],
  moving: ['bad', 'good'],
  refused: ['locked'],
  narrow: ['narrow'],
  falling: ['bad'],
};
const workers = 2;
/** One more than there are workers: two of them wait in the same worker, wherever their connections go. */
const waiting = ['first', 'second', 'third'];
/** A client says this when it waits for two seconds at most: at the narrow upstream it waits in vain. */
const impatient = { 'x-stainless-timeout': '2' };
/** Between two requests of a client: figures are wanted here, not load. */
const paceMs = 400;

let provider: FakeProvider;
let gateway: ServedGateway | undefined;
let prometheus: Prometheus | undefined;
const over = new AbortController();
/** Opens when the only slot of the narrow upstream may be free again. */
const held = gate();

beforeAll(async () => {
  provider = await fakeProvider();
  misbehave(provider);
  gateway = await startServedGateway({ config: configuration(provider.url) });
});
afterAll(async () => {
  over.abort();
  held.open();
  await prometheus?.stop();
  await gateway?.clean();
  await provider.close();
});

test('a real Prometheus finds a figure for every rule and every panel of a gateway under load', async () => {
  const [, token = ''] = await gateway!.says(/admin token, shown only once: (\S+)/);
  const target = { job: 'chat-gateway', target: `127.0.0.1:${gateway!.port}`, token };
  prometheus = await startPrometheus(target, join(import.meta.dirname, '../../deploy/views/rules.yaml'));
  const { key } = gateway!;
  // Accounts are compared that wait all the time, while one request holds the only slot.
  const inSlot = ask('narrow', key);
  await provider.call('narrow').received;
  const [storing = '', ...others] = await keysOf(['storing', ...waiting]);
  const clients = [
    inSlot,
    ...others.map((other) => keepAsking('narrow', other)),
    ...Object.keys(routes).map((model) => keepAsking(model, key, model === 'narrow' ? impatient : {})),
    keepAsking('whole', storing),
  ];

  const missing = new Set([...rules.map(figure), ...drawn.map(filledIn)]);
  const stillMissing = async (): Promise<readonly string[]> => {
    for (const expr of missing) if ((await prometheus!.query(expr)).some(Number.isFinite)) missing.delete(expr);
    return [...missing];
  };
  await expect.poll(stillMissing, { message: 'expressions without a figure', interval: scrapeMs }).toEqual([]);
  const unwell = async (): Promise<readonly object[]> => {
    const { groups } = (await prometheus!.ask('rules')) as { groups: { rules: { health: string }[] }[] };
    return groups.flatMap((group) => group.rules).filter(({ health }) => health !== 'ok');
  };
  await expect.poll(unwell, { message: 'rules that Prometheus could not evaluate', interval: scrapeMs }).toEqual([]);
  over.abort();
  held.open();
  await Promise.all(clients);
});

function configuration(base_url: string): Record<string, unknown> {
  const price = { input: '1', output: '2' };
  return {
    workers,
    // Less than the body of one request.
    stored_bodies: { memory_bytes_max: '64KiB' },
    upstreams: upstreams.map((name) => {
      const max_concurrency = name === 'narrow' ? 1 : 50;
      return { name, kind: 'openai', base_url, api_key: name, max_concurrency, timeouts: patientTimeouts };
    }),
    models: Object.entries(routes).map(([id, names]) => {
      const fallbacks = id === 'falling' ? [{ model: 'whole' }] : [];
      const guarantees = { stop: id === 'moving' ? 'gateway' : 'auto' };
      return { id, price, fallbacks, guarantees, routes: names.map((upstream, priority) => ({ upstream, priority })) };
    }),
    accounts: ['tester', 'storing', ...waiting].map((name) => ({ name, package: 'standard', credit: '10000.00' })),
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
    await held.opened;
    await whole(writer, call);
  });
  respond('overstated', sse([chunk({ content: 'One' }), finish('stop'), usage(1, 10 ** 12), '[DONE]']));
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

async function keysOf(accounts: readonly string[]): Promise<readonly string[]> {
  const store = await gateway!.openStore();
  const pepper = await openPepper(store, { data: join(gateway!.directory, 'data'), secret: undefined });
  const made = accounts.map((account) => makeKey({ store, pepper }, { account, name: 'test', storeBodies: true }));
  return (await Promise.all(made)).map(({ secret }) => secret);
}

async function keepAsking(model: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  while (!over.signal.aborted) {
    await ask(model, key, headers);
    await setTimeout(paceMs);
  }
}

/** One request, whatever becomes of it. */
async function ask(model: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const messages = [{ role: 'user', content: 'Go on.' }];
  const asked = fetch(`http://127.0.0.1:${gateway!.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model,
      messages,
      ...(model === 'tools' ? { tools } : { stop: ['four'] }),
      ...long(model),
    }),
  });
  await asked.then((response) => response.text()).catch(() => undefined);
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
