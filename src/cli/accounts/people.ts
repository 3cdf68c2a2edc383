import { type Command, Option } from 'commander';
import { colors } from '../colors.ts';
import { listPeople, type Person } from '../../money/accounts/people.ts';
import { type Resettable, resettable } from '../../money/accounts/resets.ts';
import { type User, userByEmail } from '../../money/accounts/users.ts';
import { peopleEndpoints } from '../../manage/admin/people/people.ts';
import type { makeReset } from '../../manage/admin/people/reset-documents.ts';
import type { Store } from '../../platform/store/store.ts';
import { withAdmin } from '../admin-call.ts';
import { withStore } from '../context.ts';
import { documentOf } from '../terminal/document.ts';
import { answer, type Cell, CliError, table } from '../terminal/output.ts';
import { servedUrl } from '../serve/served-port.ts';

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
      json: people.map((person) => ({
        ...documentOf(person),
        memberships: person.memberships.map(documentOf),
        organisations: person.organisations.map(documentOf),
      })),
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
    [
      ...person.memberships.map(({ accountName, role }) => `${accountName} (${role})`),
      ...person.organisations.map(({ organisationName, role }) => `${organisationName} (organisation, ${role})`),
    ].join(', '),
    person.hasTwoFactor ? 'on' : 'off',
    person.id,
  ]);
  return table(['e-mail', 'name', 'operator', 'accounts', 'second factor', 'id'], rows);
}

async function rename(email: string, name: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const user = await userOf(store, email);
    const renamed = await call<{ name: string }>(peopleEndpoints, 'changePerson', { id: user.id, body: { name } });
    answer(command, {
      json: documentOf({ ...user, name: renamed.name }),
      text: () => `Renamed ${user.email} to ${renamed.name}.`,
    });
  });
}

async function reset(email: string, { lost }: { lost: Resettable }, command: Command): Promise<void> {
  await withAdmin(command, async (call, store, target) => {
    const { id } = await userOf(store, email);
    const request = { id, body: { resets: lost }, withSecret: true };
    const { mailed: _, ...made } = await call<CreatedReset>(peopleEndpoints, 'resetPerson', request);
    const link = (await servedUrl(store, target.url)) + made.link;
    const note = 'It works once, for three hours, while the gateway runs.';
    answer(command, { json: { ...made, link }, text: () => `${colors.green(link)}\n${colors.dim(note)}` });
  });
}

type CreatedReset = Awaited<ReturnType<typeof makeReset>>['reply'];

async function userOf(store: Store, email: string): Promise<User> {
  const user = await userByEmail(store.db, email);
  if (user) return user;
  throw new CliError('user_not_found', { email });
}
