import { type Command, Option } from 'commander';
import { colors } from '../colors.ts';
import { keys } from '../../money/accounts/keys.ts';
import { operatorDetail } from '../../manage/admin/requests/requests.ts';
import { requestDetail } from '../../manage/admin/requests/request-detail.ts';
import { bodyFacts } from '../../work/bodies/stored-bodies.ts';
import { readRows } from '../../money/catalog/resource-rows.ts';
import { systemClock } from '../../core/time/clock.ts';
import { requestIdIn } from '../../core/request-id.ts';
import { findRequest, listRequests, type RequestFilter, type StatusClass } from '../../money/requests/find-requests.ts';
import type { RequestRecord } from '../../money/requests/request-record.ts';
import { type RequestOrder, requestOrders, searchRequests } from '../../money/requests/search-requests.ts';
import type { Store } from '../../platform/store/store.ts';
import { accountOf, accountNames } from '../accounts/account-of.ts';
import { withStore } from '../context.ts';
import { documentOf } from '../terminal/document.ts';
import { explainRequest } from './explain-request.ts';
import { keyOf } from '../accounts/keys.ts';
import { timeOf, countOf } from '../terminal/option-values.ts';
import { answer, type Cell, CliError, table } from '../terminal/output.ts';
import { lengthText, localText } from '../terminal/time-text.ts';

export function registerRequests(program: Command): void {
  const noun = program.command('requests').description('List and explain requests.');
  noun
    .command('list')
    .option('--account <account>', 'account, by name or id')
    .option('--key <key>', 'API key, by id, name or masked key')
    .option('--model <model>', 'model, by id or alias')
    .option('--user <user_id>', 'end user, as the client names it')
    .option('--tag <tag>', 'tag, as the client sends it')
    .option('--site <site>', 'name of the site that received the request')
    .option('--since <time>', 'earliest start: an age such as 30m or 7d, 2026-11-01 or 2026-11-01T08:00Z')
    .option('--until <time>', 'latest start, exclusive')
    .addOption(new Option('--status <class>', 'status class of the answer').choices(statusClasses))
    .option('--errors', 'list only failed requests')
    .option('--limit <number>', 'number of requests', '50')
    .addOption(new Option('--order <order>', 'sort order').choices(requestOrders).default('newest'))
    .option('--after <id>', 'next page: list the requests after this one, with --order newest or oldest')
    .description('List requests, newest first by default.')
    .action(list);
  noun
    .command('show')
    .argument('<id>', 'x-gateway-request-id, or the id of an answer: chatcmpl-… or msg_…')
    .description('Explain one request: its outcome, timeline and cost.')
    .action(show);
}

const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const;

interface ListOptions {
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly user?: string;
  readonly tag?: string;
  readonly site?: string;
  readonly since?: string;
  readonly until?: string;
  readonly status?: (typeof statusClasses)[number];
  readonly errors?: boolean;
  readonly limit: string;
  readonly order: RequestOrder;
  readonly after?: string;
}

async function list(options: ListOptions, command: Command): Promise<void> {
  const limit = countOf('--limit', options.limit, 10_000);
  if (options.after !== undefined && options.order !== 'newest' && options.order !== 'oldest')
    throw new CliError('after_with_order', { order: options.order }, { exitCode: 2 });
  const now = systemClock.now();
  const since = options.since === undefined ? undefined : timeOf(options.since, now);
  const until = options.until === undefined ? undefined : timeOf(options.until, now);
  await withStore(command, async (store, { storeName }) => {
    const filter: RequestFilter = {
      accountId: options.account === undefined ? undefined : (await accountOf(store, options.account)).id,
      keyId: options.key === undefined ? undefined : (await keyOf(store, options.key)).id,
      model: options.model === undefined ? undefined : await catalogId(store, options.model),
      userId: options.user,
      tag: options.tag,
      site: options.site,
      statusClass: options.status && (Number(options.status[0]) as StatusClass),
      errorsOnly: options.errors,
      since,
      until,
      after: options.after === undefined ? undefined : await requestOf(store, options.after, storeName),
      limit,
    };
    const { records, searchedTo } = await ordered(store, filter, options.order);
    const names = await accountNames(store);
    const none = `No matching requests in ${storeName}.\nA request appears here shortly after it was answered, and is kept for \`requests.retention\`.`;
    answer(command, {
      json: records.map((record) => ({ ...documentOf(record), attempts: undefined })),
      text: () =>
        records.length === 0
          ? none
          : requestTable(records, names) + nextPage(records, { ...options, limit, searchedTo }),
    });
  });
}

