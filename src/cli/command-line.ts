import { Command, CommanderError } from 'commander';
import { packageVersion } from '../core/build-stamp.ts';
import { CliError, reportFailure, wantsJson } from './terminal/output.ts';

export type Register = (program: Command) => void;

const usageStatus = 2;

/** Runs one command line and returns the exit status: 0 success, 1 failure, 2 wrong usage. */
export async function runCommandLine(argv: readonly string[], commands: readonly Register[]): Promise<number> {
  const program = chatGateway();
  const isJson = asksForJson(argv);
  // Commander would print its errors as text.
  if (isJson) program.configureOutput({ writeErr: () => undefined });
  for (const register of commands) register(program);
  try {
    refuseHelpOfUnknown(program, argv);
    await program.parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error, wantsJson(program));
    if (error.exitCode === 0) return 0;
    return isJson ? reportFailure(usageError(error), true) : usageStatus;
  }
}

/** Words after `--` belong to another program. Commander does not read `--json` after an option that it does not know. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}

function usageError({ code, message }: CommanderError): CliError {
  const problem = code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, '');
  const params = { problem: problem.replaceAll('\n', ' ') };
  return new CliError('invalid_command_line', params, { exitCode: usageStatus });
}

/** Commander would show the help of a group for a command that the group does not have. */
function refuseHelpOfUnknown(program: Command, argv: readonly string[]): void {
  let group = program;
  for (const word of program.parseOptions(argv.slice(2)).operands) {
    const named = group.commands.find((each) => each.name() === word);
    if (!named) return void (group.commands.length > 0 && word !== 'help' && group.helpOption(false));
    group = named;
  }
}

export function chatGateway(): Command {
  return new Command('chat-gateway')
    .description('A fair, exact, multi-tenant gateway between chat clients and model providers.')
    .version(packageVersion())
    .option('--config <file>', 'configuration file; default ./gateway.yaml if it exists')
    .option('--data <folder>', 'folder of the embedded store; overrides `data` in the configuration')
    .option('--database <address>', 'address of the PostgreSQL database; overrides `database` in the configuration')
    .option('--json', 'print one JSON document instead of tables')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(see --help)')
    .exitOverride();
}
