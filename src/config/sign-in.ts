import { z } from 'zod';

const oidcSchema = z.strictObject({
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .describe('The address of the provider, in front of `/.well-known/openid-configuration`.')
    .meta({ title: 'an address', sample: 'https://login.example.com' }),
  client_id: z.string().min(1).max(500).describe('What the provider calls this gateway.'),
  client_secret: z
    .string()
    .min(1)
    .max(2000)
    .describe('What this gateway proves itself with.')
    .meta({ title: 'a secret', sample: '${OIDC_SECRET}' }),
  name: z.string().min(1).max(64).prefault('single sign-on').describe('What the button says.'),
});

/** `sign_in:` of the file. */
export const signInSchema = z.strictObject({
  oidc: oidcSchema
    .optional()
    .describe(
      'An OpenID Connect provider. Its callback is `/auth/callback/oidc` on each of your domains. It lets in whoever was invited by the e-mail address it vouches for; strangers only where a site has `sign_up`.',
    ),
});
