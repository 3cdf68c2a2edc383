import { consoleOn } from '../../gateways/console-gateway.ts';
import { oneUseCode } from './suites/one-use-code.ts';

consoleOn('sqlite', oneUseCode);
