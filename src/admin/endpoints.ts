import { accountEndpoints } from './accounts.ts';
import { alertEndpoints } from './alerts.ts';
import { auditEndpoints } from './audit-log.ts';
import { bodyEndpoints } from './stored-bodies.ts';
import { catalogEndpoints } from './catalog-view.ts';
import { catalogModelEndpoints } from './catalog-models.ts';
import { codeEndpoints } from './codes.ts';
import type { Endpoint } from './endpoint.ts';
import { keyEndpoints } from './keys.ts';
import { liveEndpoints } from './live.ts';
import { mailEndpoints } from './mail.ts';
import { memberEndpoints } from './members.ts';
import { moneyEndpoints } from './money.ts';
import { openLinkEndpoints } from './open-links.ts';
import { operatorEndpoints } from './operators.ts';
import { overviewEndpoints } from './overview.ts';
import { ownEndpoints } from './own-account.ts';
import { ownSettingsEndpoints } from './own-settings.ts';
import { peopleEndpoints } from './people.ts';
import { requestEndpoints } from './requests.ts';
import { modelBatchEndpoint } from './model-batches.ts';
import { resourceEndpoints } from './resources.ts';
import { systemEndpoints } from './system.ts';
import { tokenEndpoints } from './token-endpoints.ts';
import { upstreamActionEndpoints } from './upstream-actions.ts';
import { upstreamHealthEndpoints } from './upstream-health.ts';
import { usageEndpoints } from './usage.ts';
import { webhookEndpoints } from './webhooks.ts';

/** Every endpoint of the admin and account APIs. Each states the lowest role that may call it. */
export const endpoints: readonly Endpoint[] = [
  ...accountEndpoints,
  ...moneyEndpoints,
  ...codeEndpoints,
  ...keyEndpoints,
  ...upstreamHealthEndpoints,
  ...upstreamActionEndpoints,
  ...resourceEndpoints,
  modelBatchEndpoint,
  ...requestEndpoints,
  ...catalogEndpoints,
  ...catalogModelEndpoints,
  ...liveEndpoints,
  ...auditEndpoints,
  ...tokenEndpoints,
  ...operatorEndpoints,
  ...openLinkEndpoints,
  ...peopleEndpoints,
  ...systemEndpoints,
  ...ownEndpoints,
  ...bodyEndpoints,
  ...usageEndpoints,
  ...ownSettingsEndpoints,
  ...memberEndpoints,
  ...overviewEndpoints,
  ...alertEndpoints,
  ...mailEndpoints,
  ...webhookEndpoints,
];
