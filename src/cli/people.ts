import { type Command, Option } from 'commander';
import colors from 'picocolors';
import { makeLink, withdrawResets } from '../accounts/one-time-links.ts';
import { listPeople, type Person } from '../accounts/people.ts';
import { openPepper } from '../accounts/pepper.ts';
import { type Resettable, resettable } from '../accounts/resets.ts';
import { renameUser, type User, userByEmail } from '../accounts/users.ts';
import { resetPath } from '../admin/reset-documents.ts';
import { displayName } from '../config/display-name.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { documentOf } from './document.ts';
import { problemOf } from './option-values.ts';
import { answer, type Cell, CliError, table } from './output.ts';
import { servedUrl } from './served-port.ts';

/** Dashboard users, and reset links for users who cannot sign in. */
export function registerPeople(program: Command): void {
  const noun = program.command('people').description('Manage dashboard users.');
  noun
    .command('list')
    .option('--search <text>', 'list only users with this text in their name or e-mail address')
    .description('List users with their roles.')
    .action(list);
  noun
    .command('rename')
    .argument('<email>', 'e-mail address of the user')
    .argument('<name>', 'new name, in any script')
    .description('Rename a user.')
    .action(rename);
  noun
    .command('reset')
    .argument('<email>', 'e-mail address of the user')
    .addOption(new Option('--lost <credential>', 'lost credential to reset').choices(resettable).default('password'))
    .description('Create a one-time reset link for a user who cannot sign in.')
    .addHelpText(
      'after',
      '\nThe link works once and expires after three hours. Using it ends every session of the user.',
    )
    .action(reset);
}

const listedMax = 1000;

async function list({ search }: { search?: string }, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const people = await listPeople(store.db, { search, limit: listedMax });
    answer(command, {
      json: people.map((person) => ({ ...documentOf(person), memberships: person.memberships.map(documentOf) })),
      text: () =>
        people.length === 0
          ? 'No users yet. Create a link for the first one: chat-gateway console-link'
          : peopleTable(people),
    });
  });
}

function peopleTable(people: readonly Person[]): string {
  const rows = people.map((person): Cell[] => [
    person.email,
    person.name,
    person.operator ?? '',
    person.memberships.map(({ accountName, role }) => `${accountName} (${role})`).join(', '),
    person.hasTwoFactor ? 'on' : 'off',
    person.id,
  ]);
  return table(['e-mail', 'name', 'operator', 'accounts', 'second factor', 'id'], rows);
}

async function rename(email: string, text: string, _options: unknown, command: Command): Promise<void> {
  const valid = displayName.safeParse(text);
  if (!valid.success) throw new CliError('invalid_name', { name: text, problem: problemOf(valid) }, { exitCode: 2 });
  await withStore(command, async (store) => {
    const user = await userOf(store, email);
    const renamed = { ...user, name: valid.data };
    await audited(store, 'changePerson', async (inside) => {
      await renameUser(inside.db, systemClock, { userId: user.id, name: renamed.name });
      const [before, after] = [user, renamed].map(({ name }) => ({ name, email: user.email }));
      return { result: undefined, change: { kind: 'user', id: user.id, before, after } };
    });
    answer(command, { json: documentOf(renamed), text: () => `Renamed ${user.email} to ${renamed.name}.` });
  });
}

async function reset(email: string, { lost }: { lost: Resettable }, command: Command): Promise<void> {
  await withStore(command, async (store, target) => {
    const user = await userOf(store, email);
    const pepper = await openPepper(store, target.secrets());
    const made = await audited(store, 'resetPerson', async (inside) => {
      await withdrawResets(inside.db, user);
      // A user of this machine has all rights of an owner of the gateway.
      const purpose = { kind: 'reset', email: user.email, resets: lost, right: { operator: 'owner' } } as const;
      const { link, secret } = await makeLink({ store: inside, clock: systemClock, pepper }, purpose, 'cli');
      const after = {
        id: link.id,
        email: user.email,
        resets: lost,
        expires_at: new Date(link.expiresAt).toISOString(),
      };
      const result = { ...after, link: (await servedUrl(inside, target.url)) + resetPath(secret) };
      return { result, change: { kind: 'user', id: user.id, after } };
    });
    const note = 'It works once, for three hours, while the gateway runs.';
    answer(command, { json: made, text: () => `${colors.green(made.link)}\n${colors.dim(note)}` });
  });
}

async function userOf(store: Store, email: string): Promise<User> {
  const user = await userByEmail(store.db, email);
  if (user) return user;
  throw new CliError('user_not_found', { email });
}
