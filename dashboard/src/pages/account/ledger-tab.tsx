import { Ledger } from '../billing/ledger.tsx';

/** Every movement of the account's money, as its owners see it. */
export function LedgerTab({ accountId }: { readonly accountId: string }) {
  const path = `/admin/v1/accounts/${encodeURIComponent(accountId)}/ledger`;
  return <Ledger path={path} requests="/app/operator/requests" />;
}
