import { allRequests } from '../requests/scope.ts';
import { RequestView } from './request-view.tsx';

export default function OperatorRequestPage() {
  return <RequestView scope={allRequests} />;
}
