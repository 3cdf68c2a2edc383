import { z } from 'zod';
import { languages, setLanguage, markVerified } from '../../accounts/users.ts';
import { cadenceNamed, digestName, digestSchema } from '../../admin/accounts/digest-documents.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { cadenceOf, setCadence } from '../../notifications/digests/digests.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { readingRoute, writingRoute, invalidLink, done, sentFields } from './console-route.ts';
import type { AuthContext, ConsoleParts } from '../parts.ts';
import type { SignedIn } from '../identity.ts';
import { reason } from '../../core/reasons/reason.ts';
import { addressProof, isAddressProof } from '../../accounts/address-proof.ts';
import { sentFrom } from '../../admin/audit/audit.ts';
import { refused } from '../../admin/api/sent-values.ts';
import { emailQuota } from '../throttle/email-quota.ts';
import { requestOrigin } from '../site.ts';
import type { Kysely } from 'kysely';
import type { Database } from '../../store/database.ts';

/** E-mail settings of a user: the language, and for operators the digest of the gateway. */
export function emailRoutes({ store, mail }: ConsoleParts, { identity }: AuthContext): readonly Route[] {
  async function operatorAt(exchange: Exchange): Promise<SignedIn> {
    const found = await identity.require(exchange);
    if (found.operator === undefined) throw new GatewayError('forbidden', { reason: reason('digest_needs_operator') });
    return found;
  }

  async function digestOf({ user }: SignedIn) {
    const digest = digestName(await cadenceOf(store.db, { operatorId: user.id }));
    const isMailOn = mail.settings !== undefined;
    return { value: { digest, email: user.email, is_verified: user.isVerified, is_mail_on: isMailOn } };
  }

  return [
    writingRoute({ path: '/auth/language', body: chosenLanguage }, async ({ exchange, body: { language } }) => {
      const { user } = await identity.require(exchange);
      await setLanguage(store.db, user.id, language);
      return { value: { language } };
    }),
    readingRoute('/auth/digest', async ({ exchange }) => digestOf(await operatorAt(exchange))),
    writingRoute({ path: '/auth/digest', body: chosenDigest }, async ({ exchange, body }) => {
      const found = await operatorAt(exchange);
      const wanted = { operatorId: found.user.id };
      await store.transaction((tx) => setCadence(tx, wanted, cadenceNamed(body.digest)), { lock: 'digests' });
      return digestOf(found);
    }),
  ];
}

const chosenLanguage = z.strictObject({ language: z.enum(languages) });
const chosenDigest = z.strictObject({ digest: digestSchema });

/**
 * Lets users who signed up without mail confirm their address. The link works only while the same user is signed in: if
 * another person requested the e-mail for this address, its reader confirms nothing by opening the link.
 */
export function addressRoutes(parts: ConsoleParts, { identity, events }: AuthContext): readonly Route[] {
  const { store, clock, pepper, mail } = parts;
  const countEmail = emailQuota(parts);
  return [
    writingRoute({ path: '/auth/address/email' }, async ({ exchange }) => {
      const { user } = await identity.require(exchange);
      if (user.isVerified) return { value: done };
      if (!mail.settings) throw refused(reason('no_mail_to_confirm'));
      await countEmail(exchange, user.email);
      const path = `/app/settings/profile?confirm=${addressProof(pepper, user, clock.now())}`;
      const order = { to: user.email, subject: { kind: 'address' }, path, language: user.language } as const;
      await store.transaction((tx) => mail.post(tx, { ...order, address: requestOrigin(exchange) }));
      return { value: done };
    }),
    writingRoute({ path: '/auth/address/confirm', body: proof }, async ({ exchange, body: { token } }) => {
      const { user } = await identity.require(exchange);
      if (!isAddressProof(pepper, user, { text: token, now: clock.now() })) throw invalidLink();
      if (user.isVerified) return { value: done };
      const after = { email: user.email };
      const alongside = (tx: Kysely<Database>) => markVerified(tx, user.id);
      await events.record('confirmAddress', user, { from: sentFrom(exchange), after, alongside });
      return { value: done };
    }),
  ];
}

const proof = z.strictObject({ token: sentFields.token });
