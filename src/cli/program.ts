import type { Command } from 'commander';
import { chatGateway, type Register, runCommandLine } from './command-line.ts';

export async function run(argv: readonly string[]): Promise<number> {
  return runCommandLine(argv, await Promise.all(loadersFor(argv).map((load) => load())));
}

/** All commands with their options, for tools that check texts about them. */
export async function allCommands(): Promise<Command> {
  const program = chatGateway();
  for (const [, load] of commands) (await load())(program);
  return program;
}

/** Loads only commands whose name is on the command line: a server never frees a loaded module. */
function loadersFor(argv: readonly string[]): readonly CommandLoader[] {
  const named = commands.filter(([names]) => names.some((name) => argv.includes(name)));
  return (named.length > 0 ? named : commands).map(([, load]) => load);
}

type CommandLoader = () => Promise<Register>;

/** The commands of each file, in the order of the help text. */
const commands: readonly (readonly [names: readonly string[], load: CommandLoader])[] = [
  [['serve'], async () => (await import('./serve/serve.ts')).registerServe],
  [['launch'], async () => (await import('./launch/launch.ts')).registerLaunch],
  [['check'], async () => (await import('./check.ts')).registerCheck],
  [['doctor'], async () => (await import('./doctor/command.ts')).registerDoctor],
  [['accounts'], async () => (await import('./accounts/accounts.ts')).registerAccounts],
  [['organisations'], async () => (await import('./accounts/organisations.ts')).registerOrganisations],
  [['keys'], async () => (await import('./accounts/keys.ts')).registerKeys],
  [['models'], async () => (await import('./catalog/models.ts')).registerModels],
  [['prices'], async () => (await import('./catalog/prices.ts')).registerPrices],
  [['upstreams'], async () => (await import('./catalog/upstreams.ts')).registerUpstreams],
  [['packages'], async () => (await import('./catalog/packages.ts')).registerPackages],
  [['sites'], async () => (await import('./catalog/sites.ts')).registerSites],
  [['webhooks'], async () => (await import('./webhooks.ts')).registerWebhooks],
  [['requests'], async () => (await import('./requests/requests.ts')).registerRequests],
  [['batches'], async () => (await import('./batches.ts')).registerBatches],
  [['bodies'], async () => (await import('./requests/bodies.ts')).registerBodies],
  [['responses'], async () => (await import('./requests/bodies.ts')).registerResponses],
  [['usage'], async () => (await import('./requests/usage.ts')).registerUsage],
  [['import'], async () => (await import('./import/import.ts')).registerImport],
  [['codes'], async () => (await import('./money/codes.ts')).registerCodes],
  [['ledger'], async () => (await import('./money/ledger.ts')).registerLedger],
  [['reconcile'], async () => (await import('./money/reconcile.ts')).registerReconcile],
  [['backup'], async () => (await import('./store/backup.ts')).registerBackup],
  [['restore'], async () => (await import('./store/backup.ts')).registerRestore],
  [['store'], async () => (await import('./store/store.ts')).registerStore],
  [['secret'], async () => (await import('./catalog/secret.ts')).registerSecret],
  [['migrate'], async () => (await import('./store/migrate.ts')).registerMigrate],
  [['admin-tokens', 'account-tokens'], async () => (await import('./accounts/tokens.ts')).registerTokens],
  [['console-link'], async () => (await import('./accounts/console-link.ts')).registerConsoleLink],
  [['people'], async () => (await import('./accounts/people.ts')).registerPeople],
  [['conform'], async () => (await import('./conform/command.ts')).registerConform],
];
