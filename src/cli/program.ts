import { type Register, runCommandLine } from './command-line.ts';

/** Runs one command line of `chat-gateway` and returns its exit status. */
export async function run(argv: readonly string[]): Promise<number> {
  return runCommandLine(argv, await Promise.all(loadersFor(argv).map((load) => load())));
}

/** Loads only commands whose name is on the command line: a server never frees a loaded module. */
function loadersFor(argv: readonly string[]): readonly CommandLoader[] {
  const named = commands.filter(([names]) => names.some((name) => argv.includes(name)));
  return (named.length > 0 ? named : commands).map(([, load]) => load);
}

type CommandLoader = () => Promise<Register>;

/** The commands of each file, in the order of the help text. */
const commands: readonly (readonly [names: readonly string[], load: CommandLoader])[] = [
  [['serve'], async () => (await import('./serve.ts')).registerServe],
  [['check'], async () => (await import('./check.ts')).registerCheck],
  [['doctor'], async () => (await import('./doctor/command.ts')).registerDoctor],
  [['accounts'], async () => (await import('./accounts.ts')).registerAccounts],
  [['keys'], async () => (await import('./keys.ts')).registerKeys],
  [['models'], async () => (await import('./models.ts')).registerModels],
  [['upstreams'], async () => (await import('./upstreams.ts')).registerUpstreams],
  [['packages'], async () => (await import('./packages.ts')).registerPackages],
  [['sites'], async () => (await import('./sites.ts')).registerSites],
  [['webhooks'], async () => (await import('./webhooks.ts')).registerWebhooks],
  [['requests'], async () => (await import('./requests.ts')).registerRequests],
  [['bodies'], async () => (await import('./bodies.ts')).registerBodies],
  [['responses'], async () => (await import('./responses.ts')).registerResponses],
  [['usage'], async () => (await import('./usage.ts')).registerUsage],
  [['codes'], async () => (await import('./codes.ts')).registerCodes],
  [['ledger'], async () => (await import('./ledger.ts')).registerLedger],
  [['backup'], async () => (await import('./backup.ts')).registerBackup],
  [['restore'], async () => (await import('./restore.ts')).registerRestore],
  [['store'], async () => (await import('./store.ts')).registerStore],
  [['secret'], async () => (await import('./secret.ts')).registerSecret],
  [['migrate'], async () => (await import('./migrate.ts')).registerMigrate],
  [['admin-tokens', 'account-tokens'], async () => (await import('./tokens.ts')).registerTokens],
  [['console-link'], async () => (await import('./console-link.ts')).registerConsoleLink],
  [['people'], async () => (await import('./people.ts')).registerPeople],
  [['conform'], async () => (await import('../../conform/command.ts')).registerConform],
];
