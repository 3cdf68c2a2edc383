import { join } from 'node:path';
import { areServicesRunning, service } from '../services/service.ts';

/**
 * The program that tests start as a gateway process: the released bundle, built on first use. Tests start it without
 * `bin/chat-gateway.cjs`, which would start Node a second time to set heap sizes. Outside of a test run it is the
 * source.
 */
export const launcher = areServicesRunning
  ? join(await service('GET', 'gateway'), 'dist/cli/main.js')
  : join(import.meta.dirname, '../../bin/chat-gateway.cjs');
