import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { startGateway } from '../../src/app/main.ts';
import { makeKey } from '../../test/keys.ts';
import { loadedConfig } from '../../test/gateways/loaded-config.ts';

/** No agent assumes this window for a name that it does not know. */
export const agentLimits = { contextWindow: 100_000, outputTokens: 16_000 };

/** A gateway with the same scripted provider behind each wire format, and a model for each of them. */
export async function startAgentGateway(providerUrl: string) {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-for-agents-'));
  const upstream = (name: string, kind: string, quirks = {}) => ({
    name,
    kind,
    base_url: providerUrl,
    api_key: 'scripted',
    quirks,
  });
  const model = (id: string, name: string) => ({
    id,
    context_window: agentLimits.contextWindow,
    max_output_tokens: agentLimits.outputTokens,
    routes: [{ upstream: name, model: 'scripted' }],
    price: 'free',
  });
  const models = ['over-chat-completions', 'over-messages', 'over-responses'];
  const file = stringify({
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    log: { level: 'warn' },
    upstreams: [
      upstream('chat', 'openai', { responses: false }),
      upstream('messages', 'anthropic'),
      upstream('responses', 'openai', { responses: 'only' }),
    ],
    models: [
      model('over-chat-completions', 'chat'),
      model('over-messages', 'messages'),
      model('over-responses', 'responses'),
    ],
    accounts: [{ name: 'agent', package: 'standard', credit: '1.00' }],
  });
  const gateway = await startGateway(loadedConfig(file, directory), { env: {} });
  const { secret } = await makeKey(gateway, { account: 'agent', name: 'agent', models: undefined });
  return {
    url: `http://127.0.0.1:${gateway.address.port}`,
    key: secret,
    models,
    stop: async () => {
      await gateway.stop({ graceMs: 1000 });
      await rm(directory, { recursive: true, force: true });
    },
  };
}
