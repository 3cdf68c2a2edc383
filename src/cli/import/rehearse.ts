import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { randomBase62 } from '../../money/accounts/base62.ts';
import { openPepper } from '../../platform/secrets/pepper.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { parseConfig } from '../../platform/config/load.ts';
import { parseForeign } from 'chat-formats/json/foreign-json.ts';
import { systemClock } from '../../core/time/clock.ts';
import { applyPlan, type ImportResult } from '../../manage/import/apply-plan.ts';
import type { ImportPlan, PlannedKey } from 'chat-gateway-import/plan.ts';
import { Secret } from 'chat-gateway-import/secret.ts';
import { openStore } from '../../platform/store/store.ts';
import { knownKinds } from '../../serving/upstreams/providers/presets.ts';
import { answer, type Cell, table } from '../terminal/output.ts';
import { launchGateway } from '../serve/start-gateway.ts';
import { expectedFailure } from './expected-failure.ts';

/** The outcome of the request of one key. */
export interface KeyTrial {
  readonly key: PlannedKey;
  /** The model that was called. `undefined`: the key is offered none. */
  readonly model: string | undefined;
  readonly status: number;
  /** `undefined`: the key was answered. */
  readonly failure: string | undefined;
}

/** Requests that run at once. */
const atOnce = 8;
const standInPrefix = 'sk-rehearsal-';

/**
 * Imports into a temporary store, starts a gateway on it with simulated providers, and sends a request with every key. A
 * key that is only known by its hash gets a stand-in secret: everything after the look-up of the hash is the same. The
 * requests come from this machine, so address ranges of keys are left out.
 */
