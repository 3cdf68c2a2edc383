import { z } from 'zod';
import { makeLink, withdrawResets } from '../../../money/accounts/one-time-links.ts';
import { mayReset, type Resettable, type ResetRight, resettable } from '../../../money/accounts/resets.ts';
import { userById } from '../../../money/accounts/users.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { AdminCaller } from '../api/caller.ts';
import type { ResourceAddress } from '../api/endpoint.ts';
import { mailedSchema } from './invitation-documents.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused } from '../api/sent-values.ts';
import { isoTime, timeSchema } from '../api/wire.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

const resets = z
  .enum(resettable)
  .describe('The lost credentials. `second-factor` also removes the passkeys, and requires the current password.');

export const newResetBody = { name: 'NewReset', schema: z.strictObject({ resets }) };

export const madeResetReply = {
  name: 'CreatedReset',
  schema: z.strictObject({
    id: z.string(),
    email: z.string(),
    resets,
    expires_at: timeSchema,
    link: z.string().describe('Path of the link, on any domain of the gateway. Shown only once.'),
    mailed: mailedSchema,
  }),
};

interface ResetRequest {
  readonly userId: string;
  readonly resets: Resettable;
  readonly right: ResetRight;
  readonly address: ResourceAddress;
}

/** Creates a link with which a user can sign in again. It replaces earlier links for the same user. */
export async function makeReset(
  parts: AdminParts,
  caller: AdminCaller,
  { userId, right, address, ...request }: ResetRequest,
) {
  const { store } = parts;
  const user = await userById(store.db, userId);
  if (!user) throw missing('user');
  if (caller.id === userId) throw refused(reason('reset_own_account'));
  if (!(await mayReset(store.db, right, userId))) {
    throw new GatewayError('forbidden', {
      reason: reason('operator' in right ? 'reset_needs_owner' : 'reset_needs_operator'),
    });
  }
  const accountId = 'accountId' in right ? right.accountId : undefined;
  await withdrawResets(store.db, user, accountId);
  const {
    link,
    secret,
    mailed: mailedSecret,
  } = await makeLink(parts, { kind: 'reset', email: user.email, right, ...request }, caller.actor);
  const after = { id: link.id, email: user.email, resets: request.resets, expires_at: isoTime(link.expiresAt) };
  const change = { kind: 'user', id: userId, after };
  const email = {
    to: user.email,
    subject: { kind: 'reset' },
    path: resetPath(mailedSecret),
    address,
    accountId,
  } as const;
  const mailed = await parts.mail.post(store.db, email);
  return { reply: { ...after, link: resetPath(secret), mailed }, change };
}

/** The dashboard path of a reset link. */
export function resetPath(secret: string): string {
  return `/app/reset?token=${secret}`;
}
