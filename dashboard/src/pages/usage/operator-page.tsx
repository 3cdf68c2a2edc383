import { allUsage } from './scope.ts';
import { UsageView } from './usage-view.tsx';

export default function OperatorUsagePage() {
  return <UsageView scope={allUsage} />;
}
