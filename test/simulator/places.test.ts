import { playWorlds } from './worlds.ts';

playWorlds({ neighbours: 400, readers: 150, resting: 100, sporadic: 10 });
