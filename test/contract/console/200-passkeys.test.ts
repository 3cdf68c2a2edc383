import { consoleOn } from '../../console-gateway.ts';
import { passkeys } from './suites/passkeys.ts';

consoleOn('sqlite', passkeys);
