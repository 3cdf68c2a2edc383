import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulatedGateway, type SimulatedGateway } from '../gateways/simulated-gateway.ts';

/** The programs of README and of the pages about clients. */
const programs = globSync(['README.md', 'docs/clients/*.md']).flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```ts ?(.*)\n([^]*?)^```$/gm)].map(
    ([, title = '', program = '']) => [page, title, program] as const,
  ),
);
/** Inside the repository, so that the programs find its packages. */
const folder = join(import.meta.dirname, '../../node_modules/.cache/documented');
let gateway: SimulatedGateway;

beforeAll(async () => {
  gateway = await startSimulatedGateway();
  mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.stop();
});

test('there are programs', () => expect(programs.length).toBeGreaterThan(5));

test.each(programs)('the program on %s runs: %s', async (page, title, program) => {
  const here = program
    .replace(/https:\/\/gateway\.example\.com|http:\/\/127\.0\.0\.1:8080/, gateway.url)
    .replaceAll("'large'", "'sim-chat'");
  const file = join(folder, `${`${page}-${title}`.replaceAll(/\W+/g, '-')}.mjs`);
  writeFileSync(file, here);
  const env = { ...process.env, GATEWAY_KEY: gateway.key };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  expect(stdout).toContain('I am a simulated model');
});
