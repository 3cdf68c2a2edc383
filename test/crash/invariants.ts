import { catchUp } from '../../src/money/requests/rollups/rollup-worker.ts';
import { wrongRollups } from '../rollups/wrong-rollups.ts';
import type { CrashOutcome } from './client.ts';
import type { Evidence, Invariant } from './evidence.ts';
import { moneyInvariants } from './money-invariants.ts';
import { answerPlan } from './plan.ts';

/** All invariants that must hold after every crash. */
const invariants: Readonly<Record<string, Invariant>> = {
  'every gateway serves again': async ({ gateways, key }) => {
    const statuses = await Promise.all(gateways.map(({ port }) => statusOfModels(port, key)));
    return gateways.flatMap(({ name }, index) =>
      statuses[index] === 200 ? [] : [`${name} returned ${statuses[index]}`],
    );
  },

  'a request has one row at most, under the id its client was given': function* ({ outcomes, rows }) {
    for (const { tag, requestId } of outcomes) {
      const own = rows.get(tag) ?? [];
      if (own.length > 1) yield `${tag} has ${own.length} rows`;
      if (requestId !== undefined && own[0] && own[0].id !== requestId)
        yield `${tag} is ${requestId}, not ${own[0].id}`;
    }
  },

  'a request that ended at a living gateway has its row': function* ({ outcomes, rows }) {
    for (const { tag, requestId, gateway } of outcomes) {
      if (requestId !== undefined && gateway.isAlive && !rows.has(tag)) yield `${tag} at ${gateway.name}`;
    }
  },

  'a row that was once committed is neither lost nor changed': function* ({ rows, sampled }) {
    for (const row of sampled) {
      const now = rows.get(row.userId ?? '')?.find(({ id }) => id === row.id);
      if (textOf(now) !== textOf(row)) yield `${textOf(row)} became ${textOf(now)}`;
    }
  },

  'usage along every dimension is the sum over the rows': async ({ store }) => {
    await catchUp(store);
    return (await wrongRollups(store)).map((rollup) => JSON.stringify(rollup));
  },

  'every outcome of a client is explained': function* ({ seed, outcomes }) {
    for (const outcome of outcomes) {
      if (!isExplained(outcome, seed)) yield textOf({ ...outcome, gateway: outcome.gateway.name });
    }
  },

  'a row with the provider’s usage has exactly the delivered output': function* ({ rows, journal }) {
    for (const [tag, [row]] of rows) {
      const delivered = (journal.deliveries.get(tag) ?? []).reduce((sum, each) => sum + each.completionTokens, 0);
      if (row?.usageSource === 'upstream' && row.completionTokens !== delivered) {
        yield `${tag}: ${row.completionTokens} in the row, ${delivered} delivered`;
      }
    }
  },

  ...moneyInvariants,
};

/** Returns a sentence for each violation. */
export async function checkInvariants(evidence: Evidence): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const [sentence, check] of Object.entries(invariants)) {
    for (const where of await check(evidence)) violations.push(`violated: ${sentence}: ${where}`);
  }
  return violations;
}

/** Reached only by a gateway that never answers. */
const answerTimeoutMs = 120_000;

async function statusOfModels(port: number, key: string): Promise<number | string> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`http://127.0.0.1:${port}/v1/models`, { headers, signal: AbortSignal.timeout(answerTimeoutMs) }).then(
    ({ status }) => status,
    String,
  );
}

/** The plan of the provider, the disconnect of the client or the kill of the gateway explains the outcome. */
function isExplained(outcome: CrashOutcome, seed: number): boolean {
  const { tag, status, isDone, hasErrorFrame, hasLeft, gateway } = outcome;
  if (hasLeft) return true;
  const isComplete = isDone || hasErrorFrame || (status !== undefined && status !== 200);
  if (!isComplete) return !gateway.isAlive;
  const { kind } = answerPlan(seed, tag);
  switch (kind) {
    case 'answers':
    case 'answers-without-usage':
      return status === 200 && isDone && !hasErrorFrame;
    case 'breaks-off':
      // The last bytes, and so the first event, may be lost with the connection.
      return (status === 200 && hasErrorFrame && !isDone) || status === 502;
    case 'refuses':
    case 'resets':
      return status === 502;
    default:
      return kind satisfies never;
  }
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
