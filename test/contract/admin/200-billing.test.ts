import { beforeEach, expect, test } from 'vitest';
import { rememberPrices } from '../../../src/money/billing/ledger/price-book.ts';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { priceOf, withFactor } from '../../../src/platform/config/schema/model-price.ts';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { forEachStore } from '../../stores/stores.ts';

forEachStore(({ place }) => {
  let gateway: AdminGateway;
  beforeEach(async () => {
    gateway = await startAdminGateway(place());
    return () => gateway.stop();
  });

  async function credit(kind: string, more: { reference: string; reason?: string; amount?: string }) {
    const body = { kind, amount: '1', reason: 'test', ...more };
    await gateway.owner('POST', `/admin/v1/accounts/${gateway.ann.account.id}/credits`, body);
    gateway.clock.at += 1000;
  }
  const table = (query = '') => gateway.send('GET', `/account/v1/ledger.csv${query}`, { token: gateway.ann.token });
  const references = async (query: string) => {
    const { data } = (await gateway.send('GET', `/account/v1/ledger?${query}`, { token: gateway.ann.token })).json;
    return data.map(({ reference }: { reference: string }) => reference);
  };

  test('ledger rows are filtered by kind and time, also page by page', async () => {
    for (const number of [1, 2, 3]) await credit('top_up', { reference: `t${number}` });
    await credit('refund', { reference: 'r1' });
    expect(await references('kind=top_up')).toEqual(['t3', 't2', 't1']);
    expect(await references('kind=refund')).toEqual(['r1']);
    expect(await references('since=2026-03-01T00:00:01Z&until=2026-03-01T00:00:03Z')).toEqual(['t3', 't2']);
    const first = await gateway.owner('GET', `/admin/v1/accounts/${gateway.ann.account.id}/ledger?kind=top_up&limit=2`);
    expect(first.data).toMatchObject([{ reference: 't3', key_id: null }, { reference: 't2' }]);
    expect(await references(`kind=top_up&limit=2&cursor=${first.next}`)).toEqual(['t1']);
    expectRefused(
      await gateway.send('GET', '/account/v1/ledger?kind=bribe', { token: gateway.ann.token }),
      '`kind` must be',
    );
  });

  test('the CSV file has one quoted line per row, and no formula that a spreadsheet would run', async () => {
    await credit('top_up', { reference: '=1+1', reason: 'said "paid", then\nleft' });
    await credit('adjust', { reference: 'minus', reason: ' @SUM(A1)', amount: '-0.5' });
    const reply = await table('?kind=top_up');
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"');
    const [head, ...rows] = reply.text.split('\r\n');
    expect(head).toBe('at,kind,amount,currency,reference,key_id,by,reason,price_version');
    expect(rows).toEqual([
      expect.stringMatching(
        /^2026-03-01T00:00:00\.000Z,top_up,1\.00,USD,'=1\+1,,tok_\w+,"said ""paid"", then\nleft",$/,
      ),
      '',
    ]);
    // A negative amount stays a number. A text that looks like a formula is escaped.
    expect((await table('?kind=adjust')).text).toMatch(/adjust,-0\.50,USD,minus,,tok_\w+,'@SUM\(A1\),\r\n$/);
    expect((await table()).text.split('\r\n')).toHaveLength(5);
  });

  test('codes are shown once, redeemed once, listed with their accounts, and unused ones are withdrawn', async () => {
    const newBatch = { count: 3, amount: '2.5', note: 'spring', package: 'standard', site: 'main' };
    const made = await gateway.owner('POST', '/admin/v1/code-batches', newBatch);
    const { codes, ...batch } = made;
    expect(batch).toMatchObject({ count: 3, redeemed: 0, amount: '2.50', kind: 'top_up', expires_at: null });
    const redeem = (code: string, token = gateway.ann.token) =>
      gateway.send('POST', '/account/v1/redemptions', { token, body: { code } });
    expect((await redeem(codes[0])).json).toMatchObject({
      amount: '2.50',
      kind: 'top_up',
      balance: { topped_up: '2.50' },
    });
    const refusals = [await redeem(codes[0]), await redeem(codes[0], gateway.bob.token), await redeem(`${codes[1]}X`)];
    expect(refusals.map(({ status, json }) => [status, json.error.code])).toEqual([
      [400, 'code_used_by_you'],
      [400, 'code_used'],
      [400, 'code_mistyped'],
    ]);
    const listed = await gateway.owner('GET', `/admin/v1/code-batches/${batch.id}/codes`);
    const { name, id } = gateway.ann.account;
    expect(listed.data).toMatchObject([
      { state: 'redeemed', account_name: name, account_id: id },
      { state: 'open', account_id: null },
      { state: 'open', account_id: null },
    ]);
    expect(await references('kind=top_up')).toEqual([listed.data[0].id]);
    const audit = await gateway.owner('GET', '/admin/v1/audit?action=redeemCode');
    expect(audit.data[0]).toMatchObject({ action: 'redeemCode', subject_id: id });
    for (const text of [JSON.stringify(listed), JSON.stringify(audit)]) {
      for (const code of codes) expect(text).not.toContain(code);
    }
    const withdrawn = await gateway.owner('POST', `/admin/v1/code-batches/${batch.id}/withdraw`);
    expect(withdrawn).toEqual({ ...batch, redeemed: 1, withdrawn: 2 });
    expect((await redeem(codes[1])).json.error.code).toBe('code_withdrawn');
  });

  test('codes that could never be redeemed are rejected', async () => {
    const create = (more: object) =>
      gateway.send('POST', '/admin/v1/code-batches', {
        token: gateway.tokens.operator,
        body: { count: 1, amount: '1', note: 'x', ...more },
      });
    expectRefused(await create({ amount: '0' }), '`amount` must not be zero.');
    expectRefused(await create({ package: 'nope' }), '`package` does not name an existing package.');
    expectRefused(await create({ site: 'nope' }), '`site` does not name an existing site.');
    expectRefused(await create({ expires_at: '2020-01-01T00:00:00Z' }), '`expires_at` is in the past.');
    expectRefused(await create({ count: 5001 }), '`count` must be at most 5000');
  });

  test('an account that guesses codes is throttled, and other accounts are not', async () => {
    const guess = (token: string) =>
      gateway.send('POST', '/account/v1/redemptions', { token, body: { code: '0000-0000-0000-0000-0000' } });
    for (let tries = 0; tries < 5; tries += 1) await guess(gateway.ann.token);
    expect(gateway.pauses).toEqual([]);
    for (let tries = 0; tries < 3; tries += 1) await guess(gateway.ann.token);
    expect(gateway.pauses).toEqual([250, 500, 1000]);
    await guess(gateway.bob.token);
    expect(gateway.pauses).toHaveLength(3);
  });

  test('a statement has its opening, every row with the balance after it, and its closing, in pages and as CSV', async () => {
    await credit('top_up', { reference: 'in february', amount: '2.5' });
    gateway.clock.at = Date.parse('2026-04-02T00:00:00Z');
    for (const number of [1, 2, 3]) await credit('adjust', { reference: `a${number}`, amount: '-0.000000001' });
    const get = async (path: string) =>
      (await gateway.send('GET', `/account/v1/statements${path}`, { token: gateway.ann.token })).json;
    const { data } = await get('');
    expect(data).toMatchObject([
      {
        month: '2026-04',
        is_closed: false,
        opening: '2.500000005',
        adjustments: '-0.000000003',
        closing: '2.500000002',
      },
      { month: '2026-03', is_closed: true, opening: '0.00', top_ups: '2.50', closing: '2.500000005' },
    ]);
    const customer = { name: 'ann', address: [], country: null, tax_number: null, email: null };
    expect(await get('/2026-03')).toEqual({
      ...data[1],
      models: [],
      document: 'S-2026-000001',
      seller: null,
      customer,
    });
    expect(await get('/2026-04')).toMatchObject({ document: null, customer });
    const first = await get('/2026-04/lines?limit=2');
    const second = await get(`/2026-04/lines?limit=2&cursor=${first.next}`);
    const balances = [...first.data, ...second.data].map(({ balance }: { balance: string }) => balance);
    expect(balances).toEqual(['2.500000004', '2.500000003', '2.500000002']);
    const table = (await get('/2026-04/csv')).split('\r\n');
    expect(table[1]).toBe('2026-04-01T00:00:00.000Z,opening,,2.500000005,USD,,,,,,');
    expect(table[4]).toMatch(/,adjust,-0\.000000001,2\.500000002,USD,a3,,,tok_\w+,test,$/);
    expect(table.slice(5)).toEqual(['2026-05-01T00:00:00.000Z,closing,,2.500000002,USD,,,,,,', '']);
    const other = await gateway.send('GET', '/account/v1/statements/2025-01', { token: gateway.ann.token });
    expect(other.status).toBe(404);
  });

  test('a statement shows the package factor of each charge, in pages and as CSV', async () => {
    const plain = priceOf({ input: '1', output: '2' });
    const dearer = withFactor(plain, '1.2');
    await rememberPrices(gateway.store, [plain, dearer]);
    await credit('top_up', { reference: 'paid' });
    const { account, keyId } = gateway.ann;
    const versions = [plain.version, dearer.version, 'p_unknown'];
    const charges = versions.map((priceVersion, index) => {
      const name = { requestId: `r${index}`, accountId: account.id, keyId, processId: 'p', priceVersion };
      return { ...name, by: 'gateway' as const, held: 7n, cost: 7n, reason: 'request', at: gateway.clock.at + index };
    });
    await gateway.store.commit(settleCharges, charges);
    const path = '/account/v1/statements/2026-03';
    const { data } = (await gateway.send('GET', `${path}/lines`, { token: gateway.ann.token })).json;
    const factors = data.map((line: Record<string, unknown>) => [line['reference'], line['price_factor']]);
    expect(Object.fromEntries(factors)).toMatchObject({ paid: null, r0: '1.00', r1: '1.20', r2: null });
    const table = (await gateway.send('GET', `${path}/csv`, { token: gateway.ann.token })).text.split('\r\n');
    expect(table[0]).toBe('at,kind,amount,balance,currency,reference,key_id,key_name,by,reason,price_factor');
    const rowOf = (reference: string) => table.find((row) => row.includes(`,${reference},`));
    expect(['r0', 'r1', 'r2'].map((reference) => rowOf(reference)?.split(',').at(-1))).toEqual(['1.00', '1.20', '']);
  });

  test('a payment is started, checked out, and credited when the provider reports it as paid', async () => {
    const { send, ann, bob, stripe } = gateway;
    const begin = (amount: string) => send('POST', '/account/v1/payments', { token: ann.token, body: { amount } });
    for (const wrong of ['4.99', '1000.01'])
      expectRefused(await begin(wrong), '`amount` must be between 5.00 and 1000.00.');
    expectRefused(await begin('5.001'), '`amount` must be a multiple of the smallest unit of the currency.');
    const { id } = (await begin('12.50')).json;
    const checkout = (token: string, headers = {}) =>
      send('POST', `/account/v1/payments/${id}/checkout`, { token, headers });
    expect((await checkout(bob.token)).status).toBe(404);
    // The provider returns the payer to the host of the first call, so a colleague must not make it.
    const body = { name: 'colleague', role: 'account', account: ann.account.id };
    const { secret } = (await send('POST', '/admin/v1/tokens', { token: gateway.tokens.owner, body })).json;
    expect((await checkout(secret, { host: 'evil.example' })).status).toBe(403);
    const { url } = (await checkout(ann.token)).json;
    expect(url).toMatch(/^https:\/\/checkout\.stripe\.test\//);
    // A request to another host name gets the same checkout. Two checkouts could both be paid.
    expect((await checkout(ann.token, { host: 'other.example' })).json).toEqual({ url });
    expect(stripe.sessions.get(id)?.get('line_items[0][price_data][unit_amount]')).toBe('1250');
    const session = {
      client_reference_id: id,
      payment_status: 'paid',
      amount_total: 1250,
      currency: 'usd',
      payment_intent: 'pi_1',
    };
    const post = ({ body, signature }: { body: string; signature: string }) =>
      send('POST', '/payments/stripe', {
        body: JSON.parse(body),
        text: body,
        headers: { 'stripe-signature': signature },
      });
    const event = stripe.event('checkout.session.completed', session);
    expect((await post({ ...event, signature: 't=1,v1=00' })).status).toBe(400);
    expect([(await post(event)).status, (await post(event)).status]).toEqual([200, 200]);
    expect(await references('kind=top_up')).toEqual([id]);
    const terms = (await send('GET', '/account/v1/payments', { token: ann.token })).json;
    expect(terms).toMatchObject({ is_offered: true, data: [{ id, state: 'paid', amount: '12.50' }] });
    expectRefused(await checkout(ann.token), 'This payment has ended.');
    const charge = { payment_intent: 'pi_1', amount_refunded: 250, metadata: { payment: id } };
    await post(stripe.event('charge.refunded', charge));
    const { topped_up: left } = (await send('GET', '/account/v1/balance', { token: ann.token })).json;
    expect(left).toBe('10.00');
    const { data } = (await send('GET', '/account/v1/ledger', { token: ann.token })).json;
    const documents = data.map(({ kind, document }: { kind: string; document: string | null }) => [kind, document]);
    expect(new Map(documents)).toEqual(
      new Map([
        ['reversal', 'C-2026-000001'],
        ['top_up', 'R-2026-000001'],
        ['grant', null],
      ]),
    );
  });

  test('an account lists and downloads its own documents, and operators those of every account', async () => {
    const { send, ann, bob, tokens } = gateway;
    await credit('top_up', { reference: 'in march', amount: '2.5' });
    gateway.clock.at = Date.parse('2026-05-02T00:00:00Z');
    const own = await send('GET', '/account/v1/documents', { token: ann.token });
    const listed = await gateway.owner('GET', `/admin/v1/accounts/${ann.account.id}/documents`);
    expect(listed).toEqual(own.json);
    expect(listed.data).toMatchObject([{ number: 'S-2026-000001', kind: 'statement', reference: '2026-03' }]);
    const file = '/account/v1/documents/S-2026-000001/pdf';
    const operatorFile = '/admin/v1/documents/S-2026-000001/pdf?language=zh';
    const files = [
      await send('GET', file, { token: ann.token }),
      await send('GET', operatorFile, { token: tokens['read-only'] }),
    ];
    for (const { headers, text } of files) {
      expect(headers.get('content-type')).toBe('application/pdf');
      expect(text).toMatch(/^%PDF-1\./);
    }
    expect((await send('GET', file, { token: bob.token })).status).toBe(404);
    expect((await send('GET', '/admin/v1/documents/S-2026-000009/pdf', { token: tokens.owner })).status).toBe(404);
    expectRefused(await send('GET', `${file}?language=fr`, { token: ann.token }), '`language` must be');
  });

  test('an owner changes the billing details, and the audit log has both sides', async () => {
    const { send, ann } = gateway;
    gateway.seller.now = { name: 'Example Ltd', address: ['1 Example Street'], numberPrefix: '' };
    const path = '/account/v1/billing-details';
    const details = {
      name: '上海示例科技有限公司',
      address: ['世纪大道 100 号', '上海 200120'],
      country: '中国',
      tax_number: '91310000MA1FL0X00X',
      email: 'caiwu@example.cn',
    };
    const put = (body: object) => send('PUT', path, { token: ann.token, body });
    expect((await put(details)).status).toBe(200);
    expect((await send('GET', path, { token: ann.token })).json).toEqual({
      ...details,
      seller: { name: 'Example Ltd', address: ['1 Example Street'], country: null, tax_number: null, email: null },
    });
    expect((await put(details)).status).toBe(200);
    const { data } = await gateway.owner('GET', '/admin/v1/audit?action=changeBillingDetails');
    expect(data).toMatchObject([
      { subject_id: ann.account.id, before: { billing_details: { name: null } }, after: { billing_details: details } },
    ]);
    expectRefused(await put({ ...details, name: 'x'.repeat(201) }), '`name`');
    expectRefused(await put({ ...details, name: 'left\u202eright' }), '`name`');
    expectRefused(await put({ ...details, address: Array.from({ length: 7 }, () => 'line') }), '`address`');
    expectRefused(await put({ ...details, email: 'nowhere' }), '`email`');
    const month = (await send('GET', '/account/v1/statements/2026-03', { token: ann.token })).json;
    expect(month).toMatchObject({ seller: { name: 'Example Ltd' }, customer: details, document: null });
  });

  test('an owner saves a card, sets the automatic top-up, and removes both; the audit log shows each step', async () => {
    const { send, ann, stripe } = gateway;
    const own = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: object) =>
      send(method, `/account/v1/${path}`, { token: ann.token, ...(body && { body }) });
    const settings = { threshold: '5', amount: '10', monthly_max: '25' };
    expectRefused(await own('PUT', 'auto-top-up', settings), 'The account has no saved card.');
    expect((await own('POST', 'card/setup')).json.url).toMatch(/^https:\/\/checkout\.stripe\.test\//);
    expect(stripe.sessions.get(ann.account.id)?.get('mode')).toBe('setup');
    const report = stripe.event('checkout.session.completed', stripe.saveCard(ann.account.id));
    const post = () =>
      send('POST', '/payments/stripe', {
        body: JSON.parse(report.body),
        text: report.body,
        headers: { 'stripe-signature': report.signature },
      });
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    const card = { brand: 'visa', last4: '4242', exp_month: 4, exp_year: 2031 };
    expect((await own('GET', 'auto-top-up')).json).toMatchObject({
      is_offered: true,
      card,
      settings: null,
      pause: null,
    });
    for (const [wrong, text] of [
      [{ amount: '1' }, '`amount` must be between 5.00 and 1000.00.'],
      [{ amount: '10.001' }, '`amount` must be a multiple of the smallest unit of the currency.'],
      [{ monthly_max: '9' }, '`monthly_max` must be at least 10.00.'],
    ] as const) {
      expectRefused(await own('PUT', 'auto-top-up', { ...settings, ...wrong }), text);
    }
    const set = (await own('PUT', 'auto-top-up', settings)).json;
    const stored = { threshold: '5.00', amount: '10.00', monthly_max: '25.00' };
    expect(set).toMatchObject({
      settings: stored,
      charged_this_month: '0.00',
      month_ends_at: '2026-04-01T00:00:00.000Z',
    });
    expect((await own('DELETE', 'auto-top-up')).json).toMatchObject({ settings: null, card });
    expect((await own('DELETE', 'card')).json.card).toBeNull();
    await post();
    expect((await own('GET', 'auto-top-up')).json.card).toBeNull();
    const { data } = await gateway.owner('GET', '/admin/v1/audit?limit=20');
    const steps = data.filter(({ subject_id: id }: { subject_id: string }) => id === ann.account.id);
    expect(
      steps.map(({ action, subject_kind: kind }: Record<string, string>) => `${action} ${kind}`).toReversed(),
    ).toEqual(['saveCard card', 'setAutoTopUp auto-top-up', 'turnOffAutoTopUp auto-top-up', 'removeCard card']);
    expect(steps.at(-1)).toMatchObject({ actor: 'ann@example.com', before: null, after: { last4: '4242' } });
  });

  test('a balance has a spendable and a reserved part, which add up to its total', async () => {
    await credit('top_up', { reference: 'paid', amount: '10' });
    await gateway.store.db.updateTable('balances').set({ leased: 4_000_000_000n }).execute();
    const { json } = await gateway.send('GET', '/account/v1/balance', { token: gateway.ann.token });
    // The account began with five nano-units.
    expect(json).toMatchObject({ total: '10.000000005', spendable: '6.000000005', reserved: '4.00' });
  });

  test('a signed event with an impossible amount is rejected with its field, and nothing is booked', async () => {
    const { send, ann, stripe } = gateway;
    const { id } = (await send('POST', '/account/v1/payments', { token: ann.token, body: { amount: '12.50' } })).json;
    const session = { client_reference_id: id, payment_status: 'paid', currency: 'usd', payment_intent: 'pi_odd' };
    const charge = { payment_intent: 'pi_odd', metadata: { payment: id } };
    const dispute = { id: 'dp_odd', payment_intent: 'pi_odd' };
    const postEvent = (type: string, object: object) => {
      const { body, signature } = stripe.event(type, object);
      return send('POST', '/payments/stripe', {
        body: JSON.parse(body),
        text: body,
        headers: { 'stripe-signature': signature },
      });
    };
    const balance = async () => (await send('GET', '/account/v1/balance', { token: ann.token })).json.topped_up;
    const before = await balance();
    const invalidAmounts = ['1250', 12.5, 1e300, -1250, {}];
    for (const amount of invalidAmounts) {
      const reply = await postEvent('checkout.session.completed', { ...session, amount_total: amount });
      expectRefused(reply, 'data.object.amount_total');
    }
    expect(await balance()).toBe(before);
    await postEvent('checkout.session.completed', { ...session, amount_total: 1250 });
    const paid = await balance();
    expect(paid).not.toBe(before);
    for (const amount of invalidAmounts) {
      const refund = await postEvent('charge.refunded', { ...charge, amount_refunded: amount });
      expectRefused(refund, 'data.object.amount_refunded');
      const disputed = await postEvent('charge.dispute.funds_withdrawn', { ...dispute, amount });
      expectRefused(disputed, 'data.object.amount');
    }
    const tooMuch = await postEvent('charge.refunded', { ...charge, amount_refunded: 1251 });
    expectRefused(tooMuch, `The refund of 1251 minor units of USD is larger than payment ${id}. Nothing was booked.`);
    expect(await balance()).toBe(paid);
  });

  test('the CSV file of an account has no rows of another account', async () => {
    const { text } = await table();
    expect(text).toContain('ref-ann');
    expect(text).not.toContain('ref-bob');
    expectRefused(await table(`?account=${gateway.bob.account.id}`), '`account` is not a known field');
  });
});
