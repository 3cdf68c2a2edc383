import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { accounts } from '../../../money/accounts/accounts.ts';
import { addMember } from '../../../money/accounts/members.ts';
import { addOrganisationMember } from '../../../money/accounts/organisation-members.ts';
import { organisations } from '../../../money/accounts/organisations.ts';
import { createUser } from '../../../money/accounts/users.ts';
import { secretVault } from '../../../platform/secrets/secret-vault.ts';
import { systemClock as clock } from '../../../core/time/clock.ts';
import { Mailer } from './mailer.ts';
import { openEmail } from './post-email.ts';
import type { MailSettings } from './smtp.ts';

const vault = secretVault(createSecretKey(Buffer.alloc(32, 5)));
const settings: MailSettings = {
  host: 'smtp.example.com',
  port: 587,
  security: 'starttls',
  from: 'gateway@example.com',
  user: undefined,
  password: undefined,
  url: 'https://gateway.example.com',
  operators: ['operator@example.com'],
  languages: ['en'],
};
const mail = new Mailer({
  clock,
  vault,
  settings: () => settings,
  siteAt: () => undefined,
  currency: () => 'USD',
});

forEachStore(({ open }) => {
  test('a client chooses no host, port or scheme of a link, but the host of a site that lists it', async () => {
    const store = await open();
    const site = { title: 'Brand', domains: ['brand.example', '*.example.org'] };
    const branded = new Mailer({
      clock,
      vault,
      settings: () => ({ ...settings, url: 'https://gateway.example.com:8443' }),
      siteAt: () => site,
      currency: () => 'USD',
    });
    const hosts = ['brand.example', 'Brand.Example:31337', 'evil.example', 'a.example.org', 'brand.example.evil.com'];
    for (const [index, host] of hosts.entries()) {
      const order = { to: `user-${index}@example.com`, subject: { kind: 'forgot' }, path: '/app/reset' } as const;
      await branded.post(store.db, { ...order, address: { host } });
    }
    const rows = await store.db.selectFrom('deliveries').selectAll().orderBy('target').execute();
    const links = rows.map((row) => /https?:\S+/.exec(openEmail(row, vault)?.text ?? '')?.[0]);
    const brand = 'https://brand.example:8443/app/reset';
    const own = 'https://gateway.example.com:8443/app/reset';
    expect(links).toEqual([brand, brand, own, own, own]);
  });

  test('e-mails about a limit of an organisation go to its owners, or to the operators', async () => {
    const store = await open();
    const { id } = await organisations(store, clock).create({ name: 'acme' });
    const book = accounts(store, clock);
    const { id: accountId } = await book.create({ name: 'red', packageName: 'standard', organisationId: id });
    const person = async (name: string, isVerified = true) => {
      const given = { email: `${name}@example.com`, name, passwordHash: '', isVerified };
      return (await createUser(store.db, clock, given)).id;
    };
    const [ann, olga] = [await person('ann'), await person('olga')];
    for (const userId of [ann, olga]) await addOrganisationMember(store, clock, { id, userId, role: 'owner' });
    for (const [name, isVerified] of [
      ['vic', true],
      ['eve', false],
    ] as const) {
      const role = isVerified ? 'viewer' : 'owner';
      await addOrganisationMember(store, clock, { id, userId: await person(name, isVerified), role });
    }
    await addMember(store, clock, { accountId, userId: ann, role: 'owner' });
    const data = { name: 'acme', limit: '10.00', period: 'month', spent: '10.00', resets_at: null };
    const ofAccount = { accountId, data: { ...data, scope: 'account' } };
    const ofOrganisation = (organisation: string) => {
      return { accountId: undefined, data: { ...data, scope: 'organisation', organisation_id: organisation } };
    };
    for (const [name, kind, about] of [
      ['account', 'limit.reached', ofAccount],
      ['organisation', 'limit.reached', ofOrganisation(id)],
      ['empty', 'limit.threshold', ofOrganisation('org_without_owners')],
    ] as const) {
      const event = { id: `${name} ${kind}`, kind, at: clock.now(), ...about };
      await mail.postEvent(store.db, event);
    }
    const rows = await store.db.selectFrom('deliveries').selectAll().orderBy('target').execute();
    const sent = rows.map((row) => {
      const [link] = /https:\S+/.exec(openEmail(row, vault)?.text ?? '') ?? [];
      return `${row.event_id} to ${row.target}: ${link}`;
    });
    expect(sent.toSorted()).toEqual([
      'account limit.reached to ann@example.com: https://gateway.example.com/app/overview',
      'empty limit.threshold to operator@example.com: https://gateway.example.com/app/operator/alerts',
      'organisation limit.reached to ann@example.com: https://gateway.example.com/app/organisation',
      'organisation limit.reached to olga@example.com: https://gateway.example.com/app/organisation',
    ]);
  });
});
