import { expect } from 'vitest';
import { type ScriptedReply as ProviderReply } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

/** A gateway with one model for each pass-through endpoint. */
export function startPassThroughGateway(): Promise<TestGateway> {
  return startTestGateway((base) => ({
    ...base,
    models: [
      ...(base['models'] as object[]),
      model('embed', { endpoints: ['embeddings'], aliases: ['embed-latest'], price: { input: '2', output: '0' } }),
      // A window that always holds.
      model('peak', {
        endpoints: ['embeddings'],
        price: { input: '2', output: '0', tiers: [{ when: { from: '00:00' }, factor: '3' }] },
      }),
      model('ranker', { endpoints: ['rerank'], price: unitPrice({ request: '0.001' }) }),
      model('judge', { endpoints: ['moderations'], price: 'free' }),
      model('paint', { endpoints: ['images'], price: unitPrice({ image: '0.04' }) }),
      model('voice', { endpoints: ['speech'], price: unitPrice({ character: '0.000015' }) }),
      model('ears', { endpoints: ['transcriptions'], price: unitPrice({ second: '0.0001' }) }),
      model('dear', { endpoints: ['images'], price: unitPrice({ image: '999' }) }),
    ],
  }));
}

function unitPrice(units: Record<string, string>) {
  return { input: '0', output: '0', units };
}

/** A complete reply of a provider with any content type. */
export function body(contentType: string, bytes: string | Buffer): ProviderReply {
  return async (writer) => {
    writer.head(200, { 'content-type': contentType });
    await writer.body(bytes);
    writer.end();
  };
}

/** Waits for the record of a request. */
export async function recordOf({ gateway }: TestGateway, reply: { readonly headers: Headers }) {
  const id = reply.headers.get('x-gateway-request-id')!;
  const find = () => gateway.store.db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst();
  await expect.poll(async () => (await find())?.id).toBe(id);
  return (await find())!;
}
