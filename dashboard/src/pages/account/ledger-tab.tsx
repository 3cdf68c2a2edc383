import { Ledger } from '../billing/ledger.tsx';

/** All ledger entries of the account, as its owners see them. */
export function LedgerTab({ accountId }: { readonly accountId: string }) {
  const path = `/admin/v1/accounts/${encodeURIComponent(accountId)}/ledger`;
  return <Ledger path={path} requests="/app/operator/requests" />;
}
