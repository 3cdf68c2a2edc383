import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './fault.ts';
import { Reply } from './reply.ts';
import { type PathParameters, type Route, type RouteMethods, runRoute } from './route.ts';

/**
 * Fastify as the router of a server. Our routes take the exchange over before Fastify looks at content types or bodies,
 * since a bad key comes before a bad body; whatever Fastify itself would refuse goes the way of all errors. It is asked
 * for what is not found by its exact path.
 */
export function routingApp(server: Server, routes: readonly Route[], methods: RouteMethods): FastifyInstance {
  const app = fastify<Server, IncomingMessage, ServerResponse>({
    serverFactory: () => server,
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: parameterCharactersMax },
    // Bytes that are no request never reach Fastify: the connections answer them.
    clientErrorHandler: () => {},
    frameworkErrors: (_error, _request, reply) => takeOver(reply).fail(new HttpFault('bad-request', badTarget)),
  });
  const refuse = (request: FastifyRequest, reply: FastifyReply): void => {
    const exchange = takeOver(reply);
    exchange.fail(methods.fault(request.method, exchange.path));
  };
  app.addHook('onRequest', (request, reply, done) => (request.is404 ? refuse(request, reply) : done()));
  app.setNotFoundHandler(refuse);
  app.setErrorHandler((error, _request, reply) => takeOver(reply).fail(error));
  for (const route of routes) {
    app.route({
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url: route.path.replace(rest, '*'),
      onRequest: (request, reply) => {
        const parameters = parametersOf(request, route.path);
        if (parameters) runRoute(route, takeOver(reply), parameters);
        else refuse(request, reply);
      },
      handler: () => {},
    });
  }
  return app;
}

/** A last segment that stands for all that follows; the router has no names for it. */
const rest = /\*(\w+)$/;

/** The router takes an empty segment for a value; to us there is nothing at such a path. */
function parametersOf(request: FastifyRequest, path: string): PathParameters | undefined {
  const { '*': remainder, ...parameters } = request.params as PathParameters;
  if (Object.values(parameters).includes('')) return undefined;
  if (remainder === undefined) return parameters;
  if (remainder.split('/').includes('')) return undefined;
  return { ...parameters, [rest.exec(path)?.[1] ?? '']: remainder };
}

/** Longer than any id or name of ours. */
const parameterCharactersMax = 300;

const badTarget = 'The request target holds a broken percent-encoding.';

/** Fastify lets go of the reply; from here on it is answered through the exchange. */
function takeOver(reply: { readonly raw: unknown; hijack(): unknown }): Exchange {
  reply.hijack();
  if (!(reply.raw instanceof Reply) || !reply.raw.exchange) throw new Error('A request was routed but never admitted.');
  return reply.raw.exchange;
}
