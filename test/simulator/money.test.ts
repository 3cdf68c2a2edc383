import { playWorlds } from './worlds.ts';

playWorlds({ purse: 500, poor: 150, reborn: 150, fallbacks: 150, disobedient: 120 });
