import { playWorlds } from './worlds.ts';

playWorlds({
  together: 80,
  named: 40,
  stalled: 40,
  models: 70,
  readers: 30,
  resting: 25,
  sporadic: 3,
  stopped: 60,
  idle: 30,
});
