import { resolve } from 'node:path';
import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { type Config, loadConfigFile } from '../../platform/config/load.ts';
import { defaultConfig } from '../../platform/config/defaults.ts';
import type { LocatedProblem } from '../../platform/config/file/problem.ts';
import { buildStamp } from '../../core/build-stamp.ts';
import { systemClock } from '../../core/time/clock.ts';
import { knownKinds } from '../../serving/upstreams/providers/presets.ts';
import { answer, CliError } from '../terminal/output.ts';
import { configFileOf, type NamedGateway, type NamedStore, overrideWarning, resolveGateway } from '../place.ts';
import { catalogFindings } from './catalog.ts';
import { clockFindings } from './clock.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';
import { frontFindings } from './front.ts';
import { machineFacts, machineFindings } from './machine.ts';
import { providerFindings } from './providers.ts';
import { storeFindings } from './store.ts';

interface DoctorOptions {
  readonly url?: string;
  readonly key?: string;
  readonly model?: string;
}

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .option('--url <address>', 'address that clients use, to check the proxy in front of the gateway')
    .option('--key <key>', 'API key, to test with --model whether answers are streamed; costs one answer')
    .option('--model <id>', 'model for that test')
    .description(
      'Check the configuration file, store, clock, machine, providers and proxy, and print a fix for each problem.',
    )
    .action(doctor);
}

async function doctor(options: DoctorOptions, command: Command): Promise<void> {
  const findings = await runChecks(options, command);
  const count = (level: DoctorFinding['level']): number => findings.filter((finding) => finding.level === level).length;
  const problems = count('problem');
  answer(command, {
    json: { ok: problems === 0, findings: findings.map(({ fix = null, ...finding }) => ({ ...finding, fix })) },
    text: () => [...findings.map(lineOf), '', verdict(problems, count('warning'))].join('\n'),
  });
  if (problems > 0) process.exitCode = 1;
}

async function runChecks(options: DoctorOptions, command: Command): Promise<readonly DoctorFinding[]> {
  const front = frontOf(options);
  const { config, findings } = await fileFindings(command);
  const target = gatewayIfValid(command);
  const store = target ? await storeFindings(target) : undefined;
  const catalog = config && (await catalogFindings(config, store?.isCurrent ? target : undefined));
  const providers = catalog && (await providerFindings(catalog.entries, process.env));
  const data = target?.data ?? config?.data;
  const machine = config && data !== undefined ? machineFindings(await machineFacts(data), { ...config, data }) : [];
  const clock = clockFindings(systemClock.now(), buildStamp, [...(store?.clocks ?? []), ...(providers?.clocks ?? [])]);
  const bodyBytesMax = config?.limits.bodyBytesMax ?? 32 * 2 ** 20;
  return [
    versionFinding(command),
    ...findings,
    ...(store?.findings ?? []),
    ...clock,
    ...machine,
    ...(catalog?.findings ?? []),
    ...(providers?.findings ?? []),
    ...(front ? await frontFindings({ ...front, bodyBytesMax }) : []),
  ];
}

function versionFinding(command: Command): DoctorFinding {
  const version = command.parent?.version() ?? '';
  const built = buildStamp.startsWith('1970') ? 'from source' : `built ${buildStamp}`;
  return ok('version', `chat-gateway ${version}, ${built}, on Node ${process.versions.node}.`);
}

async function fileFindings(
  command: Command,
): Promise<{ config: Config | undefined; findings: readonly DoctorFinding[] }> {
  const file = configFileOf(command);
  if (file === undefined) {
    const { config } = defaultConfig({ env: process.env, directory: process.cwd() });
    return {
      config,
      findings: [
        ok('file', 'No configuration file: the gateway uses defaults and the providers it discovers on this machine.'),
      ],
    };
  }
  const loaded = await loadConfigFile(resolve(file), { env: process.env, kinds: knownKinds });
  if (loaded.ok) {
    const unused = overrideWarning(command.optsWithGlobals<NamedStore>(), loaded.config.database);
    const fix = 'Leave out --data to use the database, or remove `database` from the file.';
    const findings = [ok('file', `${file} is valid.`), ...(unused === undefined ? [] : [warning('file', unused, fix)])];
    return { config: loaded.config, findings };
  }
  const findings = loaded.problems.map(({ line, fix, ...broken }) =>
    problem('file', `${file}:${line}: ${sentenceOf(broken)}`, fix),
  );
  return { config: undefined, findings };
}

/** Some messages are whole sentences. Others follow the path, and have no full stop. */
function sentenceOf({ path, message }: Pick<LocatedProblem, 'path' | 'message'>): string {
  const text = path === '' ? message : `${path} ${message}`;
  return text.endsWith('.') ? text : `${text}.`;
}

/** `undefined` if the file is invalid, which another check reports. */
function gatewayIfValid(command: Command): NamedGateway | undefined {
  try {
    return resolveGateway(command);
  } catch {
    return undefined;
  }
}

function frontOf({ url, key, model }: DoctorOptions) {
  if (url === undefined) return undefined;
  const address = URL.parse(url);
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new CliError('invalid_url', { url, example: 'https://HOST' }, { exitCode: 2 });
  }
  return { url: address, trial: key === undefined || model === undefined ? undefined : { key, model } };
}

const marks = { ok: colors.green('✓'), warning: colors.yellow('!'), problem: colors.red('✗') };

function lineOf({ area, level, says, fix }: DoctorFinding): string {
  const line = `${marks[level]} ${colors.dim(area.padEnd(11))} ${says}`;
  return fix === undefined ? line : `${line}\n${' '.repeat(14)}${colors.green('fix:')} ${fix}`;
}

function verdict(problems: number, warnings: number): string {
  if (problems === 0 && warnings === 0) return colors.green('No problems found.');
  const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
}
