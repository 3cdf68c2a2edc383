import { createHmac } from 'node:crypto';
import type { BetterAuthPlugin, GenericEndpointContext } from '@better-auth/core';
import { sameDigest } from '../../platform/secrets/key-digest.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Store } from '../../platform/store/store.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

const stepMs = 30_000;
/** One step more on each side than the library accepts, because the library checks a moment later. */
const stepsAround = 2;

/**
 * Makes the library reject an authenticator code that was used before, or that is older than the last used one. A
 * person who saw the code being typed cannot use it. The last used step is in the store, so that the rule holds for all
 * processes.
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
      /** The user who gave the right password and now has to enter a code. */
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

/** The time step of the code, if it is near `now`. */
function stepOf(secret: string, code: string, now: number): number | undefined {
  const steps = Array.from({ length: 2 * stepsAround + 1 }, (_, index) => now - stepsAround + index);
  return steps.find((step) => sameDigest(codeOf(secret, step), code));
}

/** TOTP of RFC 6238. */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Returns true once for a step. Returns false for a step that is not later than the last claimed one. */
async function claim(store: Store, factorId: string, step: number): Promise<boolean> {
  const claimed = await store.db
    .updateTable('console_two_factors')
    .set({ last_step: step })
    .where('id', '=', factorId)
    .where((factor) => factor.or([factor('last_step', 'is', null), factor('last_step', '<', step)]))
    .executeTakeFirst();
  return claimed.numUpdatedRows > 0n;
}
