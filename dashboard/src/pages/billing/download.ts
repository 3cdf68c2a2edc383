import { ApiError } from '../../api/api-error.ts';
import { searchOf } from '../../api/call.ts';
import type { LedgerQuery } from './ledger-query.ts';

/** Fetches the table of an account, which a plain link could not name, and hands it to the browser as a file. */
export async function downloadLedger(account: string, fileName: string, query: LedgerQuery): Promise<void> {
  const response = await fetch(`/account/v1/ledger.csv${searchOf({ ...query })}`, {
    headers: { accept: 'text/csv', 'x-account': account },
    credentials: 'same-origin',
  }).catch((cause: unknown) => {
    throw ApiError.unreachable(cause);
  });
  if (!response.ok) throw ApiError.of(response, await response.text());
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  link.click();
  URL.revokeObjectURL(address);
}
