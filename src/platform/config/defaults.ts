import { resolve } from 'node:path';
import { configFrom, configSchema } from './config.ts';
import { passThroughEndpoints } from 'chat-formats/chat/pass-through-endpoint.ts';
import { type DetectedProvider, discoveredSections } from './discovered.ts';
import type { Environment } from './environment.ts';
import type { LoadedConfig } from './load.ts';
import { defaultSurfaces } from './schema/model.ts';
import { resourcesOf } from './schema/resource.ts';

/** The configuration without a file: an upstream that needs no network, and every discovered provider. */
export function defaultConfig({ directory, env, discovered = [] }: DefaultOptions): LoadedConfig {
  const sections = discoveredSections(discovered, env);
  const data = {
    ...embedded,
    upstreams: [...embedded.upstreams, ...sections.upstreams],
    models: [...embedded.models, ...sections.models],
  };
  const config = configFrom(configSchema.parse(data));
  return { config: { ...config, data: resolve(directory, config.data) }, resources: resourcesOf(data) };
}

interface DefaultOptions {
  /** The folder that contains `data`. */
  readonly directory: string;
  /** Contains the credentials of discovered providers. */
  readonly env: Environment;
  readonly discovered?: readonly DetectedProvider[];
}

const simulatedPrice = { input: '0.10', cached_input: '0.01', output: '0.40' };
const simulatedUnits = { image: '0.01', second: '0.0001', character: '0.00001', request: '0.0001' };

const embedded = {
  upstreams: [{ name: 'simulated', kind: 'simulated' }],
  models: [
    {
      ...simulated('chat'),
      surfaces: defaultSurfaces,
      endpoints: passThroughEndpoints,
      price: { ...simulatedPrice, units: simulatedUnits },
    },
    { ...simulated('think'), thinking: true, price: simulatedPrice },
    { ...simulated('tools'), price: simulatedPrice },
    { ...simulated('logprobs'), price: simulatedPrice },
  ],
  packages: [{ name: 'standard', models: ['*'], weight: 1 }],
  sites: [{ name: 'main', domains: ['*'], models: ['*'] }],
  accounts: [{ name: 'demo', package: 'standard', credit: '5.00' }],
};

function simulated(ability: string) {
  return {
    id: `sim-${ability}-2026-01-01`,
    aliases: [`sim-${ability}`],
    context_window: 131_072,
    max_output_tokens: 16_384,
    routes: [{ upstream: 'simulated' }],
  };
}
