import { playWorlds } from './worlds.ts';

playWorlds({ leases: 120, poor: 40, reborn: 40, promised: 40, fallbacks: 40, disobedient: 30, keys: 40 });
