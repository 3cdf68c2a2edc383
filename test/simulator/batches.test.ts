import { playWorlds } from './worlds.ts';

playWorlds({ batches: 60, crowded: 10 });
