import { describe } from 'vitest';
import { type ConsoleSuite, consoleOn } from '../../gateways/console-gateway.ts';
import { lastOwner } from './suites/last-owner.ts';
import { oneUseCode } from './suites/one-use-code.ts';
import { passkeys } from './suites/passkeys.ts';
import { sessions } from './suites/sessions.ts';
import { signingIn } from './suites/sign-in.ts';

const suites: readonly (readonly [string, ConsoleSuite])[] = [
  ['signing in', signingIn],
  ['sessions', sessions],
  ['passkeys', passkeys],
  ['one-use codes', oneUseCode],
  ['the last owner', lastOwner],
];

describe.each(suites)('%s', (_name, suite) => {
  consoleOn('postgres', suite);
});
