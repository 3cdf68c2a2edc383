import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { openPepper } from '../../platform/secrets/pepper.ts';
import { setupPath } from '../../manage/console/setup-link.ts';
import { systemClock } from '../../core/time/clock.ts';
import { withStore } from '../context.ts';
import { answer, CliError } from '../terminal/output.ts';
import { hasStore, type NamedStore, resolveGateway } from '../place.ts';
import { servedUrl } from '../serve/served-port.ts';

/** Sign-in for the operator of the machine. The gateway need not be running. */
export function registerConsoleLink(program: Command): void {
  program
    .command('console-link')
    .description('Create a one-time link that makes the person who opens it an owner of the dashboard.')
    .addHelpText(
      'after',
      '\nThe link works once and expires after 24 hours. An owner who cannot sign in opens it and enters the same e-mail address and a new password.',
    )
    .option('--port <number>', 'port of the gateway; default: the port it last started with')
    .action((options: { port?: string }, command: Command) => link(command, options.port));
}

async function link(command: Command, port: string | undefined): Promise<void> {
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new CliError('invalid_number', { option: '--port', value: port, min: 1, max: 65_535 }, { exitCode: 2 });
  requireStore(command);
  await withStore(command, async (store, target) => {
    const pepper = await openPepper(store, target.secrets());
    const url = (await servedUrl(store, target.url, port)) + (await setupPath({ store, clock: systemClock, pepper }));
    answer(command, {
      json: { link: url },
      text: () => `${colors.green(url)}\n${colors.dim('It works once, for 24 hours, while the gateway runs.')}`,
    });
  });
}

/** Throws if no store is named and none exists: no gateway would accept the link. */
function requireStore(command: Command): void {
  const options = command.optsWithGlobals<NamedStore>();
  const target = resolveGateway(command);
  if (options.data !== undefined || hasStore(target)) return;
  throw new CliError('store_never_served', { data: target.data });
}
