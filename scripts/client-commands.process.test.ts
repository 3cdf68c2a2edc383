import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchableAgents } from '../src/cli/launch/agents.ts';
import { launcher } from '../test/gateways/launcher.ts';
import { processEnvironment } from '../test/gateways/process-environment.ts';
import { type ServedGateway, startServedGateway } from '../test/gateways/served-gateway.ts';
import { codeBlocks } from './code-blocks.ts';

const blocks = codeBlocks(['README.md', 'docs/clients/*.md']).filter(
  ({ language, mark, text }) => language === 'sh' && mark === '' && !text.startsWith('npm ci'),
);

/** Stands in for every agent: finds the address and the key that it was given, and lists the models. */
const agent = `#!${process.execPath}
const { ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY, OPENAI_API_KEY, GATEWAY_KEY } = process.env;
const key = ANTHROPIC_AUTH_TOKEN ?? ANTHROPIC_API_KEY ?? OPENAI_API_KEY ?? GATEWAY_KEY;
const [url] = /http:\\/\\/127\\.0\\.0\\.1:\\d+/.exec(JSON.stringify([process.env, process.argv]));
const reply = await fetch(url + '/v1/models', { headers: { authorization: 'Bearer ' + key } });
console.log('The agent lists models:', reply.status);
`;

let gateway: ServedGateway;
/** Has a file with the store and the port of the gateway, as an operator's folder. */
let folder: string;
beforeAll(async () => {
  gateway = await startServedGateway();
  folder = join(gateway.directory, 'operator');
  mkdirSync(folder);
  const file = readFileSync(join(gateway.directory, 'gateway.yaml'), 'utf8');
  write('gateway.yaml', file.replace('port: 0', `port: ${gateway.port}`).replace('./data', '../data'));
  for (const name of Object.keys(launchableAgents)) write(name, agent);
  write('chat-gateway', `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
});
afterAll(() => gateway.clean());

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

async function shell(script: string): Promise<string> {
  const path = [folder, process.env['PATH']].join(delimiter);
  const env = { ...processEnvironment, PATH: path, GATEWAY_KEY: gateway.key };
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: folder, env });
  return stdout;
}

test('the pages have commands', () => expect(blocks.length).toBeGreaterThan(8));

test.each(blocks)('the commands of $page:$line work', async ({ text }) => {
  const script = text
    .replaceAll(/https:\/\/gateway\.example\.com|http:\/\/127\.0\.0\.1:8080/g, `http://127.0.0.1:${gateway.port}`)
    .replaceAll(/\b(large|small|sim-tools)\b/g, 'other')
    .replaceAll('gwk_…', gateway.key)
    .replaceAll('npx ', '');
  if (script.includes('keys change editor')) {
    await shell('chat-gateway keys create --account tester --name editor');
    expect(await shell(script)).toMatch(/stream: false +one JSON body/);
  } else {
    expect(await shell(script)).toContain('The agent lists models: 200');
  }
});
