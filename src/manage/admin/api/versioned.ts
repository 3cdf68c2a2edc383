import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../../../platform/store/store.ts';
import { type AuditLine, auditLines } from './audit.ts';
import type { AdminCaller } from './caller.ts';
import type { AdminParts } from '../parts.ts';
import { isoTime } from './wire.ts';
import { reason, type Reason } from 'chat-formats/reasons/reason.ts';

/** A resource whose `version` a write may name in `If-Match`, to prevent lost updates. */
export interface Versioned {
  readonly kind: string;
  /** A conditional write takes this lock before it compares versions, so that the resource cannot change in between. */
  readonly lock: string;
  readonly current: (parts: AdminParts, id: string, caller: AdminCaller) => Promise<Document>;
}

export interface Document {
  readonly id?: string;
  readonly version: string;
}

/** Number of audit log entries that are searched for the version in the condition. */
const linesMax = 20;

const namedMax = 4;

/** Throws a conflict if the condition does not hold. `inside` is in the transaction of the write. */
export async function requireMatch(
  inside: AdminParts,
  { kind, current: read }: Versioned,
  { id, caller, condition }: { readonly id: string; readonly caller: AdminCaller; readonly condition: string },
): Promise<void> {
  const current = await read(inside, id, caller);
  const wanted = condition.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''));
  if (wanted.includes('*') || wanted.includes(current.version)) return;
  // If the path has no id, the document has it.
  const named = id === '' ? (current.id ?? '') : id;
  // A user may belong to several accounts. The owners of one must not see changes by the owners of another.
  const lines = await auditLines(inside.store, { kind, id: named, account: caller.accountId, limit: linesMax });
  throw new GatewayError('conflict', { reason: conflict(kind, named, { lines, current, seen: wanted[0] ?? '' }) });
}

/** Takes a lock until the end of the current transaction. */
export async function takeLock(store: Store, lock: string): Promise<void> {
  await store.transaction(() => Promise.resolve(), { lock });
}

interface ConflictFacts {
  readonly lines: readonly AuditLine[];
  readonly current: Document;
  readonly seen: string;
}

function conflict(kind: string, id: string, { lines, current, seen }: ConflictFacts): Reason {
  const first = lines.findIndex(({ before }) => versionOf(before) === seen);
  const since = lines.slice(0, first === -1 ? 1 : first + 1);
  const actors = [...new Set(since.map(({ actor }) => actor))].join(', ');
  if (since[0] === undefined || actors === '') return reason('changed_meanwhile', { kind, id });
  const all = first === -1 ? [] : differences(lines[first]?.before, current);
  const named = all.slice(0, namedMax).join('; ') + (all.length > namedMax ? '; and more' : '');
  const changes = named && `: ${named}`;
  return reason('changed_by_others', { kind, id, actors, time: isoTime(since[0].at), changes });
}

function versionOf(document: unknown): string | undefined {
  return (document as Partial<Document> | null | undefined)?.version;
}

/** Fields that differ, by path. */
function differences(before: unknown, after: unknown): readonly string[] {
  const old = new Map(leaves(before));
  const now = new Map(leaves(after));
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((path) => !ignoredFields.has(path) && old.get(path) !== now.get(path))
    .map((path) => `\`${path}\` is ${now.get(path) ?? 'gone'}, it was ${old.get(path) ?? 'not there'}`);
}

/** These change with every write, or without one. */
const ignoredFields: ReadonlySet<string> = new Set([
  'version',
  'updated_at',
  'balance',
  'keys',
  'last_used_at',
  'spent',
]);

function leaves(value: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value) ?? 'nothing']];
  return Object.entries(value).flatMap(([name, part]) => leaves(part, path === '' ? name : `${path}.${name}`));
}
