import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './fault.ts';
import { Reply } from './reply.ts';
import { type PathParameters, type Route, type RouteMethods, runRoute } from './route.ts';

/**
 * Fastify as the router of a server. A route takes over the exchange before Fastify checks content types or bodies,
 * because an invalid key is reported before an invalid body. Errors of Fastify itself become errors of the exchange.
 * Fastify gets only requests that no exact path matches.
 */
export function routingApp(server: Server, routes: readonly Route[], methods: RouteMethods): FastifyInstance {
  const app = fastify<Server, IncomingMessage, ServerResponse>({
    serverFactory: () => server,
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: parameterCharactersMax },
    // Bytes that are not a request never reach Fastify: the connections answer them.
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

/** A last segment that matches everything that follows; Fastify cannot name it. */
const rest = /\*(\w+)$/;

/** Fastify accepts an empty segment as a value; here such a path has no route. */
function parametersOf(request: FastifyRequest, path: string): PathParameters | undefined {
  const { '*': remainder, ...parameters } = request.params as PathParameters;
  if (Object.values(parameters).includes('')) return undefined;
  if (remainder === undefined) return parameters;
  if (remainder.split('/').includes('')) return undefined;
  return { ...parameters, [rest.exec(path)?.[1] ?? '']: remainder };
}

/** Longer than any id or name of the gateway. */
const parameterCharactersMax = 300;

const badTarget = 'The request target contains an invalid percent-encoding.';

/** Detaches the reply from Fastify; the exchange answers from here on. */
function takeOver(reply: { readonly raw: unknown; hijack(): unknown }): Exchange {
  reply.hijack();
  if (!(reply.raw instanceof Reply) || !reply.raw.exchange)
    throw new Error('The request was routed without being admitted.');
  return reply.raw.exchange;
}
