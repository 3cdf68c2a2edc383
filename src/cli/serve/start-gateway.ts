import { join } from 'node:path';
import { firstAdminToken } from '../../admin/tokens/tokens.ts';
import { failpointFrom } from '../../config/failpoint.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { firstSetupPath } from '../../console/setup-link.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Gateway, GatewayOptions } from '../../gateway/gateway.ts';
import { banner } from './banner.ts';
import type { ConfigSource } from './config-source.ts';
import { CliError } from '../output.ts';
import { storeServedPort } from './served-port.ts';
import { sourceStamp } from './source-stamp.ts';
import { accounts } from '../../accounts/accounts.ts';
import { createKey, keyState, keys } from '../../accounts/keys.ts';

/** Whether this runs from TypeScript source. A build contains its own time stamp. */
const isSource = import.meta.filename.endsWith('.ts');

type StartOptions = Pick<GatewayOptions, 'configFile' | 'onWaiting' | 'worker' | 'reload'>;

/** Starts the gateway in this process. Throws a `CliError` if its port is in use. */
export async function launchGateway(loaded: LoadedConfig, options: StartOptions): Promise<Gateway> {
  try {
    // Only `serve` needs the whole gateway; the other commands do not load it.
    const { startGateway } = await import('../../main.ts');
    const failpoint = failpointFrom(process.env);
    const build = isSource ? sourceStamp(join(import.meta.dirname, '../../..')) : undefined;
    return await startGateway(loaded, { ...options, env: process.env, build, failpoint });
  } catch (error) {
    throw addressTaken(error, loaded) ?? error;
  }
}

/** Creates the first key, admin token and setup link if they are missing; returns the text to print at start. */
export async function prepareAnnouncement(
  gateway: Gateway,
  { config }: LoadedConfig,
  { file, found }: Pick<ConfigSource, 'file' | 'found'>,
): Promise<string> {
  await storeServedPort(gateway.store, gateway.address.port);
  const key = file === undefined ? await firstKey(gateway) : undefined;
  const making = { store: gateway.store, clock: systemClock, pepper: gateway.pepper };
  const adminToken = await firstAdminToken(making);
  const setup = await firstSetupPath(making);
  return banner({ gateway, file, found, key, adminToken, setup, config });
}

/** Frees the memory that only the start needed, a sixth of the heap. V8 alone would keep it until there is load. */
export function freeStartMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function addressTaken(error: unknown, { config }: LoadedConfig): CliError | undefined {
  const { host, port, healthPort } = config.listen;
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return undefined;
  if (healthPort !== undefined && healthPort !== port && 'port' in error && error.port === healthPort) {
    return new CliError('health_port_taken', { port: healthPort, host }, { cause: error });
  }
  return new CliError('port_taken', { port, host, other: port + 1 }, { cause: error });
}

const demoAccount = 'demo';

/** Creates a key if the demo account has no active one; returns its secret, which must be shown now. */
async function firstKey({ store, pepper }: Gateway): Promise<string | undefined> {
  const account = await accounts(store, systemClock).find(demoAccount);
  if (!account) return undefined;
  const existing = await keys(store, systemClock).list({ accountId: account.id });
  if (existing.some((key) => keyState(key, systemClock.now()) === 'active')) return undefined;
  const parts = { store, clock: systemClock, pepper };
  const { secret } = await createKey(parts, { accountId: account.id, name: 'first key' });
  return secret;
}
