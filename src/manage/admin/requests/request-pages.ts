import { z } from 'zod';
import { keysOfMember } from '../../../money/accounts/key-members.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import {
  examinedMax,
  requestOrders,
  type RequestSearch,
  type SearchPosition,
  searchRequests,
} from '../../../money/requests/search-requests.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { SchemaEntry } from '../api/endpoint.ts';
import { cursorOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { requestFilter } from './request-documents.ts';
import { invalidField } from '../api/sent-values.ts';
import { isoTimeOrNull, timeSchema } from '../api/wire.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

const idText = z
  .string()
  .max(200)
  .regex(/^\P{C}*$/u);
const rowPosition = z.tuple([z.int(), idText]);
/** End of a page: time and id. In an order by value also the value, and the limits of the search. */
const position = z.union([
  rowPosition,
  z.tuple([z.int(), idText, z.string().regex(/^-?\d{1,18}$/), z.int(), rowPosition.nullable()]),
]);

export const requestQuery = {
  ...requestFilter,
  order: z
    .enum(requestOrders)
    .default('newest')
    .describe(
      `Costs and durations are ordered among the newest ${examinedMax} requests of the given time, account and key. \`searched_to\` shows how far back these reach.`,
    ),
  ...pageQuery(position),
};

export type RequestQuery = z.output<z.ZodObject<typeof requestFilter>> & {
  readonly accountId: string | undefined;
  readonly upstream?: string | undefined;
};

type PageQuery = RequestQuery & Pick<z.output<z.ZodObject<typeof requestQuery>>, 'order' | 'limit' | 'cursor'>;

export function requestPageOf<Schema extends z.ZodType>(row: SchemaEntry<Schema>) {
  const schema = z.strictObject({
    data: z.array(row.schema),
    next: z
      .string()
      .nullable()
      .describe(
        'Send it as `cursor` to get the next page. Null on the last page. A page may have fewer rows than `limit`, or none, and still have a next page.',
      ),
    searched_to: timeSchema
      .nullable()
      .describe(
        `Requests beyond this time were not searched for this page, because at most ${examinedMax} are. Null if that makes no difference.`,
      ),
  });
  return { name: `${row.name}Page`, schema, inside: [row] };
}

export async function requestPage<Shown>(
  { store, clock }: AdminParts,
  { order, limit, cursor, ...query }: PageQuery,
  shown: (record: RequestRecord) => Shown,
): Promise<{ data: Shown[]; next: string | null; searched_to: string | null }> {
  if (cursor && cursor.length > 2 !== isRanking(order)) throw invalidField('cursor', broken('cursor_of_other_order'));
  const filter = await searchOf(store, query);
  const search: RequestSearch = { ...filter, order, limit, after: cursor && positionIn(cursor) };
  const { records, next, searchedTo } = await searchRequests(store, search, clock.now());
  return {
    data: records.map(shown),
    next: next ? cursorOf(cursorIn(next)) : null,
    searched_to: isoTimeOrNull(searchedTo),
  };
}

function isRanking(order: RequestSearch['order']): boolean {
  return order !== 'newest' && order !== 'oldest';
}

export async function searchOf(store: Store, query: RequestQuery): Promise<Omit<RequestSearch, 'order' | 'limit'>> {
  const { key, user_id, member, status_class, errors_only, error_case, ...rest } = query;
  const keyIds = member === undefined ? undefined : await keysFor(store, rest.accountId, member);
  const renamed = { keyId: key, keyIds, userId: user_id, statusClass: status_class };
  return { ...rest, ...renamed, errorsOnly: errors_only, errorCase: error_case };
}

function keysFor(store: Store, accountId: string | undefined, member: string): Promise<readonly string[]> {
  if (accountId === undefined) throw invalidField('member', broken('needs_account'));
  return keysOfMember(store, accountId, member);
}

function positionIn([startedAt, id, value, until, edge]: z.output<typeof position>): SearchPosition {
  if (value === undefined || until === undefined) return { startedAt, id };
  return { startedAt, id, ranked: { value, until, edge: edge ? { startedAt: edge[0], id: edge[1] } : undefined } };
}

function cursorIn({ startedAt, id, ranked }: SearchPosition): z.input<typeof position> {
  if (!ranked) return [startedAt, id];
  const { value, until, edge } = ranked;
  return [startedAt, id, value, until, edge ? [edge.startedAt, edge.id] : null];
}
