import { z } from 'zod';
import { type CodeBatch, codesOf, findBatch, listBatches, makeBatch, withdrawRest } from '../../codes/code-batches.ts';
import { nanoFrom } from '../../core/money.ts';
import { otherName, requirePackage } from '../accounts/accounts.ts';
import { batchDocument, batchReply, codeDocument, codeRow, madeBatchReply, newBatchBody } from './code-documents.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { named } from '../names.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing, invalidField } from '../api/sent-values.ts';
import { storedResources } from '../catalog/stored-resources.ts';
import { broken } from '../../core/reasons/reason.ts';

/** Position in a list: a time and an id. */
const cursorSchema = z.tuple([z.int(), z.string().max(64)]);

/** Redemption codes, which operators sell or give away. */
export const codeEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/code-batches', 'listCodeBatches', 'read-only', {
    summary: 'List batches of redemption codes, newest first, with the number of redeemed codes.',
    query: z.strictObject(pageQuery(cursorSchema)),
    reply: pageOf(batchReply),
    run: async ({ parts: { store }, query: { limit, cursor: after } }) => {
      const batches = await listBatches(store, { after, limit: limit + 1 });
      return page(batches, limit, { shown: batchDocument, position: ({ createdAt, id }) => [createdAt, id] });
    },
  }),
  readEndpoint('GET /admin/v1/code-batches/:id', 'getCodeBatch', 'read-only', {
    summary: 'Get a batch of redemption codes.',
    reply: batchReply,
    run: async ({ parts, id }) => batchDocument(await batchAt(parts, id)),
  }),
  readEndpoint('GET /admin/v1/code-batches/:id/codes', 'listCodes', 'read-only', {
    summary: 'List the codes of a batch and their state, without secrets. The most recently redeemed come first.',
    query: z.strictObject(pageQuery(cursorSchema)),
    reply: pageOf(codeRow),
    run: async ({ parts, id, query: { limit, cursor: after } }) => {
      const { id: batchId } = await batchAt(parts, id);
      const codes = await codesOf(parts.store, batchId, { after, limit: limit + 1 });
      const rows = await named(
        parts.store,
        codes.map((code) => ({ ...code, key_id: null })),
      );
      const position = (code: (typeof rows)[number]) => [code.redeemed_at ?? 0, code.id];
      return page(rows, limit, { shown: codeDocument, position });
    },
  }),
  writeEndpoint('POST /admin/v1/code-batches', 'createCodeBatch', 'operator', {
    summary: 'Create a batch of redemption codes. The codes are shown only in this reply.',
    body: newBatchBody,
    reply: madeBatchReply,
    run: async ({ parts, caller, body }) => {
      const amount = nanoFrom(body.amount);
      if (amount === 0n) throw invalidField('amount', broken('zero'), 'Send the value of a code.');
      if (body.package !== undefined) await requirePackage(parts, body.package);
      if (body.site !== undefined) await requireSite(parts, body.site);
      if (body.expires_at !== undefined && body.expires_at <= parts.clock.now()) {
        throw invalidField('expires_at', broken('time_has_passed'), 'Send a later time.');
      }
      const { count, kind, note, site, package: packageName, expires_at: expiresAt } = body;
      const terms = { count, kind, note, site, packageName, expiresAt, amount, by: caller.bookedBy ?? caller.actor };
      const { batch, codes } = await makeBatch(parts, terms);
      const after = batchDocument(batch);
      return { reply: { ...after, codes: [...codes] }, change: { kind: 'code batch', id: batch.id, after } };
    },
  }),
  writeEndpoint('POST /admin/v1/code-batches/:id/withdraw', 'withdrawCodeBatch', 'operator', {
    summary: 'Withdraw the codes of a batch that are not redeemed yet. Redeemed codes are unaffected.',
    reply: batchReply,
    run: async ({ parts, id }) => {
      const before = await batchAt(parts, id);
      const withdrawn = await withdrawRest(parts.store, parts.clock, id);
      const after = batchDocument(await batchAt(parts, id));
      const change = { kind: 'code batch', id, before: batchDocument(before), after };
      return { reply: after, change: withdrawn > 0 ? change : undefined };
    },
  }),
];

async function batchAt({ store }: AdminParts, id: string): Promise<CodeBatch> {
  const batch = await findBatch(store, id);
  if (!batch) throw missing('code_batch');
  return batch;
}

async function requireSite(parts: AdminParts, wanted: string): Promise<void> {
  const names = (await storedResources(parts).list('site')).map((each) => each.name);
  if (!names.includes(wanted)) throw invalidField('site', broken('no_such_site'), otherName(wanted, names, 'sites'));
}
