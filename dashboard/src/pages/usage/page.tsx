import { ownUsage } from './scope.ts';
import { UsageView } from './usage-view.tsx';

export default function UsagePage() {
  return <UsageView scope={ownUsage} />;
}
