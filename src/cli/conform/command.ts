import { type Command, InvalidArgumentError, Option } from 'commander';
import { duration } from '../../config/duration.ts';
import { CliError, wantsJson } from '../output.ts';
import { NoAnswer } from './client.ts';
import { conform, groupsNamed } from './conform.ts';
import { printedGroup, printedSummary } from './printed.ts';
import { type Scorecard, scorecardJson, totalsOf } from './scorecard.ts';
import { rootOf } from './target.ts';

interface Flags {
  readonly key: string;
  readonly model?: string;
  readonly messagesPrefix: string;
  readonly only?: readonly string[];
  readonly timeout: number;
}

/** Adds `conform`, which ends with exit status 0 when no check failed and 1 when one did. */
export function registerConform(program: Command): void {
  program
    .command('conform')
    .description('run the contract against any deployment and print a scorecard')
    .argument('<base-url>', 'address of the deployment, with or without /v1', understood(rootOf))
    .requiredOption('--key <key>', 'an API key of the deployment')
    .option('--model <id>', 'the model to ask; the first chat models of the catalog unless said')
    .option('--messages-prefix <path>', 'where the messages surface is mounted', '/anthropic')
    .option('--only <groups>', `some of ${groupNames()}`, understood(groupList))
    .addOption(timeoutOption())
    .action(run);
}

async function run(baseUrl: string, flags: Flags, command: Command): Promise<void> {
  const json = wantsJson(command);
  const scorecard = await scored(baseUrl, flags, json);
  console.log(json ? JSON.stringify(scorecardJson(scorecard), null, 2) : printedSummary(scorecard));
  if (totalsOf(scorecard.groups).fail > 0) process.exitCode = 1;
}

async function scored(baseUrl: string, flags: Flags, quiet: boolean): Promise<Scorecard> {
  const target = { baseUrl, key: flags.key, messagesPrefix: flags.messagesPrefix };
  try {
    return await conform(target, {
      model: flags.model,
      only: flags.only,
      timeoutMs: flags.timeout,
      onGroup: (score) => quiet || console.log(printedGroup(score)),
    });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new CliError('deployment_unreachable', { url: baseUrl, problem: error.message }, { cause: error });
  }
}

function groupNames(): string {
  return groupsNamed(undefined)
    .map((group) => group.name)
    .join(', ');
}

function groupList(text: string): readonly string[] {
  return groupsNamed(text.split(',').map((name) => name.trim())).map((group) => group.name);
}

function timeoutOption(): Option {
  return new Option('--timeout <duration>', 'how long one request may take')
    .argParser(understood(timeoutMs))
    .default(timeoutMs('60s'), '60s');
}

function timeoutMs(text: string): number {
  const read = duration.safeParse(text);
  if (!read.success) throw new Error(`It ${read.error.issues[0]?.message}.`);
  return read.data;
}

/** Turns a sentence that a reader throws into a usage error. */
function understood<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}
