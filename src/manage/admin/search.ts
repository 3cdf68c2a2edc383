import { z } from 'zod';
import { accounts } from '../../money/accounts/accounts.ts';
import type { AccountId } from '../../money/accounts/ids.ts';
import { type ApiKey, keys } from '../../money/accounts/keys.ts';
import { batchOfCode, findBatch } from '../../money/codes/code-batches.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { momentOfId, requestIdIn } from '../../core/request-id.ts';
import { findPayment } from '../../money/payments/payments.ts';
import { foldCase } from '../../platform/store/text-search.ts';
import { accountAt } from './accounts/accounts.ts';
import { ownAccount } from './api/caller.ts';
import { type Endpoint, readEndpoint } from './api/endpoint.ts';
import type { AdminParts } from './parts.ts';
import { requestDetail } from './requests/request-detail.ts';

/** Per kind. A caller types more of the name to find others. */
const eachMax = 6;

const matchSchema = z.strictObject({
  kind: z.enum(['account', 'key', 'request', 'model', 'upstream', 'code_batch', 'payment']),
  id: z.string().describe('Its id. Models and upstreams are named, so their name.'),
  name: z.string(),
  detail: z.string().nullable().describe('`display` of a key. Null for other kinds.'),
  account_id: z.string().nullable().describe('Account that owns the key, request or payment. Null for other kinds.'),
});

type Match = z.input<typeof matchSchema>;

const description = {
  query: z.strictObject({ q: z.string().trim().min(1).max(100).describe('An id, or a part of a name.') }),
  reply: {
    name: 'SearchMatches',
    schema: z.strictObject({ data: z.array(matchSchema) }),
    inside: [{ name: 'SearchMatch', schema: matchSchema }],
  },
};

export const searchEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/search', 'search', 'read-only', {
    summary: `Find accounts, keys, models and upstreams by a part of their name, and anything by its id. At most ${eachMax} of each kind.`,
    ...description,
    run: async ({ parts, query: { q } }) => {
      const upstreams = parts.upstreams.report().map(({ name }) => name);
      const found = await Promise.all([
        accountMatches(parts, q),
        keyMatches(parts, q),
        requestMatches(parts, q),
        codeMatches(parts, q),
        paymentMatches(parts, q),
      ]);
      const models = modelMatches(parts.current().catalog.all(), q);
      const named = upstreams.filter((name) => includes(name, q)).slice(0, eachMax);
      return { data: [...found.flat(), ...models, ...named.map((name) => match('upstream', { id: name, name }))] };
    },
  }),
  readEndpoint('GET /account/v1/search', 'searchOwn', 'account', {
    summary: `Find your keys and models by a part of their name, and your requests and payments by id. At most ${eachMax} of each kind.`,
    ...description,
    run: async ({ parts, caller, query: { q }, address }) => {
      const id = ownAccount(caller);
      const { name, packageName } = await accountAt(parts, id);
      const found = await Promise.all([
        keyMatches(parts, q, id),
        requestMatches(parts, q, id),
        paymentMatches(parts, q, id),
      ]);
      const { catalog } = parts.current();
      const key = { keyId: '', keyName: '', accountId: id, accountName: name, packageName, models: undefined };
      const visible = catalog.visible({ key, site: catalog.siteFor(address.host) ?? '' });
      return { data: [...found.flat(), ...modelMatches(visible, q)] };
    },
  }),
];

function match(
  kind: Match['kind'],
  found: Pick<Match, 'id' | 'name'> & Partial<Pick<Match, 'detail' | 'account_id'>>,
): Match {
  return { detail: null, account_id: null, ...found, kind };
}

async function accountMatches({ store, clock }: AdminParts, text: string): Promise<readonly Match[]> {
  const listed = await accounts(store, clock).list({ search: text, limit: eachMax });
  const found = await accounts(store, clock).find(text);
  const all = found && !listed.some(({ id }) => id === found.id) ? [found, ...listed] : listed;
  return all.map(({ id, name, displayName }) => match('account', { id, name: displayName ?? name }));
}

/** Keys whose name or display contains the text, or whose id it is. */
async function keyMatches({ store, clock }: AdminParts, text: string, own?: AccountId): Promise<readonly Match[]> {
  const listed = await keys(store, clock).list({ accountId: own, text, isNewestFirst: true, limit: eachMax });
  const byId = (await keys(store, clock).find(text)).filter(
    ({ id, accountId }: ApiKey) => id === text && (own === undefined || accountId === own),
  );
  return [...byId, ...listed.filter(({ id }) => id !== text)].map(({ id, name, display, accountId }) =>
    match('key', { id, name, detail: display, account_id: accountId }),
  );
}

/** A request by its id or by the id of its response. */
async function requestMatches({ store }: AdminParts, text: string, own?: AccountId): Promise<readonly Match[]> {
  if (momentOfId(requestIdIn(text)) === undefined) return [];
  const found = await requestDetail(store, text);
  if (!found || (own !== undefined && found.accountId !== own)) return [];
  return [match('request', { id: found.id, name: found.id, account_id: found.accountId })];
}

/** A batch of codes by its id or by the id of one of its codes, which ledger entries refer to. */
async function codeMatches({ store }: AdminParts, text: string): Promise<readonly Match[]> {
  const found = (await findBatch(store, text)) ?? (await batchOfCode(store, text));
  return found ? [match('code_batch', { id: found.id, name: found.note })] : [];
}

async function paymentMatches({ store }: AdminParts, text: string, own?: AccountId): Promise<readonly Match[]> {
  const found = await findPayment(store, text);
  if (!found || (own !== undefined && found.accountId !== own)) return [];
  return [match('payment', { id: found.id, name: found.id, account_id: found.accountId })];
}

function modelMatches(models: readonly Model[], text: string): readonly Match[] {
  return models
    .filter(({ id, aliases }) => [id, ...aliases].some((name) => includes(name, text)))
    .slice(0, eachMax)
    .map(({ id }) => match('model', { id, name: id }));
}

function includes(name: string, text: string): boolean {
  return foldCase(name).includes(foldCase(text));
}
