import { z } from 'zod';
import type { StoredBody } from '../../../work/bodies/body-text.ts';
import {
  bodiesDropped,
  bodiesKept,
  bodyFacts,
  type BodyFacts,
  bodyReading,
  bodyVault,
} from '../../../work/bodies/stored-bodies.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { type AdminCaller, mayActOnKey, requireKeyRight } from '../api/caller.ts';
import type { AdminParts } from '../parts.ts';
import type { RequestDetail } from './request-detail.ts';
import { missing } from '../api/sent-values.ts';
import { isoTime, timeSchema } from '../api/wire.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

const size = z.int().nullable().describe('Original length in bytes.');

export const bodiesSchema = z
  .strictObject({
    state: z
      .enum(['stored', 'dropped', 'gone'])
      .describe(
        '`dropped`: the key stores bodies, but too many were waiting to be written at that moment. `gone`: the bodies were to be stored, but are not there. They were deleted, replaced by newer ones or expired, the key stopped storing, or the process ended before they were written.',
      ),
    request_bytes: size,
    answer_bytes: size,
    deleted_at: timeSchema.nullable().describe('When they are deleted automatically.'),
    readable: z.boolean().describe('Whether you may read them. Owners of the account and the member of the key may.'),
  })
  .nullable()
  .describe('The stored bodies of the request. Null: there are none.');

type BodiesDocument = z.input<typeof bodiesSchema>;

const bodySchema = z.strictObject({
  text: z.string().nullable().describe('The body as text. Null if it is not text.'),
  base64: z.string().nullable().describe('The bytes of the body, if it is not text.'),
  bytes: z.int().describe('Original length in bytes.'),
  truncated: z.boolean().describe('Whether only the beginning was stored.'),
});

export const readBodiesReply = {
  name: 'RequestBodies',
  schema: z.strictObject({
    request: bodySchema.nullable().describe('As the client sent it. Null if nothing was received.'),
    answer: bodySchema.nullable().describe('As the client received it. Null if nothing was sent.'),
    stored_at: timeSchema,
    deleted_at: timeSchema.describe('When they are deleted automatically.'),
  }),
  inside: [{ name: 'RequestBody', schema: bodySchema }],
};

export async function bodiesDocument(
  parts: AdminParts,
  detail: RequestDetail,
  caller: AdminCaller,
): Promise<BodiesDocument> {
  const terms = parts.storedBodies();
  const facts = terms && (await bodyFacts(parts.store, { id: detail.id, keepMs: terms.keep }));
  if (terms && facts) {
    const readable = await mayActOnKey(parts.store, facts.keyId, caller);
    const sizes = { request_bytes: facts.requestBytes, answer_bytes: facts.answerBytes };
    return { state: 'stored', ...sizes, deleted_at: isoTime(facts.storedAt + terms.keep), readable };
  }
  const notes = detail.record?.notes ?? [];
  const state = notes.includes(bodiesDropped) ? 'dropped' : notes.includes(bodiesKept) ? 'gone' : undefined;
  return state ? { state, request_bytes: null, answer_bytes: null, deleted_at: null, readable: false } : null;
}

/** Decrypts the bodies. Throws if they are missing or unreadable, or if the caller may not read them. */
export async function readBodies(parts: AdminParts, detail: RequestDetail, caller: AdminCaller) {
  const terms = parts.storedBodies();
  const which = { id: detail.id, keepMs: terms?.keep ?? 0 };
  const found = terms && (await bodyReading(parts.store, bodyVault(parts.pepper, terms), which));
  if (!terms || !found || found.facts.accountId !== detail.accountId) throw missing('stored_body');
  const { facts, bodies } = found;
  await requireKeyRight(parts.store, facts.keyId, caller);
  if (typeof bodies === 'string') throw new GatewayError('conflict', { reason: reason(unopened[bodies]) });
  const reply = {
    request: document(bodies.request),
    answer: document(bodies.answer),
    stored_at: isoTime(facts.storedAt),
    deleted_at: isoTime(facts.storedAt + terms.keep),
  };
  return { reply, change: { kind: 'request', id: detail.id, accounts: [detail.accountId], after: sizesOf(facts) } };
}

/** The audit log keeps only the sizes of bodies. */
export function sizesOf({ requestBytes, answerBytes }: BodyFacts) {
  return { request_bytes: requestBytes, answer_bytes: answerBytes };
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
