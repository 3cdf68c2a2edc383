import { playWorlds } from './worlds.ts';

playWorlds({ ends: 60, robbed: 15 });
