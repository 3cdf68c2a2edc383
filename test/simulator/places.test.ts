import { playWorlds } from './worlds.ts';

playWorlds({ neighbours: 150, readers: 60, resting: 50, sporadic: 5 });