export async function rehearse(command: Command, plan: ImportPlan): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-rehearsal-'));
  try {
    const rehearsed = rehearsalPlan(plan);
    const result = await importInto(folder, rehearsed);
    const trials = await tryKeys(folder, rehearsed, result);
    answer(command, { json: rehearsalDocument(plan, trials), text: () => rehearsalText(plan, trials) });
    if (trials.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function rehearsalPlan(plan: ImportPlan): ImportPlan {
  return {
    ...plan,
    upstreams: plan.upstreams.map(({ sourceId, spec: { name, enabled } }) => ({
      sourceId,
      spec: { name, kind: 'simulated', ...(enabled === false && { enabled }) },
      secrets: {},
    })),
    keys: plan.keys.map(({ addresses: _addresses, ...key }) => ({
      ...key,
      secret: { form: sendableForm(key), value: sendableSecret(key) },
    })),
  };
}

function sendableForm({ secret }: PlannedKey): 'plain' | 'new-api' {
  return secret.form === 'sha256' ? 'plain' : secret.form;
}

function sendableSecret({ secret }: PlannedKey): Secret {
  return secret.form === 'sha256' ? new Secret(standInPrefix + randomBase62(32)) : secret.value;
}

async function importInto(data: string, plan: ImportPlan): Promise<ImportResult> {
  const store = await openStore({ data });
  try {
    const pepper = await openPepper(store, { data, secret: undefined, otherSecrets: [] });
    const parts = { store, clock: systemClock, pepper, vault: secretVault(pepper), kinds: knownKinds };
    return await applyPlan(plan, { ...parts, source: 'rehearsal', operator: 'rehearsal' });
  } finally {
    await store.close();
  }
}

async function tryKeys(data: string, plan: ImportPlan, { keys }: ImportResult): Promise<readonly KeyTrial[]> {
  const parsed = parseConfig(
    JSON.stringify({ listen: { host: '127.0.0.1', port: 0 }, data, log: { level: 'silent' } }),
    {
      env: {},
      fileName: join(data, 'gateway.yaml'),
      kinds: knownKinds,
    },
  );
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join(' '));
  const gateway = await launchGateway(parsed, {});
  try {
    const url = `http://127.0.0.1:${gateway.address.port}`;
    const trials: KeyTrial[] = [];
    for (let start = 0; start < plan.keys.length; start += atOnce) {
      const some = plan.keys.slice(start, start + atOnce);
      trials.push(
        ...(await Promise.all(some.map((key) => tryKey(url, key, { plan, isImported: keys.has(key.sourceId) })))),
      );
    }
    return trials;
  } finally {
    await gateway.stop({ graceMs: 0 });
  }
}

interface TrialParts {
  readonly plan: ImportPlan;
  readonly isImported: boolean;
}

async function tryKey(url: string, key: PlannedKey, { plan, isImported }: TrialParts): Promise<KeyTrial> {
  const failed = (model: string | undefined, { status, text }: Answer): KeyTrial => {
    const failure = isImported
      ? (expectedFailure(key, plan, systemClock.now()) ?? errorText(text))
      : 'it is left out of the import';
    return { key, model, status, failure };
  };
  const listed = await send(`${url}/v1/models`, key);
  if (listed.status !== 200) return failed(undefined, listed);
  const model = chosenModel(listed.text, plan);
  if (!model) return failed(undefined, { status: 0, text: '' });
  const { path, body } = requestFor(model, plan);
  const answered = await send(url + path, key, body);
  return answered.status === 200 && !answered.text.includes('"error"')
    ? { key, model, status: 200, failure: undefined }
    : failed(model, answered);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send(url: string, { secret }: PlannedKey, body?: object): Promise<Answer> {
  if (secret.form === 'sha256') throw new Error('a hash cannot be sent');
  const headers = { authorization: `Bearer ${secret.value.reveal()}`, 'content-type': 'application/json' };
  const reply = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  return { status: reply.status, text: await reply.text() };
}

/** A model for conversations, if the key has one. */
function chosenModel(listing: string, plan: ImportPlan): string | undefined {
  const { data } = parseForeign(listing) as { readonly data: readonly { readonly id: string }[] };
  const ids = data.map(({ id }) => id);
  return ids.find((id) => endpointOf(id, plan) === undefined) ?? ids[0];
}

function endpointOf(id: string, { models }: ImportPlan): string | undefined {
  return models.find(({ spec }) => spec.id === id)?.spec.endpoints?.[0];
}

function requestFor(model: string, plan: ImportPlan): { readonly path: string; readonly body: object } {
  switch (endpointOf(model, plan)) {
    case 'embeddings':
      return { path: '/v1/embeddings', body: { model, input: 'Hello' } };
    case 'rerank':
      return { path: '/v1/rerank', body: { model, query: 'Hello', documents: ['Hello', 'Goodbye'] } };
    case 'moderations':
      return { path: '/v1/moderations', body: { model, input: 'Hello' } };
    default:
      return {
        path: '/v1/chat/completions',
        body: { model, messages: [{ role: 'user', content: 'Hello' }], stream: true, max_tokens: 16 },
      };
  }
}

function errorText(text: string): string {
  const [, message] = /"message":"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  return message ?? 'no model is offered to the key';
}

function rehearsalText(plan: ImportPlan, trials: readonly KeyTrial[]): string {
  const failed = trials.filter(({ failure }) => failure !== undefined);
  const names = new Map(plan.accounts.map(({ sourceId, name }) => [sourceId, name]));
  const rows = failed.map(({ key, status, failure }): Cell[] => [
    key.name,
    names.get(key.account) ?? '',
    status === 0 ? '' : String(status),
    { text: failure ?? '', paint: colors.red },
  ]);
  const hashed = plan.keys.filter(({ secret }) => secret.form === 'sha256').length;
  return [
    ...(failed.length > 0 ? [table(['key', 'account', 'status', 'why it would fail'], rows, 160), ''] : []),
    `${trials.length - failed.length} of ${trials.length} keys were answered by simulated providers.`,
    ...(hashed > 0
      ? [
          `${hashed} keys are known only by their hash and cannot be sent. They were tried with stand-in secrets, so only the look-up of their hash is untried.`,
        ]
      : []),
    'Nothing was imported, and no provider was called.',
  ].join('\n');
}

function rehearsalDocument(plan: ImportPlan, trials: readonly KeyTrial[]): object {
  const forms = new Map(plan.keys.map(({ sourceId, secret }) => [sourceId, secret.form]));
  return {
    keys: trials.map(({ key, model, status, failure }) => ({
      source_id: key.sourceId,
      name: key.name,
      stand_in: forms.get(key.sourceId) === 'sha256',
      model: model ?? null,
      status,
      failure: failure ?? null,
    })),
    answered: trials.filter(({ failure }) => failure === undefined).length,
    failed: trials.filter(({ failure }) => failure !== undefined).length,
  };
}
