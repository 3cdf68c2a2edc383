import { addressRanges } from '../core/address-ranges.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Pressure } from '../serving/http/load/pressure.ts';
import type { Route } from '../serving/http/route.ts';
import { HttpServer } from '../serving/http/server.ts';
import type { ExchangeSummary, HttpServerOptions } from '../serving/http/server-options.ts';
import { explain, explainWithReason } from '../serving/surfaces/envelope.ts';
import { explainMessages, messagesIdHeader } from '../serving/surfaces/messages/envelope.ts';
import { prefixedPaths } from '../serving/surfaces/path-prefixes.ts';
import { pathGuide } from '../serving/surfaces/near-paths.ts';
import type { LiveConfiguration } from './live-configuration.ts';
import { httpLimits } from './settings.ts';
import { orOverloaded } from '../platform/store/postgres/unreachable.ts';

export type Servers = ReturnType<typeof servers>;

interface ServerParts {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly configuration: LiveConfiguration;
  readonly pressure: Pressure;
  readonly routes: readonly Route[];
  /** Routes that both servers offer. */
  readonly probes: readonly Route[];
  /** Routes that only the health port offers, without authentication. */
  readonly scrapes: readonly Route[];
  /** Called when a client is rejected because there is no file descriptor. */
  readonly onFull: () => void;
  readonly observers: readonly { exchanged(done: ExchangeSummary): void }[];
}

/** Health probes are few, and must get a connection when the main server is full. */
const maxProbeConnections = 64;

/** The main server, and an optional server for health checks and metrics only. */
export function servers({ pressure, routes, probes, scrapes, onFull, ...parts }: ServerParts) {
  const common = commonOptions(parts, routes);
  const { host, port, healthPort } = parts.configuration.config.listen;
  const main = new HttpServer({ ...common, onFull, pressure, routes: [...routes, ...probes] });
  const limits = { ...common.limits, socketsMax: maxProbeConnections };
  const probeServer =
    healthPort === undefined ? undefined : new HttpServer({ ...common, limits, routes: [...probes, ...scrapes] });
  return {
    main,
    async listen() {
      const probed = healthPort === undefined ? undefined : await probeServer?.listen(host, healthPort);
      return { address: await main.listen(host, port), healthPort: probed?.port };
    },
    /** Closes the health server, which answers probes until the end. */
    closeProbes: () => probeServer?.destroy(),
  };
}

type CommonParts = Pick<ServerParts, 'clock' | 'newId' | 'configuration' | 'observers'>;

function commonOptions({ clock, newId, configuration, observers }: CommonParts, routes: readonly Route[]) {
  const { messagesPrefix, listen } = configuration.config;
  const isMessages = (path: string): boolean => path.startsWith(`${messagesPrefix}/`);
  const guided = pathGuide(routes, messagesPrefix);
  const trustedProxies = addressRanges(listen.trustedProxies);
  return {
    limits: httpLimits(configuration.config),
    stamp: () => configuration.live.version,
    otherPaths: (host, path) => {
      const { catalog } = configuration.live;
      const { prefixes } = catalog.rulesOf(catalog.siteFor(host) ?? '');
      return prefixes.length === 0 ? prefixes : prefixedPaths(path, prefixes, messagesPrefix);
    },
    newId,
    explain: (error, { id, path }) => {
      const explained = isMessages(path) ? explainMessages : isOwnApi(path) ? explainWithReason : explain;
      return explained(guided(error, path), id, configuration.config.supportEmail);
    },
    idHeader: (path) => (isMessages(path) ? messagesIdHeader : undefined),
    observe: (done) => {
      for (const observer of observers) observer.exchanged(done);
    },
    clock,
    isTrustedProxy: (address) => trustedProxies.has(address),
  } satisfies Omit<HttpServerOptions, 'routes'>;
}

/** The paths of the admin API, account API and sign-in, which are not part of the contract of the model endpoints. */
function isOwnApi(path: string): boolean {
  return /^\/(?:admin|account|auth)\//.test(path);
}

/** Wraps a route: if the database is unreachable, the client gets that error, and no internal error is logged. */
export function withStoreErrors(route: Route): Route {
  return { ...route, handle: (exchange, parameters) => route.handle(exchange, parameters)?.catch(rethrow) };
}

function rethrow(error: unknown): never {
  throw orOverloaded(error);
}
