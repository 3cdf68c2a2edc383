import { playWorlds } from './worlds.ts';

playWorlds({ neighbours: 300, readers: 120, resting: 100, sporadic: 10 });
