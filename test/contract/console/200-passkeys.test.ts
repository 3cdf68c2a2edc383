import { consoleOn } from '../../gateways/console-gateway.ts';
import { passkeys } from './suites/passkeys.ts';

consoleOn('sqlite', passkeys);