async function show(id: string, _options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store, { storeName }) => {
    const detail = await requestDetail(store, id);
    if (!detail) throw noRequest(id, storeName);
    const accountName = (await accountNames(store)).get(detail.accountId) ?? detail.accountId;
    const keyName = await keyNameOf(store, detail.keyId);
    const bodies = await bodyFacts(store, { id: detail.id });
    answer(command, {
      json: { ...operatorDetail(detail), account: accountName, stored_bodies: bodies ? documentOf(bodies) : null },
      text: () => explainRequest(detail, { now: systemClock.now(), accountName, keyName, bodies }),
    });
  });
}

async function requestOf(store: Store, id: string, storeName: string): Promise<RequestRecord> {
  const record = await findRequest(store, requestIdIn(id));
  if (record) return record;
  throw noRequest(id, storeName);
}

function noRequest(id: string, storeName: string): CliError {
  return new CliError('request_not_found', { request: id, store: storeName });
}

async function keyNameOf(store: Store, keyId: string | undefined): Promise<string | undefined> {
  if (keyId === undefined) return undefined;
  const [key] = await keys(store, systemClock).find(keyId);
  return key ? `${key.name} (${key.display})` : keyId;
}

function requestTable(records: readonly RequestRecord[], accountNames: ReadonlyMap<string, string>): string {
  const rows = records.map((record): Cell[] => [
    localText(record.startedAt),
    accountNames.get(record.accountId) ?? record.accountId,
    record.model ?? record.requestedModel,
    statusText(record),
    `${record.promptTokens ?? '-'} / ${record.completionTokens ?? '-'}`,
    lengthText(record.durationMs),
    record.id,
  ]);
  return table(['started', 'account', 'model', 'outcome', 'tokens in / out', 'duration', 'id'], rows);
}

/** `newest` lists all requests. Other orders search; `searchedTo` is set if the search stopped early. */
async function ordered(store: Store, filter: RequestFilter, order: RequestOrder) {
  if (order === 'newest') return { records: await listRequests(store, filter), searchedTo: undefined };
  return searchRequests(store, { ...filter, order }, systemClock.now());
}

interface RequestListing {
  readonly limit: number;
  readonly order: RequestOrder;
  readonly searchedTo: number | undefined;
}

function nextPage(records: readonly RequestRecord[], { limit, order, searchedTo }: RequestListing): string {
  const isByTime = order === 'newest' || order === 'oldest';
  const parts = [
    isByTime && records.length >= limit && `There may be more. Next page: --after ${records.at(-1)?.id}`,
    searchedTo !== undefined &&
      `The search stopped at ${localText(searchedTo)}. Use --since and --until to search another period.`,
  ];
  return parts.map((part) => (part === false ? '' : `\n${colors.dim(part)}`)).join('');
}

function statusText({ status, errorCase, clientGone }: RequestRecord): string {
  if (errorCase !== undefined) return `${status} ${errorCase}`;
  return clientGone ? `${status} client disconnected` : String(status);
}

/** Resolves an alias to its catalog id, which the request log stores. */
async function catalogId(store: Store, name: string): Promise<string> {
  const models = (await readRows(store.db)).filter(({ kind }) => kind === 'model');
  const alias = models.find(({ spec }) => Array.isArray(spec.aliases) && spec.aliases.includes(name));
  return alias?.name ?? name;
}
