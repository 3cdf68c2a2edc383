import { useAccountChoice } from '../../api/account.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useText } from '../../text/text.tsx';
import { AuditView } from './audit-view.tsx';

/** The audit log of the account, for its owners. */
export default function OwnAuditPage() {
  const { t } = useText();
  const { account } = useAccountChoice();
  if (account?.role !== 'owner') {
    return <EmptyState title={t('audit.ownersOnly')} text={t('audit.ownersOnlyText')} />;
  }
  return <AuditView path="/account/v1/audit" description="audit.ownDescription" />;
}
