import { ownRequests } from '../requests/scope.ts';
import { RequestView } from './request-view.tsx';

export default function RequestPage() {
  return <RequestView scope={ownRequests} />;
}
