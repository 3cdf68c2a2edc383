import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pepper } from '../platform/secrets/key-digest.ts';
import type { AdminParts } from '../manage/admin/parts.ts';
import { adminRoutes, operatorsRoute } from '../manage/admin/routes.ts';
import type { Batches } from '../work/batches/batches.ts';
import type { SecretVault } from '../platform/secrets/secret-vault.ts';
import { environmentProxies } from '../platform/config/schema/proxy.ts';
import { dashboardRoutes } from '../manage/console/routes/dashboard-routes.ts';
import { docsRoutes } from '../manage/console/routes/docs-routes.ts';
import { builtDashboard, builtDocs, builtFiles } from '../manage/console/files.ts';
import type { Files } from '../work/files/files.ts';
import { identity } from '../manage/console/identity.ts';
import type { ConsoleParts, Pause } from '../manage/console/parts.ts';
import { authRoutes } from '../manage/console/routes/routes.ts';
import { slowDown } from '../manage/console/throttle/throttle.ts';
import type { Route } from '../serving/http/route.ts';
import type { RunningRequests } from '../serving/inference/running-requests.ts';
import type { Upstreams } from '../serving/routing/upstreams.ts';
import { addressCheck } from '../operate/notifications/webhooks/address-check.ts';
import type { Mailer } from '../operate/notifications/email/mailer.ts';
import type { GatewayOptions, ServiceParts } from './gateway.ts';
import type { LiveConfiguration } from './live-configuration.ts';
import type { Records } from './records.ts';
import { bodyTerms } from './bodies.ts';
import { PdfThread } from '../money/documents/pdf/pdf-thread.ts';
import { paymentRoutes, paymentTerms } from './payments.ts';
import { consoleSettings } from './settings.ts';
import { type ProbeOptions, type ProbeReport, probeUpstream } from '../serving/upstreams/providers/probe.ts';

interface PeopleParts extends ServiceParts {
  readonly pepper: Pepper;
  readonly vault: SecretVault;
  readonly sessionSecret: string;
  readonly newId: () => string;
  readonly configuration: LiveConfiguration;
  readonly upstreams: Upstreams;
  readonly mail: Mailer;
  readonly files: Files;
  readonly batches: Batches;
  readonly running: RunningRequests;
  readonly records: Records;
  /** The time of the running build. */
  readonly build: string;
  /** The id of this process in the ledger. */
  readonly processId: () => string;
  /** The figures of all workers of this address together. */
  readonly figures: AdminParts['figures'];
  readonly sharing: AdminParts['sharing'];
  /** Routes for programs of operators, which authenticate with admin tokens. */
  readonly forOperators: readonly Route[];
  readonly options: Pick<GatewayOptions, 'env' | 'configFile' | 'dashboard' | 'docs' | 'pause' | 'passwordCost'>;
}

/** The routes that people use: the APIs of operators and account owners, and the dashboard. */
export function peopleRoutes(parts: PeopleParts): readonly Route[] {
  const { dashboard = builtDashboard, docs = builtDocs } = parts.options;
  const auth = consoleParts(parts);
  const people = identity(auth);
  const admin: AdminParts = { ...adminParts(parts), signedIn: (exchange) => people.signedIn(exchange) };
  return [
    ...adminRoutes(admin),
    ...paymentRoutes({ ...parts, terms: () => admin.payments(), seller: () => admin.seller() }),
    ...parts.forOperators.map((route) => operatorsRoute(route, admin)),
    ...dashboardRoutes(builtFiles(dashboard)),
    ...docsRoutes(builtFiles(docs)),
    ...authRoutes(auth, people),
  ];
}

function adminParts(parts: PeopleParts): Omit<AdminParts, 'signedIn'> {
  const { store, clock, pepper, vault, newId, configuration, upstreams } = parts;
  // The routes were created with this prefix, so a reload does not change it.
  const { messagesPrefix } = configuration.config;
  const startedAt = clock.now();
  const addresses = addressCheck({ clock });
  const file = parts.options.configFile;
  return {
    store,
    clock,
    pepper,
    vault,
    current: () => configuration.live,
    refresh: () =>
      configuration
        .refresh()
        .catch((error: unknown) => parts.log.error({ error: String(error) }, 'the catalog could not be reloaded')),
    currency: () => configuration.config.currency,
    storedBodies: () => bodyTerms(configuration.config),
    isWebhookRefused: (url) => addresses.isRefused(url, configuration.config.webhooks.allow),
    files: parts.files,
    batches: parts.batches,
    mail: parts.mail,
    upstreams,
    figures: parts.figures,
    sharing: parts.sharing,
    messagesPrefix: () => messagesPrefix,
    payments: () => paymentTerms(configuration.config, clock),
    seller: () => configuration.config.seller,
    pdf: new PdfThread(clock),
    ...slowDown({ store, clock, pause: parts.options.pause ?? delayFor, realm: 'codes' }),
    system: () => ({
      process: { id: parts.processId(), startedAt },
      build: parts.build,
      file: file === undefined ? undefined : basename(file),
      resources: configuration.described,
    }),
    test: async (name) => {
      const options = { clock, newId, proxyFor: environmentProxies(parts.options.env) };
      const report = await testUpstream(name, configuration, options);
      // The test uses the first credential. After an operator has fixed it, it need not wait until its ejection ends.
      if (report) upstreams.named(name)?.credentials[0]?.tested(report);
      return report;
    },
  };
}

function consoleParts(parts: PeopleParts): ConsoleParts {
  const { store, clock, pepper, sessionSecret, log, configuration, mail, options } = parts;
  return {
    store,
    clock,
    pepper,
    sessionSecret,
    mail,
    pause: options.pause ?? delayFor,
    passwordCost: options.passwordCost,
    current: () => configuration.live,
    settings: () => consoleSettings(configuration.config),
    onError: (message) => log.error({ error: message }, 'signing in to the dashboard failed'),
  };
}

/** The delay ends early when the client leaves. */
const delayFor: Pause = (ms, signal) => delay(ms, undefined, { signal, ref: false });

/** Tests the provider of an upstream, even a disabled one. Returns undefined if there is no such upstream. */
async function testUpstream(
  name: string,
  configuration: LiveConfiguration,
  options: Omit<ProbeOptions, 'model'>,
): Promise<ProbeReport | undefined> {
  const find = () => {
    const { upstreams, disabled } = configuration.live;
    return [...upstreams, ...disabled].find((each) => each.name === name);
  };
  // The upstream may have been added a moment ago.
  if (!find()) await configuration.refresh();
  const spec = find();
  const routes = configuration.live.catalog.all().flatMap((model) => model.routes);
  const model = routes.find(({ upstream }) => upstream === name)?.model;
  return spec && probeUpstream(spec, { ...options, model });
}
