import { AuditView } from './audit-view.tsx';

/** All changes and sign-ins. */
export default function AuditPage() {
  return <AuditView path="/admin/v1/audit" description="audit.description" />;
}
