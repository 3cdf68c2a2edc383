import { z } from 'zod';
import { addressProof, isAddressProof } from '../../accounts/address-proof.ts';
import { markVerified } from '../../accounts/users.ts';
import { sentFrom } from '../../admin/audit/audit.ts';
import { refused } from '../../admin/api/sent-values.ts';
import type { Route } from '../../http/route.ts';
import { invalidLink, done, sentFields, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import { emailQuota } from '../throttle/email-quota.ts';
import type { ConsoleParts } from '../parts.ts';
import { requestOrigin } from '../site.ts';
import { reason } from '../../core/reasons/reason.ts';

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
      const alongside: Parameters<typeof events.record>[2]['alongside'] = (tx) => markVerified(tx, user.id);
      await events.record('confirmAddress', user, {
        from: sentFrom(exchange),
        after: { email: user.email },
        alongside,
      });
      return { value: done };
    }),
  ];
}

const proof = z.strictObject({ token: sentFields.token });
