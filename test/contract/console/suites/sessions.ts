import { expect, test } from 'vitest';
import { libraryTime, sessionsMax } from '../../../../src/money/accounts/users.ts';
import { goodPassword, newBrowser, ownerBrowser } from '../../../browser.ts';
import type { ConsoleSuite } from '../../../gateways/console-gateway.ts';

export const sessions: ConsoleSuite = (gateway) => {
  test('ended sessions are deleted, and above the limit only the newest are kept', async () => {
    const owner = await ownerBrowser(gateway().gateway, gateway().url);
    const { id: userId } = (await owner.get('/auth/session')).user;
    const { db } = gateway().gateway.store;
    const time = (ms: number) => libraryTime(db, Date.now() + ms);
    const row = (name: string, endsInMs: number) => ({
      id: name,
      user_id: userId,
      token: name,
      expires_at: time(endsInMs),
      created_at: time(-60_000),
      updated_at: time(-60_000),
    });
    const old = Array.from({ length: 20 }, (_, index) => row(`ended ${index}`, -1000));
    const open = Array.from({ length: sessionsMax + 20 }, (_, index) => row(`open ${index}`, 600_000));
    await db
      .insertInto('console_sessions')
      .values([...old, ...open])
      .execute();
    const browser = newBrowser(gateway().url);
    await browser.post('/auth/sign-in', { email: 'owner@example.com', password: goodPassword });
    const rows = await db.selectFrom('console_sessions').select('id').execute();
    expect(rows).toHaveLength(sessionsMax);
    expect(rows.filter(({ id }) => id.startsWith('ended'))).toEqual([]);
    expect((await browser.get('/auth/session')).user.email).toBe('owner@example.com');
    expect((await owner.get('/auth/sessions')).data).toHaveLength(sessionsMax);
  });
};
