import { type Command, InvalidArgumentError, Option } from 'commander';
import { duration } from '../../platform/config/schema/values/duration.ts';
import { CliError, wantsJson } from '../terminal/output.ts';
import { NoResponse } from 'chat-gateway-conform/client.ts';
import { conform, groupsNamed } from 'chat-gateway-conform/conform.ts';
import { printedGroup, printedSummary } from './printed.ts';
import { type Scorecard, scorecardJson, totalsOf } from 'chat-gateway-conform/scorecard.ts';
import { rootOf } from 'chat-gateway-conform/target.ts';
import { Unusable } from 'chat-gateway-conform/usable.ts';

interface Flags {
  readonly key: string;
  readonly model?: string;
  readonly messagesPrefix: string;
  readonly only?: readonly string[];
  readonly timeout: number;
}

/** Adds `conform`, which exits with 0 if no check failed, otherwise with 1. */
export function registerConform(program: Command): void {
  program
    .command('conform')
    .description('Test any deployment against the contract and print a scorecard.')
    .argument('<base-url>', 'address of the deployment, with or without /v1', asParser(rootOf))
    .requiredOption('--key <key>', 'API key of the deployment')
    .option('--model <id>', 'model to test; default: the first chat models of the catalog')
    .option('--messages-prefix <path>', 'path prefix of the messages surface', '/anthropic')
    .option('--only <groups>', `groups to run, separated by commas: ${groupNames()}`, asParser(groupList))
    .addOption(timeoutOption())
    .action(run);
}

async function run(baseUrl: string, flags: Flags, command: Command): Promise<void> {
  const json = wantsJson(command);
  const scorecard = await scored(baseUrl, flags, json);
  console.log(json ? JSON.stringify(scorecardJson(scorecard), null, 2) : printedSummary(scorecard));
  if (totalsOf(scorecard.groups).fail > 0) process.exitCode = 1;
}

async function scored(baseUrl: string, flags: Flags, isQuiet: boolean): Promise<Scorecard> {
  const target = { baseUrl, key: flags.key, messagesPrefix: flags.messagesPrefix };
  try {
    return await conform(target, {
      model: flags.model,
      only: flags.only,
      timeoutMs: flags.timeout,
      stopIfUnusable: true,
      onGroup: (score) => isQuiet || console.log(printedGroup(score)),
    });
  } catch (error) {
    if (error instanceof Unusable) throw unusable(error, baseUrl);
    if (!(error instanceof NoResponse)) throw error;
    throw new CliError('deployment_unreachable', { url: baseUrl, problem: error.message }, { cause: error });
  }
}

function unusable(cause: Unusable, url: string): CliError {
  const { message: problem, status, model } = cause;
  return model === undefined
    ? new CliError('deployment_refuses_key', { url, status }, { cause })
    : new CliError('deployment_model_fails', { url, model, problem }, { cause });
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
  return new Option('--timeout <duration>', 'timeout of one request')
    .argParser(asParser(timeoutMs))
    .default(timeoutMs('60s'), '60s');
}

function timeoutMs(text: string): number {
  const read = duration.safeParse(text);
  if (!read.success) throw new Error(`It ${read.error.issues[0]?.message}.`);
  return read.data;
}

/** Wraps a parser: an error that it throws becomes a usage error. */
function asParser<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}
