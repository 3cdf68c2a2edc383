import { registerAccounts } from './accounts.ts';
import { registerCheck } from './check.ts';
import { runCommandLine } from './command-line.ts';
import { registerConform } from './conform/command.ts';
import { registerConsoleLink } from './console-link.ts';
import { registerKeys } from './keys.ts';
import { registerLedger } from './ledger.ts';
import { registerMigrate } from './migrate.ts';
import { registerModels } from './models.ts';
import { registerPackages } from './packages.ts';
import { registerRequests } from './requests.ts';
import { registerServe } from './serve.ts';
import { registerSites } from './sites.ts';
import { registerTokens } from './tokens.ts';
import { registerUpstreams } from './upstreams.ts';
import { registerUsage } from './usage.ts';

/** Runs one command line of `chat-gateway` and returns its exit status. */
export function run(argv: readonly string[]): Promise<number> {
  return runCommandLine(argv, commands);
}

/** In the order in which someone new needs them. */
const commands = [
  registerServe,
  registerCheck,
  registerAccounts,
  registerKeys,
  registerModels,
  registerUpstreams,
  registerPackages,
  registerSites,
  registerRequests,
  registerUsage,
  registerLedger,
  registerMigrate,
  registerTokens,
  registerConsoleLink,
  registerConform,
];
