import { z } from 'zod';
import { GatewayError } from '../../core/gateway-error.ts';
import type { Route } from '../../http/route.ts';
import { accepted, writingRoute } from './console-route.ts';
import type { Identity } from '../identity.ts';
import type { ConsoleParts } from '../parts.ts';
import { reason } from '../../core/reasons/reason.ts';

/** Single sign-on: the redirect to the provider, and the callback. */
export function oidcRoutes(parts: ConsoleParts, identity: Identity): readonly Route[] {
  return [
    writingRoute({ path: '/auth/oidc/begin' }, async ({ exchange }) => {
      if (!parts.settings().oidc) throw new GatewayError('not-found', { reason: reason('no_single_sign_on') });
      const body = { provider: 'oidc', callbackURL: '/app', errorCallbackURL: '/app/sign-in', disableRedirect: true };
      const answer = await identity.callProvider(exchange, (library, headers) =>
        library.signInSocial({ body, headers, asResponse: true }),
      );
      const { body: answerBody, headers } = accepted(answer, 'single_sign_on_unreachable');
      return { value: { url: z.object({ url: z.string() }).parse(answerBody).url }, headers };
    }),
    {
      method: 'GET',
      path: '/auth/callback/oidc',
      handle: async (exchange) => {
        const query = Object.fromEntries(exchange.query);
        const answer = await identity.callProvider(exchange, (library, headers) =>
          library.callbackOAuth({ method: 'GET', params: { id: 'oidc' }, query, headers, asResponse: true }),
        );
        const location = answer.location ?? '/app/sign-in?error=oidc';
        exchange.send(302, 'text/plain', '', ['location', location, 'cache-control', 'no-store', ...answer.headers]);
      },
    },
  ];
}
