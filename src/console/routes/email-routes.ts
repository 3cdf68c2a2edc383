import { z } from 'zod';
import { languages, setLanguage } from '../../accounts/users.ts';
import { cadenceNamed, digestName, digestSchema } from '../../admin/accounts/digest-documents.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { cadenceOf, setCadence } from '../../notifications/digests/digests.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { readingRoute, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { SignedIn } from '../identity.ts';
import type { ConsoleParts } from '../parts.ts';
import { reason } from '../../core/reasons/reason.ts';

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
