import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { billingLine } from '../../../platform/config/schema/values/display-name.ts';
import { billingDetails, customerOf, setBillingDetails } from '../../../money/documents/billing-details.ts';
import type { BillingDocument, Party } from '../../../money/documents/billing-document.ts';
import {
  findDocument,
  findStatementDocument,
  issueMissing,
  listDocuments,
} from '../../../money/documents/documents.ts';
import { sellerParty } from '../../../money/documents/issue-document.ts';
import { languages } from 'chat-formats/reasons/text.ts';
import { accountAt } from '../accounts/accounts.ts';
import { managedAccount, ownAccount } from '../api/caller.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import { missing } from '../api/sent-values.ts';
import { documentAs, moneySchema, timeSchema } from '../api/wire.ts';
import type { AdminParts } from '../parts.ts';

export const partySchema = z.strictObject({
  name: z.string(),
  address: z.array(z.string()),
  country: z.string().nullable(),
  tax_number: z.string().nullable(),
  email: z.string().nullable(),
});
export const partyReply = { name: 'BillingParty', schema: partySchema };

const documentSchema = z.strictObject({
  number: z.string(),
  kind: z.enum(['receipt', 'credit_note', 'statement', 'bill']),
  issued_at: timeSchema,
  amount: moneySchema.describe('Negative for a credit note. For a statement: the charges of the month.'),
  currency: z.string(),
  reference: z.string().describe('Reference of its ledger entry; the month of a statement.'),
});

const detailsSchema = z.strictObject({
  name: billingLine.nullable().describe('Legal name. Null: documents print the name of the account.'),
  address: z.array(billingLine).max(6).describe('Lines of the address.'),
  country: billingLine.nullable(),
  tax_number: billingLine.nullable(),
  email: z.email().max(254).nullable(),
});
const detailsReply = {
  name: 'BillingDetails',
  schema: detailsSchema.extend({ seller: partySchema.nullable().describe('The seller on new documents.') }),
  inside: [partyReply],
};

const listQuery = z.strictObject(pageQuery(z.tuple([z.int(), z.string().max(64)])));
const pdfQuery = z.strictObject({
  language: z.enum(languages).default('en').describe('Language of the words. Names and addresses stay as they are.'),
});
const pdfReply = {
  reply: { name: 'DocumentFile', schema: z.string() },
  media: { type: 'application/pdf', fileName: 'document.pdf' },
} as const;

export const documentEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/accounts/:id/documents', 'listDocuments', 'read-only', {
    summary: 'List the receipts, credit notes and monthly statements of an account, newest first.',
    query: listQuery,
    reply: pageOf({ name: 'BillingDocument', schema: documentSchema }),
    run: async ({ parts, id, query }) => documentPage(parts, (await accountAt(parts, id)).id, query),
  }),
  readEndpoint('GET /admin/v1/documents/:id/pdf', 'getDocumentFile', 'read-only', {
    summary: 'Get a receipt, credit note or monthly statement as PDF, by its number.',
    query: pdfQuery,
    ...pdfReply,
    run: async ({ parts, id, query: { language } }) => {
      const document = await findDocument(parts.store, id);
      if (!document) throw missing('billing_document');
      return parts.pdf.render(document, language);
    },
  }),
];

export const ownDocumentEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/documents', 'listOwnDocuments', 'account', {
    summary: 'List your receipts, credit notes and monthly statements, newest first.',
    query: listQuery,
    reply: pageOf({ name: 'BillingDocument', schema: documentSchema }),
    run: ({ parts, caller, query }) => documentPage(parts, ownAccount(caller), query),
  }),
  readEndpoint('GET /account/v1/documents/:id/pdf', 'getOwnDocumentFile', 'account', {
    summary: 'Get one of your documents as PDF, by its number.',
    query: pdfQuery,
    ...pdfReply,
    run: async ({ parts, caller, id, query: { language } }) => {
      const document = await findDocument(parts.store, id);
      if (document?.accountId !== ownAccount(caller)) throw missing('billing_document');
      return parts.pdf.render(document, language);
    },
  }),
  readEndpoint('GET /account/v1/billing-details', 'getBillingDetails', 'account', {
    summary: 'Get the name and address that documents print for your account, and the seller.',
    reply: detailsReply,
    run: ({ parts, caller }) => detailsDocument(parts, ownAccount(caller)),
  }),
  writeEndpoint('PUT /account/v1/billing-details', 'changeBillingDetails', 'account', {
    summary: 'Change the name and address for new documents. Issued documents stay as they are.',
    body: { name: 'BillingDetailsChange', schema: detailsSchema },
    reply: detailsReply,
    run: async ({ parts, caller, body }) => {
      const id = managedAccount(caller, 'settings_need_owner');
      const { seller: _, ...before } = await detailsDocument(parts, id);
      const { name, address, country, tax_number: taxNumber, email } = body;
      const details = {
        name: name ?? undefined,
        address,
        country: country ?? undefined,
        taxNumber: taxNumber ?? undefined,
        email: email ?? undefined,
      };
      await setBillingDetails(parts.store.db, id, { now: parts.clock.now(), details });
      const reply = await detailsDocument(parts, id);
      const { seller: __, ...after } = reply;
      const isSame = JSON.stringify(before) === JSON.stringify(after);
      const change = { kind: 'account', id, before: { billing_details: before }, after: { billing_details: after } };
      return { reply, change: isSame ? undefined : change };
    },
  }),
];

/** The document of a month, and its parties: from the document, or as they are now. */
export async function statementParties(parts: AdminParts, accountId: AccountId, month: string) {
  await issueMissing(parts, accountId);
  const issued = await findStatementDocument(parts.store, { accountId, month });
  const customer = issued?.customer ?? (await customerOf(parts.store.db, accountId));
  const seller = issued ? issued.seller : currentSeller(parts);
  return {
    document: issued?.number ?? null,
    seller: seller ? partyDocument(seller) : null,
    customer: partyDocument(customer),
  };
}

async function documentPage(parts: AdminParts, accountId: AccountId, query: z.output<typeof listQuery>) {
  const { limit, cursor: before } = query;
  await issueMissing(parts, accountId);
  const rows = await listDocuments(parts.store, { accountId, before, limit: limit + 1 });
  return page(rows, limit, {
    shown: (document) => documentAs(documentSchema.shape, document),
    position: ({ issuedAt, number }: BillingDocument) => [issuedAt, number],
  });
}

async function detailsDocument(parts: AdminParts, accountId: AccountId) {
  const details = await billingDetails(parts.store.db, accountId);
  const seller = currentSeller(parts);
  return { ...documentAs(detailsSchema.shape, details), seller: seller ? partyDocument(seller) : null };
}

function currentSeller(parts: AdminParts): Party | undefined {
  const seller = parts.seller();
  return seller && sellerParty(seller);
}

function partyDocument(party: Party): z.input<typeof partySchema> {
  return documentAs(partySchema.shape, party);
}
