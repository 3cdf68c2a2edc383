import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultConfig } from '../../src/platform/config/defaults.ts';
import { startGateway } from '../../src/app/main.ts';
import { fakeSigns } from '../fakes/fake-signs.ts';
import { makeKey } from '../keys.ts';
import { putStore } from '../stores/made-store.ts';

/** A gateway as after a first start without a file: the simulated models, the demo account and a key. */
export interface SimulatedGateway {
  readonly url: string;
  readonly port: number;
  readonly key: string;
  stop(): Promise<void>;
}

export async function startSimulatedGateway(): Promise<SimulatedGateway> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-simulated-'));
  const { config, resources } = defaultConfig({ env: {}, directory });
  const quiet = { ...config, listen: { ...config.listen, port: 0 }, log: { ...config.log, level: 'silent' as const } };
  await putStore(quiet.data);
  const gateway = await startGateway({ config: quiet, resources }, { env: {}, signs: fakeSigns() });
  const { secret } = await makeKey(gateway, { account: 'demo', name: 'test' });
  return {
    url: `http://127.0.0.1:${gateway.address.port}`,
    port: gateway.address.port,
    key: secret,
    stop: async () => {
      await gateway.stop({ graceMs: 1000 });
      await rm(directory, { recursive: true, force: true });
    },
  };
}
