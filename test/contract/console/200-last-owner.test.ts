import { consoleOn } from '../../gateways/console-gateway.ts';
import { lastOwner } from './suites/last-owner.ts';

consoleOn('sqlite', lastOwner);
