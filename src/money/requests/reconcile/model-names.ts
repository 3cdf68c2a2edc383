import type { InvoiceRow } from './reconcile.ts';

/** A model that the invoice names differently than the gateway. */
export interface MatchedModel {
  readonly invoice: string;
  readonly model: string;
}

/**
 * The models of the invoice that are a model of the gateway under another name. Providers bill the version of a model
 * (`large-2026-06-01`) or name it in words (`Large 4.5`).
 */
export function matchModels(rows: readonly InvoiceRow[], ownModels: readonly string[]): readonly MatchedModel[] {
  const own = new Set(ownModels);
  const byPlainName = Map.groupBy(own, plainName);
  return [...new Set(rows.map(({ model }) => model))].flatMap((invoice) => {
    const [model, ...others] = own.has(invoice) ? [] : (byPlainName.get(plainName(invoice)) ?? []);
    return model === undefined || others.length > 0 ? [] : [{ invoice, model }];
  });
}

/** Without a vendor before `/` and without a date at the end. */
function plainName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replaceAll(/[ ._]+/g, '-')
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
}
