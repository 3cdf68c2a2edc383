import type { Command } from 'commander';
import colors from 'picocolors';
import { openPepper } from '../accounts/pepper.ts';
import { setupPath } from '../console/setup-link.ts';
import { systemClock } from '../core/clock.ts';
import { withStore } from './context.ts';
import { answer } from './output.ts';

/** A way in for whoever runs the machine, whether the gateway is running or not. */
export function registerConsoleLink(program: Command): void {
  program
    .command('console-link')
    .description('make a one-time link that makes its opener an owner of the dashboard')
    .addHelpText(
      'after',
      '\nIt works once, for 24 hours. An owner who cannot get in opens it, gives the same e-mail address and a new password.',
    )
    .action((_options, command: Command) => link(command));
}

async function link(command: Command): Promise<void> {
  await withStore(command, async (store, place) => {
    const pepper = await openPepper(store, { data: place.data, secret: place.secret() });
    const url = place.url + (await setupPath({ store, clock: systemClock, pepper }));
    answer(command, {
      json: { link: url },
      text: () => `${colors.green(url)}\n${colors.dim('It works once, for 24 hours, on the running gateway.')}`,
    });
  });
}
