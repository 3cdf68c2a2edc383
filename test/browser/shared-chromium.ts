import { type Browser, chromium } from '@playwright/test';
import { service } from '../services/service.ts';

/** The one Chromium of the run. Closing it takes the windows that were opened through it, and leaves the others. */
export async function sharedChromium(): Promise<Browser> {
  return chromium.connect(await service('GET', 'chromium'));
}
