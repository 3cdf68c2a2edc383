import type { Family } from '../scenario.ts';
import { batches, crowded } from './batches.ts';
import { clocks } from './clocks.ts';
import { disobedient } from './disobedient.ts';
import { ends } from './ends.ts';
import { fallbacks } from './fallbacks.ts';
import { keys } from './keys.ts';
import { named, stalled } from './named.ts';
import { models } from './models.ts';
import { poor } from './poor.ts';
import { promised } from './promised.ts';
import { expiring, off } from './late-batches.ts';
import { leases } from './leases.ts';
import { readers } from './readers.ts';
import { reborn } from './reborn.ts';
import { quotas, unchecked } from './refused-batches.ts';
import { resting } from './resting.ts';
import { robbed } from './robbed.ts';
import { sporadic } from './sporadic.ts';
import { together } from './together.ts';
import { uneven } from './uneven.ts';

/** All families of worlds, by name. */
export const families: Readonly<Record<string, Family>> = {
  leases,
  poor,
  reborn,
  promised,
  keys,
  named,
  stalled,
  models,
  readers,
  resting,
  sporadic,
  fallbacks,
  disobedient,
  ends,
  robbed,
  together,
  batches,
  crowded,
  uneven,
  expiring,
  off,
  quotas,
  unchecked,
  clocks,
};
