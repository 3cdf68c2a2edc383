import { afterEach } from 'vitest';
import { arbiterSuite } from '../../../test/arbiter-suite.ts';
import type { Arbiter } from './arbiter.ts';
import { memoryArbiter } from './memory-arbiter.ts';

// All processes of a test share one arbiter.
let arbiter: Arbiter | undefined;
afterEach(() => void (arbiter = undefined));

arbiterSuite(async (_process, now) => (arbiter ??= memoryArbiter(now)));
