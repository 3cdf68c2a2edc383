import { playWorlds } from './worlds.ts';

playWorlds({ batches: 60, crowded: 10, uneven: 10, expiring: 60, off: 40, quotas: 40, unchecked: 40, clocks: 40 });
