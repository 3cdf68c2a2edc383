import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './fault.ts';
import { Reply } from './reply.ts';
import { type Route, type RouteMethods, runRoute } from './route.ts';

/**
 * Fastify as the router of a server. Our routes take the exchange over before Fastify looks at content types or bodies,
 * since a bad key comes before a bad body; whatever Fastify itself would refuse goes the way of all errors.
 */
export function routingApp(server: Server, routes: readonly Route[], methods: RouteMethods): FastifyInstance {
  const app = fastify<Server, IncomingMessage, ServerResponse>({
    serverFactory: () => server,
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
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
      url: route.path,
      onRequest: (_request, reply) => runRoute(route, takeOver(reply)),
      handler: () => {},
    });
  }
  return app;
}

const badTarget = 'The request target holds a broken percent-encoding.';

/** Fastify lets go of the reply; from here on it is answered through the exchange. */
function takeOver(reply: { readonly raw: unknown; hijack(): unknown }): Exchange {
  reply.hijack();
  if (!(reply.raw instanceof Reply) || !reply.raw.exchange) throw new Error('A request was routed but never admitted.');
  return reply.raw.exchange;
}
