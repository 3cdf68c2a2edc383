import { type Browser, chromium } from 'playwright-core';
import { service } from '../services/service.ts';

let connected: Promise<Browser> | undefined;

/**
 * The Chromium of the run. All files of a process share one connection, and each closes its windows with
 * `closeWindows`.
 */
export async function sharedChromium(): Promise<Browser> {
  const known = await connected;
  if (known?.isConnected()) return known;
  connected = service('GET', 'chromium').then((address) => chromium.connect(address));
  return connected;
}
