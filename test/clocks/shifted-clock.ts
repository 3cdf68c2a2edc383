import { readFileSync } from 'node:fs';

/**
 * Loaded into a gateway process before its own code: shifts its wall clock by the milliseconds in a file, which a test
 * may change while the process runs.
 */
const file = process.env['TEST_CLOCK_FILE'] ?? '';
const now = Date.now;
let shiftMs = Number(readFileSync(file, 'utf8'));
Date.now = () => now() + shiftMs;
setInterval(() => {
  shiftMs = Number(readFileSync(file, 'utf8'));
}, 20).unref();
