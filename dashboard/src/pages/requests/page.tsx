import { RequestList } from './request-list.tsx';
import { ownRequests } from './scope.ts';

export default function RequestsPage() {
  return <RequestList scope={ownRequests} />;
}
