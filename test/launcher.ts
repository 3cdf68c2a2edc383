import { join } from 'node:path';
import { areServicesRunning, service } from './services/service.ts';

/**
 * The program that tests start as a gateway process: the bundle that is shipped, built on first use. It is started
 * without `bin/chat-gateway.cjs`, which would start Node a second time to set heap sizes. Outside of a test run it is the source.
 */
export const launcher = areServicesRunning
  ? join(await service('GET', 'gateway'), 'dist/cli/main.js')
  : join(import.meta.dirname, '../bin/chat-gateway.cjs');
