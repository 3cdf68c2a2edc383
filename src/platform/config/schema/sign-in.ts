import { optional, z } from 'zod';
import { text, webUrl } from './fields.ts';

const oidcSchema = z.strictObject({
  issuer: webUrl
    .max(2000)
    .describe('Address of the provider, without `/.well-known/openid-configuration`.')
    .meta({ title: 'an address', sample: 'https://login.example.com' }),
  client_id: text(1, 500).describe('Id of this gateway at the provider.'),
  client_secret: text(1, 2000)
    .describe('Secret with which this gateway authenticates to the provider.')
    .meta({ title: 'a secret', sample: '${OIDC_SECRET}' }),
  name: text(1, 64).prefault('single sign-on').describe('Label of the sign-in button.'),
});

export const signInSchema = z.strictObject({
  oidc: optional(oidcSchema).describe(
    'An OpenID Connect provider. Its callback is `/auth/callback/oidc` on each of your domains. Users can sign in if the e-mail address that it confirms was invited; other users only on a site with `sign_up`.',
  ),
});
