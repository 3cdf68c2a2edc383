import { consoleOn } from '../../console-gateway.ts';
import { sessions } from './suites/sessions.ts';

consoleOn('sqlite', sessions);
