import { playWorlds } from './worlds.ts';

playWorlds({ purse: 250, poor: 80, reborn: 80, fallbacks: 80, disobedient: 60, keys: 40 });
