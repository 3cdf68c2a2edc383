import { playWorlds } from './worlds.ts';

playWorlds({ neighbours: 500, readers: 150, sporadic: 10 });
