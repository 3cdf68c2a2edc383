import { beforeEach, expect, test } from 'vitest';
import type { ReconciliationDocument } from '../../../src/manage/admin/money/reconciliations.ts';
import { createToken } from '../../../src/manage/admin/api/tokens.ts';
import { usualColumns } from 'chat-gateway-figures/invoice/invoice-columns.ts';
import { readInvoice } from 'chat-gateway-figures/invoice/invoice-file.ts';
import { tableIn } from 'chat-gateway-figures/invoice/invoice-table.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { eventually } from '../../eventually.ts';
import { answer, chunk, endings, finish, type ScriptedReply, sse } from '../../fakes/fake-provider.ts';
import { model, patientTimeouts, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { forEachStore } from '../../stores/stores.ts';

const day = '2026-11-01';
const names = ['agreeing', 'missing', 'doubled', 'renamed', 'retried', 'failing', 'silent'] as const;
type Name = (typeof names)[number];

/** A call that the provider charges for, as its export has it. */
interface ExportedCall {
  readonly model: string;
  readonly input: number;
  readonly output: number;
}

const broken = sse([chunk({ role: 'assistant' }), endings.reset]);
const withoutUsage = sse([chunk({ role: 'assistant', content: 'Hello' }), finish('stop'), '[DONE]']);

forEachStore(({ place }) => {
  let gateway: TestGateway;
  let token: string;
  let calls: ExportedCall[];
  const ids = new Map<Name, string[]>();

  beforeEach(async () => {
    calls = [];
    ids.clear();
    // Noon, so that no request is on another day.
    const shiftMs = Date.parse(`${day}T12:00Z`) - systemClock.now();
    const clock = { ...systemClock, now: () => systemClock.now() + shiftMs };
    const { database } = place();
    gateway = await startTestGateway(
      (base, provider) => ({
        ...base,
        ...(database !== undefined && { database, secret: 'a secret of at least thirty-two characters' }),
        upstreams: [
          { name: 'fake', kind: 'openai', base_url: provider.url, api_keys: ['one', 'two'], timeouts: patientTimeouts },
        ],
        models: names.map((id) => model(id, { routes: [{ upstream: 'fake' }] })),
      }),
      { clock },
    );
    const { store, pepper } = gateway.gateway;
    token = (await createToken({ store, pepper, clock }, { name: 'books', role: 'operator', accountId: undefined }))
      .secret;
    await serveRequests();
    return () => gateway.stop();
  });

  /** A reply that the provider charges for. */
  function billed(input: number, output: number, reply: ScriptedReply): ScriptedReply {
    return (writer, call) => {
      calls.push({ model: call.key, input, output });
      return reply(writer, call);
    };
  }

  async function serveRequests(): Promise<void> {
    const { provider } = gateway;
    const whole = (text: string, input: number) =>
      billed(input, text.split(' ').length, answer(text, { promptTokens: input }));
    provider.respond('agreeing', whole('one two three', 100));
    provider.respond('missing', whole('one two', 100), whole('one', 70));
    provider.respond('doubled', whole('one two', 300), whole('one', 30));
    provider.respond('renamed', whole('one two', 200));
    provider.respond('retried', billed(50, 0, broken), whole('one', 50));
    provider.respond('failing', billed(40, 0, broken));
    provider.respond('silent', billed(400, 9, withoutUsage));
    for (const name of [
      'agreeing',
      'missing',
      'missing',
      'doubled',
      'doubled',
      'renamed',
      'retried',
      'silent',
    ] as const)
      expect(await request(name)).toBe(200);
    expect(await request('failing')).toBe(502);
    const stored = gateway.gateway.store.db.selectFrom('requests').select('id');
    await eventually(async () => expect(await stored.execute()).toHaveLength(9));
  }

  async function request(name: Name): Promise<number> {
    const { status, headers } = await gateway.chat({ model: name });
    ids.set(name, [...(ids.get(name) ?? []), headers.get('x-gateway-request-id') ?? '']);
    return status;
  }

  /** The provider's export, with planted differences. */
  function exportedFile(): string {
    const [kept, dropped] = calls.filter((call) => call.model === 'missing');
    expect([kept?.input, dropped?.input]).toEqual([100, 70]);
    const rows = calls
      .filter((call) => call !== dropped)
      .flatMap((call) => {
        const isTwice = call.model === 'doubled' && call.input === 30;
        if (call.model === 'renamed') return [{ ...call, model: 'renamed-mini' }];
        if (call.model === 'agreeing') return [{ ...call, model: 'agreeing-2026-06-01' }];
        return isTwice ? [call, call] : [call];
      });
    const start = Date.parse(day) / 1000;
    return ['start_time,start_time_iso,model,input_tokens,output_tokens,input_cached_tokens']
      .concat(rows.map((row) => `${start},${day}T00:00:00+00:00,${row.model},${row.input},${row.output},0`))
      .join('\n');
  }

  test('each difference that is planted into an invoice is found, and no other', async () => {
    const table = tableIn(exportedFile());
    const { rows, repeated } = readInvoice(table, { columns: usualColumns(table) });
    // The row after its twin, and the attempts of the failing request, which are equal too.
    expect(repeated.map((row) => table.rows[row - table.firstRow]?.['model'])).toContain('doubled');
    const body = { upstream: 'fake', rows };
    const reply = await gateway.post('/admin/v1/reconciliations', body, { authorization: `Bearer ${token}` });
    expect(reply.status, reply.text).toBe(200);
    const { lines, matched_models, totals } = reply.json as ReconciliationDocument;
    const found = Object.fromEntries(
      lines.filter(({ different }) => different.length > 0).map((each) => [each.model, each]),
    );
    const agreeing = lines.filter(({ different }) => different.length === 0).map((each) => each.model);
    expect(agreeing).toEqual(['agreeing']);
    expect(matched_models).toEqual([{ invoice: 'agreeing-2026-06-01', model: 'agreeing' }]);
    expect(found['missing']).toMatchObject({
      difference: { input_tokens: -70, output_tokens: -1 },
      reasons: {},
      requests: [],
    });
    expect(found['doubled']).toMatchObject({
      difference: { input_tokens: 30, output_tokens: 1 },
      requests: [],
    });
    expect(found['renamed']).toMatchObject({ difference: { input_tokens: -200 }, requests: [] });
    expect(found['renamed-mini']).toMatchObject({ difference: { input_tokens: 200 }, requests: [] });
    expect(found['retried']).toMatchObject({
      difference: { input_tokens: 50, output_tokens: 0 },
      reasons: { failed_attempt: 1, retry: 1 },
      requests: [{ id: ids.get('retried')?.[0], reasons: ['failed_attempt', 'retry'] }],
    });
    const attempts = calls.filter((call) => call.model === 'failing').length;
    expect(found['failing']).toMatchObject({
      difference: { input_tokens: 40 * attempts },
      own: { attempts, failed_attempts: attempts, answers: 0 },
      requests: [{ id: ids.get('failing')?.[0] }],
    });
    expect(found['failing']?.requests[0]?.reasons[0]).toBe('failed_attempt');
    expect(found['silent']?.requests).toMatchObject([{ id: ids.get('silent')?.[0], reasons: ['counted_usage'] }]);
    const sum = (figures: readonly (number | null)[]) => figures.reduce<number>((all, each) => all + (each ?? 0), 0);
    expect(totals.difference.input_tokens).toBe(sum(lines.map(({ difference }) => difference.input_tokens)));
    expect(totals.invoice.input_tokens).toBe(sum(rows.map((row) => row.input_tokens ?? 0)));
  });

  test('an invoice in another currency is refused', async () => {
    const body = { upstream: 'fake', currency: 'CNY', rows: [{ day, model: 'silent', cost: '1.25' }] };
    const reply = await gateway.post('/admin/v1/reconciliations', body, { authorization: `Bearer ${token}` });
    expect([reply.status, reply.json.error.reason]).toEqual([400, 'invoice_currency_differs']);
  });
});
