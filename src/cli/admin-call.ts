import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { AccountId } from '../money/accounts/ids.ts';
import { openPepper } from '../platform/secrets/pepper.ts';
import { callEndpoint, requireAccess } from '../manage/admin/api/call-endpoint.ts';
import type { AdminCaller } from '../manage/admin/api/caller.ts';
import type { Endpoint } from '../manage/admin/api/endpoint.ts';
import type { AdminParts } from '../manage/admin/parts.ts';
import { Batches } from '../work/batches/batches.ts';
import { secretVault } from '../platform/secrets/secret-vault.ts';
import { systemClock } from '../core/time/clock.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { Files } from '../work/files/files.ts';
import type { Store } from '../platform/store/store.ts';
import { withStore } from './context.ts';
import type { NamedGateway } from './place.ts';

export interface CommandRequest {
  /** The path parameter. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Fields that are `undefined` are left out. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The account whose owner makes the call. `undefined`: an operator makes it. */
  readonly account?: AccountId | undefined;
  /** The version that the resource must have. */
  readonly ifVersion?: string | undefined;
  /** Opens the secret of the gateway, for endpoints that create or seal secrets. */
  readonly withSecret?: boolean;
}

export type EndpointCaller = <Reply>(
  endpoints: readonly Endpoint[],
  operationId: string,
  request?: CommandRequest,
) => Promise<Reply>;

/**
 * Runs the work with the store of the gateway and with calls of its admin API. The calls run in this process, so the
 * gateway need not run. Validation, limits and audit log entries are those of the endpoints.
 */
export function withAdmin<Result>(
  command: Command,
  work: (call: EndpointCaller, store: Store, target: NamedGateway) => Promise<Result>,
): Promise<Result> {
  return withStore(command, (store, target) => work(adminCall(store, target), store, target));
}

/** Reads a list page by page, up to `max` entries. */
export async function allPages<Row>(
  call: EndpointCaller,
  endpoints: readonly Endpoint[],
  operationId: string,
  { max, query, ...request }: CommandRequest & { readonly max: number },
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let next: string | null | undefined; next !== null && rows.length < max; ) {
    const limit = String(Math.min(pageMax, max - rows.length));
    const part = { ...request, query: { ...query, limit, ...(next !== undefined && { cursor: next }) } };
    const page = await call<{ readonly data: readonly Row[]; readonly next: string | null }>(
      endpoints,
      operationId,
      part,
    );
    rows.push(...page.data);
    next = page.next;
  }
  return rows;
}

const pageMax = 200;

function adminCall(store: Store, target: NamedGateway): EndpointCaller {
  return async <Reply>(endpoints: readonly Endpoint[], operationId: string, request: CommandRequest = {}) => {
    const endpoint = endpoints.find((each) => each.operationId === operationId);
    if (!endpoint) throw new Error(`there is no endpoint ${operationId}`);
    const { id = '', query, body, account, ifVersion, withSecret } = request;
    const caller = callerFor(account);
    requireAccess(endpoint, caller);
    const reply = await callEndpoint(endpoint, await commandParts(store, target, withSecret), {
      caller,
      path: endpoint.path.replace(':id', id),
      id,
      query: new URLSearchParams(query),
      body: body && ownJson(JSON.stringify(body)),
      address: { host: '', url: target.url },
      client: { requestId: undefined, role: 'cli' },
      condition: ifVersion,
      signal: neverAborted,
    });
    if (typeof reply !== 'string') throw new Error(`${operationId} has a streamed reply`);
    return ownJson(reply) as Reply;
  };
}

const neverAborted = new AbortController().signal;

/** A user of this machine has all rights of an owner of the gateway, and of the owner of any account. */
function callerFor(accountId: AccountId | undefined): AdminCaller {
  const role = accountId === undefined ? 'owner' : 'account';
  return { id: 'cli', actor: 'cli', bookedBy: `cli:${userInfo().username}`, role, accountId, memberRole: 'owner' };
}

/** The parts of the gateway that work on its store. No command calls an endpoint that needs a running process. */
async function commandParts(store: Store, target: NamedGateway, withSecret = false): Promise<AdminParts> {
  const pepper = withSecret ? await openPepper(store, target.secrets()) : undefined;
  const common = { store, clock: systemClock, newId: absent('new ids') };
  const files = new Files({ ...common, vault: absent('the secret'), limits: absent('the configuration') });
  return {
    store,
    clock: systemClock,
    pepper: pepper ?? absent('the secret'),
    vault: pepper ? secretVault(pepper) : absent('the secret'),
    // Running gateways notice the change in the store.
    refresh: () => Promise.resolve(),
    currency: () => target.currency(),
    files,
    batches: new Batches({ ...common, files, keepMs: absent('the configuration'), quota: absent('the configuration') }),
    storedBodies: () => target.storedBodies,
    isWebhookRefused: async (url) => {
      const { addressCheck } = await import('../operate/notifications/webhooks/address-check.ts');
      return addressCheck({ clock: systemClock }).isRefused(url, target.webhooksAllow);
    },
    // The command prints the link that an e-mail would have.
    mail: { post: () => Promise.resolve(false), settings: undefined },
    upstreams: absent('the upstreams'),
    current: absent('the catalog'),
    messagesPrefix: absent('the routes'),
    figures: absent('the load'),
    sharing: absent('the cluster'),
    system: absent('the process'),
    signedIn: absent('the session'),
    attempt: absent('the throttle'),
    payments: absent('the payment provider'),
    seller: absent('the configuration'),
    pdf: absent('the thread'),
    test: absent('the upstreams'),
  };
}

/** A part that throws when it is called or read. Its type fits every part. */
function absent(name: string): never {
  const use = (): never => {
    throw new Error(`A command called an endpoint that needs ${name} of a running gateway.`);
  };
  return new Proxy(use, { get: use }) as never;
}
