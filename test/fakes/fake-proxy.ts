import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy that connects every host name to one local port, and can fail in every way a real one can. */
export interface FakeProxy {
  readonly port: number;
  /** The requests in order: method and target, and the credentials of the client. */
  readonly requests: readonly { readonly line: string; readonly authorization: string | undefined }[];
  behave(how: ProxyBehaviour): void;
  close(): Promise<void>;
}

/** A number is the status of the answer. */
type ProxyBehaviour = 'serve' | 'hang' | 'garbage' | number;

export async function fakeProxy(destination: number): Promise<FakeProxy> {
  const requests: { line: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  let behaviour: ProxyBehaviour = 'serve';

  function record({ method, url, headers }: IncomingMessage): void {
    requests.push({ line: `${method} ${url}`, authorization: headers['proxy-authorization'] });
  }

  function forward(incoming: IncomingMessage, response: ServerResponse): void {
    record(incoming);
    if (behaviour === 'hang') return;
    if (typeof behaviour === 'number') return void response.writeHead(behaviour).end('a page of the proxy');
    const { pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port: destination, method, path: pathname + search, headers });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  }

  function tunnel(incoming: IncomingMessage, socket: Socket): void {
    record(incoming);
    socket.on('error', () => {});
    if (behaviour === 'hang') return;
    if (behaviour === 'garbage') return void socket.end('SSH-2.0-OpenSSH_9.2\r\n');
    if (behaviour !== 'serve') return void socket.end(`HTTP/1.1 ${behaviour} No\r\ncontent-length: 0\r\n\r\n`);
    const far = connect(destination, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    far.on('error', () => socket.destroy());
    far.on('close', () => socket.destroy());
    socket.on('close', () => far.destroy());
  }

  const server = createServer(forward).on('connect', tunnel);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    behave: (how) => void (behaviour = how),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
