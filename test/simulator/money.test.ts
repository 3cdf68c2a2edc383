import { playWorlds } from './worlds.ts';

playWorlds({ purse: 1000, poor: 200, reborn: 200, fallbacks: 200 });
