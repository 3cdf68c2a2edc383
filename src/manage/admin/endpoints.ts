import { accountEndpoints } from './accounts/accounts.ts';
import { alertEndpoints } from './accounts/alerts.ts';
import { auditEndpoints } from './audit/audit-log.ts';
import { batchEndpoints } from './batches/batches.ts';
import { billEndpoints } from './organisations/bills.ts';
import { bodyEndpoints } from './requests/stored-bodies.ts';
import { catalogEndpoints } from './catalog/catalog-view.ts';
import { catalogModelEndpoints } from './catalog/catalog-models.ts';
import { codeEndpoints } from './money/codes.ts';
import { documentEndpoints } from './money/documents.ts';
import type { Endpoint } from './api/endpoint.ts';
import { keyEndpoints } from './keys/keys.ts';
import { liveEndpoints } from './system/live.ts';
import { mailEndpoints } from './system/mail.ts';
import { memberEndpoints } from './people/members.ts';
import { operatorEndpoints } from './people/operators.ts';
import { organisationEndpoints } from './organisations/organisations.ts';
import { ownOrganisationEndpoints } from './organisations/own-organisation.ts';
import { moneyEndpoints } from './money/money.ts';
import { openLinkEndpoints } from './people/open-links.ts';
import { overviewEndpoints } from './usage/overview.ts';
import { ownEndpoints, ownSettingsEndpoints } from './own-account.ts';
import { peopleEndpoints } from './people/people.ts';
import { reconciliationEndpoints } from './money/reconciliations.ts';
import { requestEndpoints } from './requests/requests.ts';
import { modelBatchEndpoint } from './catalog/model-batches.ts';
import { priceBatchEndpoint } from './catalog/price-batches.ts';
import { priceExampleEndpoint } from './catalog/price-examples.ts';
import { resourceEndpoints } from './catalog/resources.ts';
import { searchEndpoints } from './search.ts';
import { systemEndpoints } from './system/system.ts';
import { tokenEndpoints } from './tokens/token-endpoints.ts';
import { upstreamActionEndpoints } from './catalog/upstream-actions.ts';
import { upstreamHealthEndpoints } from './catalog/upstream-health.ts';
import { usageEndpoints } from './usage/usage.ts';
import { webhookEndpoints } from './webhooks/webhooks.ts';

/** Every endpoint of the admin and account APIs. Each states the lowest role that may call it. */
export const endpoints: readonly Endpoint[] = [
  ...accountEndpoints,
  ...organisationEndpoints,
  ...billEndpoints,
  ...moneyEndpoints,
  ...documentEndpoints,
  ...codeEndpoints,
  ...reconciliationEndpoints,
  ...keyEndpoints,
  ...upstreamHealthEndpoints,
  ...upstreamActionEndpoints,
  ...resourceEndpoints,
  modelBatchEndpoint,
  priceBatchEndpoint,
  priceExampleEndpoint,
  ...requestEndpoints,
  ...batchEndpoints,
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
  ...ownOrganisationEndpoints,
  ...overviewEndpoints,
  ...alertEndpoints,
  ...mailEndpoints,
  ...webhookEndpoints,
  ...searchEndpoints,
];
