import { AuditView } from './audit-view.tsx';

/** Everything that was changed here, and how people got in. */
export default function AuditPage() {
  return <AuditView path="/admin/v1/audit" description="audit.description" />;
}
