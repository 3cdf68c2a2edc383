import { Command } from 'commander';
import { expect, test } from 'vitest';
import { registerServe } from '../../src/cli/serve/serve.ts';
import { configOf, filesIn, readText, readYaml } from './definitions.ts';

const compose = readYaml('deploy/compose/compose.yaml');
const nginx = readText('deploy/compose/nginx.conf');
const unit = readText('deploy/systemd/chat-gateway.service');
const dockerfile = readText('Dockerfile');
const gateways = Object.keys(compose.services).filter((name) => name.startsWith('gateway-'));
const { environment } = compose.services['gateway-1'];
const config = configOf(readText('deploy/compose/gateway.yaml'), Object.keys(environment));
const defaults = configOf('', []);

/** `630s` or `630` in milliseconds. */
const inMs = (text: string): number => Number.parseInt(text, 10) * 1000;
const firstMatch = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? '';

test('the balancer of the compose file uses the port of every gateway, and is a trusted proxy', () => {
  const { port, healthPort } = config.listen;
  expect([...nginx.matchAll(/^ +server (\S+) /gm)].map(([, at]) => at)).toEqual(
    gateways.map((name) => `${name}:${port}`),
  );
  expect(readYaml('deploy/compose/gateway.yaml').listen.trusted_proxies).toEqual([
    compose.services.balancer.networks.inside.ipv4_address,
  ]);
  const [scraped] = readYaml('deploy/compose/prometheus.yaml').scrape_configs;
  expect(scraped.static_configs[0].targets).toEqual(gateways.map((name) => `${name}:${healthPort}`));
  expect(compose.services.balancer.ports[0].split(':').at(-1)).toBe(firstMatch(/listen (\d+);/, nginx));
});

test('the balancer has the body limit of the gateways, and a shorter keep-alive timeout', () => {
  expect(Number(firstMatch(/client_max_body_size (\d+)m/, nginx)) * 1024 ** 2).toBe(config.limits.bodyBytesMax);
  expect(inMs(firstMatch(/keepalive_timeout (\d+)s/, nginx))).toBeLessThan(config.limits.keepAliveTimeout);
});

test('each gateway of the compose file has its own folder and address, and enough time to stop', () => {
  const each = gateways.map((name) => compose.services[name]);
  expect(new Set(each.map(({ volumes }) => volumes.at(-1))).size).toBe(gateways.length);
  expect(new Set(each.map(({ networks }) => networks.inside.ipv4_address)).size).toBe(gateways.length);
  for (const { stop_grace_period, environment: variables } of each) {
    expect(inMs(stop_grace_period)).toBeGreaterThan(config.shutdownGrace);
    expect(Number(variables.HEALTH_PORT)).toBe(config.listen.healthPort);
  }
});

test('the image and the unit start the program with existing options', () => {
  const program = new Command().option('--config <file>').option('--data <folder>').option('--database <address>');
  registerServe(program);
  const known = [...program.options, ...program.commands[0]!.options].map(({ long }) => long);
  const command = firstMatch(/^CMD (.+)$/m, dockerfile);
  const start = firstMatch(/^ExecStart=(.+)$/m, unit);
  for (const line of [command, start]) {
    expect(line).toContain('serve');
    expect(known).toEqual(expect.arrayContaining(line.match(/--\w+/g)!));
    // --data would override the database of the configuration.
    expect(line).not.toContain('--data');
  }
  expect(start).toContain(`node_modules/.bin/${Object.keys(JSON.parse(readText('package.json')).bin)[0]} `);
});

test('the health check of the image uses the default port, and the image runs without privileges', () => {
  expect(Number(firstMatch(/HEALTH_PORT=(\d+)/, dockerfile))).toBe(defaults.listen.port);
  expect(dockerfile).toMatch(/^USER 65532:65532$/m);
  expect(readYaml('deploy/helm/chat-gateway/values.yaml').podSecurityContext.runAsUser).toBe(65_532);
});

test('the stop timeout of the unit is longer than the grace period of the gateway', () => {
  expect(inMs(firstMatch(/^TimeoutStopSec=(\d+)$/m, unit))).toBeGreaterThan(defaults.shutdownGrace);
});

test('the workflow runs both test commands of the README, on both processor architectures', () => {
  const { test: job } = readYaml('.github/workflows/test.yaml').jobs;
  const [, fast, deep] = /\*\*Test it\*\*[^]*?```sh\n(.+)\n```\n\n`(.+?)`/.exec(readText('README.md'))!;
  expect(job.steps.slice(-2).map(({ run }: { run: string }) => run)).toEqual([fast, deep]);
  expect(job.strategy.matrix.machine).toEqual([expect.not.stringContaining('arm'), expect.stringContaining('arm')]);
});

test('the nightly workflow runs existing commands', () => {
  const { scripts } = JSON.parse(readText('package.json'));
  const nightly = readYaml('.github/workflows/nightly.yaml').jobs.run.strategy.matrix.include;
  const commands: readonly string[] = nightly.map(({ command }: { command: string }) => command);
  expect(commands.length).toBeGreaterThan(4);
  const missing = commands.flatMap((command) => [
    ...[...command.matchAll(/npm run (\S+)/g)].map(([, name]) => name!).filter((name) => !(name in scripts)),
    ...[...command.matchAll(/node (\S+)/g)].map(([, file]) => file!).filter((file) => filesIn(file).length === 0),
  ]);
  expect(missing).toEqual([]);
});

test('every package in the update groups is a dependency of the project', () => {
  const manifests = ['package.json', ...filesIn('packages/*/package.json')];
  const ours = manifests.flatMap((manifest) => {
    const { dependencies, optionalDependencies, devDependencies, overrides } = JSON.parse(readText(manifest));
    return Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies, ...overrides });
  });
  const { packageRules } = JSON.parse(readText('renovate.json'));
  const named: readonly string[] = packageRules.flatMap(
    (rule: { matchPackageNames: string[] }) => rule.matchPackageNames,
  );
  const isOurs = (name: string) => ours.some((one) => one === name || one.startsWith(name.replace(/\*+$/, '')));
  expect(named.filter((name) => !isOurs(name))).toEqual([]);
});
