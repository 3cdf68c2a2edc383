import { z } from 'zod';
import { namesOf } from '../../../money/accounts/names.ts';
import type { CredentialReport } from '../../../serving/routing/upstream-report.ts';
import type { Upstreams } from '../../../serving/routing/upstreams.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { sumByAccount, holderSchema, holdersOf, type ServiceProcesses, withPeers } from './service-processes.ts';
import { documentAs, isoTime, timeSchema } from '../api/wire.ts';

/** From best to worst. */
export const credentialStates = ['healthy', 'ramping', 'half-open', 'ejected', 'disabled'] as const;

type CredentialState = (typeof credentialStates)[number];

/** The state of an upstream is that of its best credential, since requests go there. */
export function upstreamState(credentials: readonly Pick<CredentialReport, 'state'>[]): CredentialState {
  return credentialStates.find((state) => credentials.some((credential) => credential.state === state)) ?? 'healthy';
}

const count = z.int();
const rate = z.number().describe('Per second, over the last minute.');

const accountSchema = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  running: count,
  waiting: count,
});

const queueAccountSchema = accountSchema.extend({
  fair_share: z
    .number()
    .describe('Its weight as a share of the weights of all accounts with requests here, from 0 to 1.'),
  oldest_wait_ms: count
    .nullable()
    .describe('Wait of its oldest waiting request. Null if none waits in the process that answered.'),
  turn: count
    .nullable()
    .describe('Its place in the line: 1 gets the next slot. Null if no request waits only for a slot there.'),
});

const idleSchema = z.strictObject({
  running: count,
  waiting: count,
  accounts: z.array(accountSchema).describe('The busiest accounts, at most 100.'),
});

const ratesSchema = z.strictObject({ requests: rate, errors: rate, prompt_tokens: rate, completion_tokens: rate });

const queueSchema = z.strictObject({
  name: z.string(),
  state: z.enum(credentialStates).describe('State of its best credential.'),
  running: count,
  waiting: count,
  limit: count.describe('Concurrency limit: answers that may run at once.'),
  cooldown_until: timeSchema.nullable().describe('End of the current cooldown.'),
  fairness: z
    .number()
    .nullable()
    .describe("Jain's index over the waiting accounts: 1 is even. Null if fewer than two can be compared."),
  accounts: z.array(queueAccountSchema).describe('The busiest accounts, at most 100.'),
  idle: idleSchema
    .nullable()
    .describe(
      'Requests of the idle class, which use slots that no other request wants. No other count includes them. Null if there are none.',
    ),
  processes: z.array(holderSchema).describe('Share of each process. Empty if one process has all slots.'),
});

const schema = z.strictObject({
  at: timeSchema,
  process: z
    .strictObject({ id: z.string(), started_at: timeSchema })
    .describe('The process that answered. The figures cover all processes that share the upstreams.'),
  totals: z.strictObject({
    requests: count.describe('Requests in flight.'),
    running: count.describe('Answers running at upstreams.'),
    waiting: count,
    retries: count.describe('Retries in flight.'),
    retries_limit: count,
  }),
  rates: ratesSchema,
  upstreams: z.array(queueSchema),
  accounts: z.array(accountSchema).describe('Accounts over all upstreams, busiest first, at most 100.'),
});

type LiveQueue = ReturnType<Upstreams['queues']>[number];
type LiveAccount = LiveQueue['accounts'][number];

const accountsMax = 100;

export const liveEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/live', 'getLive', 'read-only', {
    summary: 'Get the current load of the gateway, over all processes.',
    reply: {
      name: 'Live',
      schema,
      inside: [
        { name: 'LiveQueue', schema: queueSchema },
        { name: 'LiveAccount', schema: accountSchema },
        { name: 'QueueAccount', schema: queueAccountSchema },
        { name: 'IdleRequests', schema: idleSchema },
        { name: 'ProcessShare', schema: holderSchema },
      ],
    },
    run: async ({ parts }) => {
      const service = await parts.sharing();
      const queues = withPeers(parts.upstreams.queues(), service);
      const { requests, retries, rates } = parts.figures();
      const now = parts.clock.now();
      const { id, startedAt } = parts.system().process;
      const all = busiest(sumByAccount(queues.flatMap(({ accounts }) => accounts)));
      const shown = queues.map((queue) => ({
        ...queue,
        accounts: busiest(queue.accounts),
        idle: queue.idle && { ...queue.idle, accounts: busiest(queue.idle.accounts) },
        weights: queue.accounts.reduce((sum, { weight }) => sum + weight, 0),
      }));
      const listed = [all, ...shown.flatMap(({ accounts, idle }) => [accounts, idle?.accounts ?? []])];
      const ids = new Set(listed.flat().map(({ accountId }) => accountId));
      const names = await namesOf(parts.store, 'accounts', [...ids]);
      const health = new Map(parts.upstreams.report().map(({ name, credentials }) => [name, credentials]));
      return {
        at: isoTime(now),
        process: { id, started_at: isoTime(startedAt) },
        totals: {
          requests,
          running: sumOf(queues, 'running'),
          waiting: sumOf(queues, 'waiting'),
          retries: retries.inUse,
          retries_limit: retries.limit,
        },
        rates: documentAs(ratesSchema.shape, rates),
        upstreams: shown.map((queue) =>
          queueDocument(queue, { now, names, service, credentials: health.get(queue.name) ?? [] }),
        ),
        accounts: all.map((account) => accountDocument(account, names)),
      };
    },
  }),
];

function busiest(accounts: readonly LiveAccount[]): readonly LiveAccount[] {
  const load = ({ running, waiting }: LiveAccount): number => running + waiting;
  return accounts.toSorted((one, other) => load(other) - load(one)).slice(0, accountsMax);
}

function sumOf(queues: readonly LiveQueue[], name: 'running' | 'waiting'): number {
  return queues.reduce((sum, queue) => sum + queue[name], 0);
}

interface QueueContext {
  readonly now: number;
  readonly names: ReadonlyMap<string, string>;
  readonly credentials: readonly CredentialReport[];
  readonly service: ServiceProcesses;
}

function queueDocument(
  queue: LiveQueue & { readonly weights: number },
  { now, names, credentials, service }: QueueContext,
): z.input<typeof queueSchema> {
  return documentAs(queueSchema.shape, {
    ...queue,
    state: upstreamState(credentials),
    cooldownUntil: queue.pausedMs > 0 ? Math.round(now + queue.pausedMs) : undefined,
    accounts: queue.accounts.map((account) => ({
      ...accountDocument(account, names),
      fair_share: account.weight / queue.weights,
      oldest_wait_ms: account.oldestWaitMs ?? null,
      turn: account.turn ?? null,
    })),
    idle: queue.idle && {
      ...queue.idle,
      accounts: queue.idle.accounts.map((account) => accountDocument(account, names)),
    },
    processes: holdersOf(queue.name, service),
  });
}

function accountDocument(
  { accountId, running, waiting }: LiveAccount,
  names: ReadonlyMap<string, string>,
): z.input<typeof accountSchema> {
  return { id: accountId, name: names.get(accountId) ?? null, running, waiting };
}
