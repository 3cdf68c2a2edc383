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

/** Those who sign in to the dashboard, and the way back in for them. */
export function registerPeople(program: Command): void {
  const noun = program.command('people').description('who signs in to the dashboard');
  noun
    .command('list')
    .option('--search <text>', 'only those with this in their name or address')
    .description('everybody, with what they may do')
    .action(list);
  noun
    .command('rename')
    .argument('<email>', 'who is meant')
    .argument('<name>', 'what others see, in any script')
    .description('give someone another name')
    .action(rename);
  noun
    .command('reset')
    .argument('<email>', 'whose way in is lost')
    .addOption(new Option('--lost <what>', 'what is lost').choices(resettable).default('password'))
    .description('make a one-time link with which someone who cannot sign in gets in again')
    .addHelpText('after', '\nIt works once, for three hours, and ends every session of that user.')
    .action(reset);
}

/** As many as fit on anybody's screen. */
const listedMax = 1000;

async function list({ search }: { search?: string }, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const people = await listPeople(store.db, { search, limit: listedMax });
    answer(command, {
      json: people.map((person) => ({ ...documentOf(person), memberships: person.memberships.map(documentOf) })),
      text: () => (people.length === 0 ? 'Nobody. `chat-gateway console-link` lets the first one in.' : shown(people)),
    });
  });
}

function shown(people: readonly Person[]): string {
  const rows = people.map((person): Cell[] => [
    person.email,
    person.name,
    person.operator ?? '',
    person.memberships.map(({ accountName, role }) => `${accountName} (${role})`).join(', '),
    person.hasTwoFactor ? 'on' : 'off',
    person.id,
  ]);
  return table(['email', 'name', 'operator', 'accounts', 'second factor', 'id'], rows);
}

async function rename(email: string, said: string, _options: unknown, command: Command): Promise<void> {
  const valid = displayName.safeParse(said);
  if (!valid.success) throw new CliError('invalid_name', { name: said, problem: problemOf(valid) }, { exitCode: 2 });
  await withStore(command, async (store) => {
    const user = await userOf(store, email);
    const renamed = { ...user, name: valid.data };
    await audited(store, 'changePerson', async (inside) => {
      await renameUser(inside.db, systemClock, { userId: user.id, name: renamed.name });
      const [before, after] = [user, renamed].map(({ name }) => ({ name, email: user.email }));
      return { result: undefined, change: { kind: 'user', id: user.id, before, after } };
    });
    answer(command, { json: documentOf(renamed), text: () => `${user.email} is called ${renamed.name}.` });
  });
}

async function reset(email: string, { lost }: { lost: Resettable }, command: Command): Promise<void> {
  await withStore(command, async (store, place) => {
    const user = await userOf(store, email);
    const pepper = await openPepper(store, place.secrets());
    const made = await audited(store, 'resetPerson', async (inside) => {
      await withdrawResets(inside.db, user);
      // Whoever runs this has the machine, and with it everything an owner of the gateway has.
      const purpose = { kind: 'reset', email: user.email, resets: lost, right: { operator: 'owner' } } as const;
      const { link, secret } = await makeLink({ store: inside, clock: systemClock, pepper }, purpose, 'cli');
      const after = {
        id: link.id,
        email: user.email,
        resets: lost,
        expires_at: new Date(link.expiresAt).toISOString(),
      };
      const result = { ...after, link: (await servedUrl(inside, place.url)) + resetPath(secret) };
      return { result, change: { kind: 'user', id: user.id, after } };
    });
    const life = 'It works once, for three hours, on the running gateway.';
    answer(command, { json: made, text: () => `${colors.green(made.link)}\n${colors.dim(life)}` });
  });
}

async function userOf(store: Store, email: string): Promise<User> {
  const user = await userByEmail(store.db, email);
  if (user) return user;
  throw new CliError('user_not_found', { email });
}
