import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partsOf, type Rule, ruleGroups } from '../../scripts/staged-alerts.ts';
import { openPepper } from '../../src/platform/secrets/pepper.ts';
import { metricSpecs } from '../../src/operate/telemetry/metrics/metric-names.ts';
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
} from '../fakes/fake-provider.ts';
import { patientTimeouts } from '../gateways/gateway.ts';
import { makeKey } from '../keys.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';
import { type Prometheus, scrapeMs, startPrometheus } from '../services/prometheus.ts';
import { readText } from './definitions.ts';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const rules = ruleGroups().flatMap((group) => group.rules);
const { panels } = JSON.parse(readText('deploy/views/dashboard.json')) as { panels: readonly Panel[] };
const alerts = rules.filter(({ alert }) => alert !== undefined);
const panelExpressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** The test queries the figure of an alert, because a healthy gateway exceeds no bound. */
const figure = (rule: Rule): string => (rule.alert === undefined ? rule.expr : partsOf(rule).figure);

/** Replaces the variables as Grafana does. */
const filledIn = (expr: string): string => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m');

test('every alert is a figure with a bound, and the handbook has exactly one section for each alert', () => {
  const sections = [...readText('docs/operations.md').matchAll(/^#+ (ChatGateway\w+)$/gm)].map(([, name]) => name);
  expect(new Set(sections)).toEqual(new Set(alerts.map(({ alert }) => alert)));
  for (const rule of alerts) {
    const { alert, annotations } = rule;
    expect(partsOf(rule).bound).not.toBe('');
    expect(annotations?.runbook_url).toBe(`docs/operations.md#${alert?.toLowerCase()}`);
  }
});

test('every metric in rules and panels exists, and every metric of the gateway is used', () => {
  const recorded = new Set(rules.map(({ record }) => record));
  const usedNames = [...rules.map(({ expr }) => expr), ...panelExpressions].flatMap((expr) => namesIn(expr));
  const known = (name: string) =>
    recorded.has(name) || name === 'up' || Object.hasOwn(metricSpecs, name.replace(/_(bucket|sum|count)$/, ''));
  expect(usedNames.filter((name) => !known(name))).toEqual([]);
  const usedMetrics = new Set(usedNames.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect(Object.keys(metricSpecs).filter((name) => !usedMetrics.has(name))).toEqual([]);
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
/** One more than the workers, so that two of them wait in the same worker. */
const waiting = ['first', 'second', 'third'];
/** A client timeout of 2 s. At the narrow upstream it ends in a queue timeout. */
const shortTimeout = { 'x-stainless-timeout': '2' };
/** The pause between two requests of a client. The test needs figures, not load. */
const paceMs = 400;

let provider: FakeProvider;
let gateway: ServedGateway | undefined;
let prometheus: Prometheus | undefined;
const over = new AbortController();
/** Opened when the only slot of the narrow upstream may become free. */
const held = gate();

beforeAll(async () => {
  provider = await fakeProvider();
  scriptReplies(provider);
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
  const [, token = ''] = await gateway!.waitForOutput(/admin token, shown only once: (\S+)/);
  const target = { job: 'chat-gateway', targets: [`127.0.0.1:${gateway!.port}`], token };
  prometheus = await startPrometheus(target, readText('deploy/views/rules.yaml'));
  const { key } = gateway!;
  // One request holds the only slot, so that the other accounts wait all the time and can be compared.
  const inSlot = send('narrow', key);
  await provider.call('narrow').received;
  const [storing = '', ...others] = await keysOf(['storing', ...waiting]);
  const clients = [
    inSlot,
    ...others.map((other) => sendInLoop('narrow', other)),
    ...Object.keys(routes).map((model) => sendInLoop(model, key, model === 'narrow' ? shortTimeout : {})),
    sendInLoop('whole', storing),
  ];

  const missing = new Set([...rules.map(figure), ...panelExpressions.map(filledIn)]);
  const stillMissing = async (): Promise<readonly string[]> => {
    for (const expr of missing) if ((await prometheus!.query(expr)).some(Number.isFinite)) missing.delete(expr);
    return [...missing];
  };
  await expect.poll(stillMissing, { message: 'expressions without a figure', interval: scrapeMs }).toEqual([]);
  const failedRules = async (): Promise<readonly object[]> => {
    const { groups } = (await prometheus!.fetchData('rules')) as { groups: { rules: { health: string }[] }[] };
    return groups.flatMap((group) => group.rules).filter(({ health }) => health !== 'ok');
  };
  await expect
    .poll(failedRules, { message: 'rules that Prometheus could not evaluate', interval: scrapeMs })
    .toEqual([]);
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

/** Scripts the provider of all upstreams so that every figure has a value. */
function scriptReplies({ respond }: FakeProvider): void {
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
  const creating = accounts.map((account) => makeKey({ store, pepper }, { account, name: 'test', storeBodies: true }));
  return (await Promise.all(creating)).map(({ secret }) => secret);
}

async function sendInLoop(model: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  while (!over.signal.aborted) {
    await send(model, key, headers);
    await setTimeout(paceMs);
  }
}

/** Sends one request and ignores its outcome. */
async function send(model: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const messages = [{ role: 'user', content: 'Go on.' }];
  const reply = fetch(`http://127.0.0.1:${gateway!.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model,
      messages,
      ...(model === 'tools' ? { tools } : { stop: ['four'] }),
      ...long(model),
    }),
  });
  await reply.then((response) => response.text()).catch(() => undefined);
}

/** Requests of one model exceed the memory for stored bodies. */
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
