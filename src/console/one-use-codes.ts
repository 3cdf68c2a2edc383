import { createHmac } from 'node:crypto';
import type { BetterAuthPlugin, GenericEndpointContext } from '@better-auth/core';
import { sameDigest } from '../accounts/key-digest.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Store } from '../store/store.ts';
import { reason } from '../core/reasons/reason.ts';

const stepMs = 30_000;
/** One more to either side than the library takes, which may look a moment later than we do. */
const stepsAround = 2;

/**
 * Has the library refuse the code of an authenticator that was used before, or is older than one that was: whoever saw
 * it being typed gains nothing. What was used last is in the store, so that it holds for all processes.
 */
export async function oneUseCodes({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  const [{ createAuthEndpoint, createAuthMiddleware, getSessionFromCtx }, { symmetricDecrypt }] = await Promise.all([
    import('better-auth/api'),
    import('better-auth/crypto'),
  ]);

  const refuseUsed = createAuthMiddleware(async (ctx) => {
    const userId = (await getSessionFromCtx(ctx))?.user.id ?? (await challengedUser(ctx));
    const factors = store.db.selectFrom('console_two_factors').select(['id', 'secret']);
    const factor = await factors.where('user_id', '=', userId ?? '').executeTakeFirst();
    if (!factor) return;
    const secret = await symmetricDecrypt({ key: ctx.context.secretConfig, data: factor.secret });
    const { code } = ctx.body as { readonly code: string };
    const step = stepOf(secret, code, Math.floor(clock.now() / stepMs));
    if (step === undefined || (await claim(store, factor.id, step))) return;
    throw new GatewayError('sign-in-refused', { reason: reason('one_time_code_used') });
  });

  return {
    id: 'one-use-codes',
    endpoints: {
      /** Whose password was right a moment ago, so that a code is asked for. */
      challengedUser: createAuthEndpoint.serverOnly({ method: 'POST' }, async (ctx) =>
        ctx.json({ userId: (await challengedUser(ctx)) ?? null }),
      ),
    },
    hooks: { before: [{ matcher: ({ path }) => path === '/two-factor/verify-totp', handler: refuseUsed }] },
  } satisfies BetterAuthPlugin;
}

async function challengedUser(ctx: GenericEndpointContext): Promise<string | undefined> {
  const { name } = ctx.context.createAuthCookie('two_factor');
  const identifier = await ctx.getSignedCookie(name, ctx.context.secret);
  if (!identifier) return undefined;
  return (await ctx.context.internalAdapter.findVerificationValue(identifier))?.value;
}

/** The step whose code it is, among those around now. */
function stepOf(secret: string, code: string, now: number): number | undefined {
  const steps = Array.from({ length: 2 * stepsAround + 1 }, (_, index) => now - stepsAround + index);
  return steps.find((step) => sameDigest(codeOf(secret, step), code));
}

/** As authenticators count it: RFC 6238. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Of all who come with the code of a step, or of one before it, one succeeds. */
async function claim(store: Store, factorId: string, step: number): Promise<boolean> {
  const claimed = await store.db
    .updateTable('console_two_factors')
    .set({ last_step: step })
    .where('id', '=', factorId)
    .where((factor) => factor.or([factor('last_step', 'is', null), factor('last_step', '<', step)]))
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}
