import { playWorlds } from './worlds.ts';

playWorlds({ purse: 800, poor: 200, reborn: 200, fallbacks: 200 });
