import { type Command, InvalidArgumentError } from 'commander';
import { duration } from '../../config/duration.ts';
import { CliError, reportFailure, wantsJson } from '../output.ts';
import { NoAnswer } from './client.ts';
import { conform, groupsNamed } from './conform.ts';
import { printedGroup, printedSummary } from './printed.ts';
import { scorecardJson, totalsOf } from './scorecard.ts';
import { rootOf } from './target.ts';

interface Flags {
  readonly key: string;
  readonly model?: string;
  readonly messagesPrefix: string;
  readonly only?: readonly string[];
  readonly timeout: number;
}

/** Adds `conform`: exit status 0 when nothing failed, 1 when something did, 2 when the command was not understood. */
export function registerConform(program: Command): void {
  program
    .command('conform')
    .description('Run the contract against any deployment and print a scorecard.')
    .argument('<base-url>', 'address of the deployment, with or without /v1', validated(rootOf))
    .requiredOption('--key <key>', 'an API key of the deployment')
    .option('--model <id>', 'the model to ask (default: the first chat models of the catalog)')
    .option('--messages-prefix <path>', 'where the messages surface is mounted', '/anthropic')
    .option('--only <groups>', `run only these groups: ${groupNames()}`, validated(groupList))
    .option('--json', 'print one JSON document')
    .option('--timeout <duration>', 'how long one request may take', validated(timeoutMs), timeoutMs('60s'))
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(run);
}

async function run(baseUrl: string, flags: Flags, command: Command): Promise<void> {
  const target = { baseUrl, key: flags.key, messagesPrefix: flags.messagesPrefix };
  const json = wantsJson(command);
  try {
    const scorecard = await conform(target, {
      model: flags.model,
      only: flags.only,
      timeoutMs: flags.timeout,
      onGroup: (score) => json || console.log(printedGroup(score)),
    });
    console.log(json ? JSON.stringify(scorecardJson(scorecard), null, 2) : printedSummary(scorecard));
    if (totalsOf(scorecard.groups).fail > 0) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    const next = 'Check that the deployment is running and that the address is right.';
    process.exitCode = reportFailure(new CliError(`${baseUrl} did not answer ${error.message}`, { next }), json);
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

function timeoutMs(text: string): number {
  const read = duration.safeParse(text);
  if (!read.success || read.data === 0) throw new Error('a timeout is a duration such as 500ms, 60s or 5m');
  return read.data;
}

/** Turns a sentence thrown by a reader into commander's own usage error. */
function validated<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}
