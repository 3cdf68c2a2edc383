import { connectionFaults } from './connection-faults.ts';
import type { Fault } from './fault.ts';
import { statusFaults } from './status-faults.ts';
import { streamFaults } from './stream-faults.ts';
import { usageFaults } from './usage-faults.ts';
import { wireFaults } from './wire-faults.ts';

/** All faults that providers showed, or could show. */
export const allFaults: readonly Fault[] = [
  ...connectionFaults,
  ...wireFaults,
  ...statusFaults,
  ...streamFaults,
  ...usageFaults,
];
