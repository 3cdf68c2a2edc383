import { between, oneOf } from '../../crash/random.ts';
import type { SpendLimit } from '../../../src/core/caller.ts';
import { type LimitScope, memberSubject } from '../../../src/core/limit.ts';
import type { LimitsByAccount } from '../key-book.ts';
import type { Plan } from '../plan.ts';
import type { Disaster, Family } from '../scenario.ts';
import { checkSharedReplies } from '../shared-replies.ts';
import type { World } from '../world.ts';
import { catalogOf, upstreamOf } from './catalog.ts';
import { warmUpsOf } from './ends.ts';
import { historyOf, timeZone } from './keys.ts';
import { conductOf, disastersOf } from './leases.ts';
import { retried } from './retried.ts';

type Planned = Plan & { readonly gateway: number };

const durationMs = 60_000;

/**
 * Everything that processes share, in one world. The slots of an upstream and of a key are leased. One key has a
 * cap, one account has a balance near its end, one has enough for the fast path, and one is postpaid. A member, accounts
 * and an organisation have limits. Clients read slowly, leave and
 * retry at any gateway, many with an `Idempotency-Key`. Gateways freeze and die, several at a time, and the store or
 * the arbiter fails.
 */
export const together: Family = (world) => {
  const { random } = world;
  const gateways = between(random, 2, 3);
  const largest = between(random, 1000, 10_000);
  const plans = plansOf(world, { gateways, largest });
  const disasters = random() < 0.2 ? [] : allDisastersOf(world, gateways, plans);
  const limits = limitsOf(world, largest);
  const credits = { ann: largest * 100, ben: Math.ceil((largest * between(random, 2, 12)) / 10), cyd: 10_000_000 };
  return {
    gateways,
    sharesSlots: true,
    sharesReplies: true,
    upstreams: [upstreamOf('u', oneOf(random, [between(random, 1, 6), between(random, 7, 30), 100]))],
    credentials: 1,
    catalog: catalogOf({ m: ['u'] }),
    accounts: [
      { id: 'ann', credit: BigInt(credits.ann), organisationId: 'org', memberId: 'mia' },
      { id: 'ben', credit: BigInt(credits.ben), organisationId: 'org' },
      { id: 'cyd', credit: BigInt(credits.cyd) },
      { id: 'eve', credit: 0n, isPostpaid: true, organisationId: 'org' },
    ],
    limits,
    keys: { ann: historyOf(world, largest) },
    waitMaxMs: 60_000,
    plans,
    disasters,
    mood: { latencyMs: between(random, 0, 20), failureShare: 0, lostReplyShare: 0 },
    conduct: () => conductOf(world),
    durationMs,
    check: (life) => (disasters.some(({ kind }) => kind === 'store') ? [] : checkSharedReplies(life)),
  };
};

/** Requests in bursts, so that they compete, and their retries at any gateway. */
function plansOf(world: World, { gateways, largest }: { gateways: number; largest: number }): readonly Planned[] {
  const { random } = world;
  const plans: Planned[] = warmUpsOf(['cyd'], gateways);
  for (let count = between(random, 8, 22); count > 0; count -= 1) {
    const gateway = between(random, 0, gateways - 1);
    const request = {
      // In two waves, so that a gateway that serves the second one may have expired after the first.
      atMs: 1000 + oneOf(random, [0, 36_000]) + between(random, 0, 3) * 3000 + between(random, 0, 50),
      gateway,
      accountId: payerOf(oneOf(random, ['ann', 'ann', 'ben', 'ben', 'cyd', 'cyd']), count),
      model: 'm',
      promptTokens: between(random, 1, Math.ceil(largest / 4)),
      // Most requests cost about as much as their hold, so that caps are spent and not only reserved.
      maxTokens: between(random, 1, random() < 0.7 ? 10 : largest),
    };
    const retryGateway = () => (random() < 0.5 ? gateway : between(random, 0, gateways - 1));
    const withinMs = [100, 1000, 6000, 20_000];
    plans.push(...retried(world, request, plans.length, { keyShare: 0.4, withinMs, gateway: retryGateway }));
  }
  return plans;
}

/** Half of the requests of `ann` are those of a postpaid account. */
function payerOf(accountId: string, count: number): string {
  return accountId === 'ann' && count % 2 === 0 ? 'eve' : accountId;
}

/** In some worlds, the limits of a member, two accounts and their organisation, some of which renew in the world. */
function limitsOf({ random }: World, largest: number): LimitsByAccount {
  if (random() < 0.3) return {};
  const limitOf = (scope: LimitScope, subjectId: string): readonly SpendLimit[] => {
    if (random() < 0.3) return [];
    const amount = BigInt(between(random, Math.ceil(largest / 2), 4 * largest));
    const renewal = random() < 0.5 ? { period: oneOf(random, ['day', 'month'] as const), timeZone } : undefined;
    return [{ scope, subjectId, amount, renewal }];
  };
  const organisation = limitOf('organisation', 'org');
  return {
    ann: [...limitOf('member', memberSubject('ann', 'mia')), ...organisation],
    ben: [...limitOf('account', 'ben'), ...limitOf('account', 'ben'), ...organisation],
    eve: [...limitOf('account', 'eve'), ...organisation],
  };
}

/** The disasters of `disastersOf`, gateways that freeze or die during a request, and an arbiter that is away. */
function allDisastersOf(world: World, gateways: number, plans: readonly Planned[]): readonly Disaster[] {
  const { random } = world;
  const faults = Array.from({ length: between(random, 0, 3) }, (): readonly Disaster[] => {
    const { atMs: sentMs, gateway } = oneOf(random, plans);
    const atMs = sentMs + between(random, 0, 3000);
    if (random() < 0.5) return [{ atMs, kind: 'freeze', gateway, forMs: between(random, 1000, 40_000) }];
    const restartMs = atMs + between(random, 500, 20_000);
    return [
      { atMs, kind: 'kill', gateway },
      { atMs: restartMs, kind: 'restart', gateway },
    ];
  });
  const downMs = between(random, 5000, durationMs);
  const outage: readonly Disaster[] = [
    { atMs: downMs, kind: 'arbiter', isDown: true },
    { atMs: downMs + between(random, 1000, 30_000), kind: 'arbiter', isDown: false },
  ];
  const others = random() < 0.5 ? disastersOf(world, gateways) : [];
  return [...others, ...faults.flat(), ...(random() < 0.3 ? outage : [])];
}
