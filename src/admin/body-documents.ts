import { z } from 'zod';
import type { StoredBody } from '../bodies/body-text.ts';
import { bodyVault } from '../bodies/body-vault.ts';
import { bodiesDropped, bodiesKept, bodyFacts, type BodyFacts, bodyReading } from '../bodies/stored-bodies.ts';
import { keyMakers } from '../accounts/key-makers.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { AdminCaller } from './caller.ts';
import type { AdminParts } from './parts.ts';
import type { RequestDetail } from './request-detail.ts';
import { missing, refused } from './sent-values.ts';
import { isoTime, timeSchema } from './wire.ts';
import { reason } from '../core/reasons/reason.ts';

const size = z.int().nullable().describe('How long it was, in bytes.');

/** What is known of a request's bodies without reading them. */
export const bodiesSchema = z
  .strictObject({
    state: z
      .enum(['stored', 'dropped', 'gone'])
      .describe(
        '`dropped`: the key asks for them to be stored, and there was no room at that moment. `gone`: they were to be stored, and are not there: they were deleted, made room for newer ones or are too old, the key stopped storing, or the process ended before they were written.',
      ),
    request_bytes: size,
    answer_bytes: size,
    deleted_at: timeSchema.nullable().describe('When they are deleted by themselves.'),
    readable: z.boolean().describe('Whether you may read them: owners of the account and who made the key may.'),
  })
  .nullable()
  .describe('The stored bodies of the request; null where there are none.');

type BodiesDocument = z.input<typeof bodiesSchema>;

const bodySchema = z.strictObject({
  text: z.string().nullable().describe('Null if it is no text.'),
  base64: z.string().nullable().describe('Its bytes, if it is no text.'),
  bytes: z.int().describe('How long it was.'),
  truncated: z.boolean().describe('Whether only its beginning was stored.'),
});

/** The bodies themselves. */
export const readBodiesReply = {
  name: 'RequestBodies',
  schema: z.strictObject({
    request: bodySchema.nullable().describe('As the client sent it; null if nothing came.'),
    answer: bodySchema.nullable().describe('As the client got it; null if nothing went out.'),
    stored_at: timeSchema,
    deleted_at: timeSchema.describe('When they are deleted by themselves.'),
  }),
  inside: [{ name: 'RequestBody', schema: bodySchema }],
};

/** What the page of a request says of its bodies, to this caller. */
export async function bodiesDocument(
  parts: AdminParts,
  detail: RequestDetail,
  caller: AdminCaller,
): Promise<BodiesDocument> {
  const terms = parts.storedBodies();
  const facts = terms && (await bodyFacts(parts.store, { id: detail.id, since: parts.clock.now() - terms.keep }));
  if (terms && facts) {
    const readable = await mayRead(parts, facts.keyId, caller);
    const sizes = { request_bytes: facts.requestBytes, answer_bytes: facts.answerBytes };
    return { state: 'stored', ...sizes, deleted_at: isoTime(facts.storedAt + terms.keep), readable };
  }
  const notes = detail.record?.notes ?? [];
  const state = notes.includes(bodiesDropped) ? 'dropped' : notes.includes(bodiesKept) ? 'gone' : undefined;
  return state ? { state, request_bytes: null, answer_bytes: null, deleted_at: null, readable: false } : null;
}

/** Opens the bodies of a request for who may read them; says what keeps them from being opened. */
export async function readBodies(parts: AdminParts, detail: RequestDetail, caller: AdminCaller) {
  const terms = parts.storedBodies();
  const which = { id: detail.id, since: parts.clock.now() - (terms?.keep ?? 0) };
  const found = terms && (await bodyReading(parts.store, bodyVault(parts.pepper, terms), which));
  if (!terms || !found || found.facts.accountId !== detail.accountId) throw missing('stored_body');
  const { facts, bodies } = found;
  if (!(await mayRead(parts, facts.keyId, caller)))
    throw new GatewayError('forbidden', { reason: reason('bodies_need_owner') });
  if (typeof bodies === 'string') throw new GatewayError('conflict', { reason: reason(unopened[bodies]) });
  const reply = {
    request: document(bodies.request),
    answer: document(bodies.answer),
    stored_at: isoTime(facts.storedAt),
    deleted_at: isoTime(facts.storedAt + terms.keep),
  };
  return { reply, change: { kind: 'request', id: detail.id, accounts: [detail.accountId], after: sizesOf(facts) } };
}

/** How long they were: all that the audit log has of bodies. */
export function sizesOf({ requestBytes, answerBytes }: BodyFacts) {
  return { request_bytes: requestBytes, answer_bytes: answerBytes };
}

/** Refuses to have bodies stored where the configuration does not allow it. */
export function requireAllowed(parts: Pick<AdminParts, 'storedBodies'>, isWanted: boolean | undefined): void {
  if (isWanted && !parts.storedBodies()) {
    throw refused(reason('bodies_not_allowed'));
  }
}

/** Owners, and who made the key. Operators look into accounts as viewers do, and viewers do not read what was said. */
async function mayRead({ store }: AdminParts, keyId: string, { role, standing, actor }: AdminCaller): Promise<boolean> {
  if (role !== 'account' || standing === 'viewer') return false;
  return standing === 'owner' || (await keyMakers(store, [keyId])).get(keyId) === actor;
}

const unopened = { foreign: 'bodies_of_other_secret', damaged: 'bodies_damaged' } as const;

function document(body: StoredBody | undefined): z.input<typeof bodySchema> | null {
  if (!body) return null;
  const { text, bytes, length } = body;
  return {
    text: text ?? null,
    base64: text === undefined ? bytes.toString('base64') : null,
    bytes: length,
    truncated: bytes.length < length,
  };
}
