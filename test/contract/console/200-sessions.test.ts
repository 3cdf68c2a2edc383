import { consoleOn } from '../../gateways/console-gateway.ts';
import { sessions } from './suites/sessions.ts';

consoleOn('sqlite', sessions);
