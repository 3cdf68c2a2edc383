import type { Command } from 'commander';
import { memberEndpoints } from '../../manage/admin/people/members.ts';
import type { MemberDocument } from '../../manage/admin/people/member-documents.ts';
import { type EndpointCaller, withAdmin } from '../admin-call.ts';
import { numeric } from '../terminal/option-values.ts';
import { answer, type Cell, CliError, table } from '../terminal/output.ts';
import { accountOf } from './account-of.ts';
import { limitCell, type LimitOptions, limitsOf, withLimits, withoutLimits } from './limit-options.ts';

/** `accounts members` and `accounts member`: the members of an account and what their keys may do. */
export function registerMembers(noun: Command): void {
  noun
    .command('members')
    .argument('<account>', 'name or id')
    .description('List the members of an account with their limits.')
    .action(list);
  withoutLimits(
    withLimits(noun.command('member').argument('<account>', 'name or id').argument('<email>', 'e-mail of the member')),
  )
    .option('--role <role>', 'owner, member or viewer')
    .option('--models <models>', 'models their keys may use: ids, aliases or patterns, separated by commas')
    .option('--no-models', 'allow all models of the account')
    .option('--max-concurrency <count>', 'maximum number of concurrent requests of all their keys together')
    .option('--no-max-concurrency', 'do not limit concurrent requests')
    .description('Change the role, limits or models of a member. Options that are not given stay unchanged.')
    .action(change);
}

async function list(reference: string, _options: unknown, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const members = await membersIn(call, (await accountOf(store, reference)).id);
    answer(command, {
      json: members,
      text: () => (members.length === 0 ? 'No members yet.' : memberTable(members)),
    });
  });
}

interface MemberOptions extends LimitOptions {
  readonly role?: string;
  readonly models?: string | false;
  readonly maxConcurrency?: string | false;
}

async function change(reference: string, email: string, options: MemberOptions, command: Command): Promise<void> {
  const { role, models, maxConcurrency } = options;
  const body = {
    role,
    limits: limitsOf(options),
    models: models === false ? null : models?.split(',').map((part) => part.trim()),
    max_concurrency: maxConcurrency === false ? null : maxConcurrency && numeric(maxConcurrency),
  };
  if (Object.values(body).every((value) => value === undefined)) {
    throw new CliError('no_changes', { example: '--limit 50/month' }, { exitCode: 2 });
  }
  await withAdmin(command, async (call, store) => {
    const { id } = await accountOf(store, reference);
    const member = (await membersIn(call, id)).find((each) => each.email === email.toLowerCase());
    if (!member) throw new CliError('user_not_found', { email });
    const request = { id, body: { member: member.id, ...body } };
    const changed = await call<MemberDocument>(memberEndpoints, 'changeAccountMember', request);
    answer(command, { json: changed, text: () => memberTable([changed]) });
  });
}

async function membersIn(call: EndpointCaller, id: string): Promise<readonly MemberDocument[]> {
  return (await call<{ data: readonly MemberDocument[] }>(memberEndpoints, 'listAccountMembers', { id })).data;
}

function memberTable(members: readonly MemberDocument[]): string {
  const rows = members.map((member): Cell[] => [
    member.email,
    member.role,
    limitCell(member.limits),
    member.models?.join(', ') ?? 'all',
    member.max_concurrency === null ? 'no limit' : String(member.max_concurrency),
    String(member.keys),
  ]);
  return table(['e-mail', 'role', 'limits', 'models', 'max concurrency', 'keys'], rows);
}
