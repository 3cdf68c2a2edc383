import { RequestList } from './request-list.tsx';
import { allRequests } from './scope.ts';

export default function OperatorRequestsPage() {
  return <RequestList scope={allRequests} />;
}
