import { resolve } from 'node:path';
import type { Command } from 'commander';
import { colors } from './colors.ts';
import type { Config } from '../platform/config/config.ts';
import { emptySections } from '../platform/config/schema/empty-sections.ts';
import { loadConfigFile } from '../platform/config/load.ts';
import type { LocatedProblem } from '../platform/config/file/problem.ts';
import { renderProblems } from '../platform/config/file/render-problems.ts';
import { knownKinds } from '../serving/upstreams/providers/presets.ts';
import { answer, CliError, table } from './terminal/output.ts';
import { configFileOf } from './place.ts';

export function registerCheck(program: Command): void {
  program
    .command('check')
    .argument('[file]', 'configuration file; default ./gateway.yaml')
    .description('Check a configuration file and list every problem. Nothing is started.')
    .action((file: string | undefined, _options, command: Command) => check(file ?? configFileOf(command), command));
}

async function check(file: string | undefined, command: Command): Promise<void> {
  if (file === undefined) throw new CliError('config_file_missing', {}, { exitCode: 2 });
  const loaded = await loadConfigFile(resolve(file), { env: process.env, kinds: knownKinds });
  if (loaded.ok) {
    const warnings = emptySections(loaded.resources).map((section) => emptyWarning(file, section));
    answer(command, {
      json: { ok: true, problems: [], warnings, ...countsOf(loaded.config) },
      text: () => [`${colors.green('ok')} ${file}\n\n${summary(loaded.config)}`, ...warnings.map(warned)].join('\n\n'),
    });
    return;
  }
  answer(command, {
    json: { ok: false, problems: loaded.problems },
    text: () => problemsText(loaded.problems, loaded.text, file),
  });
  process.exitCode = 1;
}

function emptyWarning(file: string, section: string): string {
  return `${file} has no \`${section}\`. Requests fail unless some were added by command. A running gateway that has some from its file applies this one only with --allow-empty.`;
}

function warned(warning: string): string {
  return `${colors.yellow('warning')} ${warning}`;
}

const sections = ['upstreams', 'models', 'packages', 'sites', 'accounts'] as const;

function countsOf(config: Config): Record<string, number> {
  return Object.fromEntries(sections.map((section) => [section, config[section].length]));
}

function summary(config: Config): string {
  const rows = sections.map((section) => [section, String(config[section].length), namesOf(config[section])]);
  return table(['section', 'entries', 'names'], rows);
}

function namesOf(entries: readonly ({ readonly name: string } | { readonly id: string })[]): string {
  return entries.map((entry) => ('name' in entry ? entry.name : entry.id)).join(', ');
}

function problemsText(problems: readonly LocatedProblem[], text: string, file: string): string {
  const drawn = renderProblems(problems, text, file)
    .replace(/^( *= fix:)/gm, (fix) => colors.green(fix))
    .replace(/^( *\d* \|)/gm, (margin) => colors.dim(margin));
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  return `${drawn}\n\n${colors.red(`${file} has ${count}.`)}`;
}
