import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** A forward proxy that connects every name to one server on the loopback. */
export interface ForwardProxy {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  /** The authorities of CONNECT requests, and the URLs of the others. */
  readonly targets: string[];
  close(): Promise<void>;
}

/** The server behind all names, and the credentials that the proxy accepts. */
export interface ForwardProxyOptions {
  /** `http://127.0.0.1:PORT`; TLS of tunnels ends at the proxy. */
  readonly target: string;
  readonly tls: { readonly key: string; readonly cert: string };
  /** `user:password`; everybody by default. */
  readonly credentials?: string;
  /** What it answers to CONNECT instead of connecting. */
  readonly refusal?: string;
}

/** Starts it: CONNECT for tunnels, absolute URLs for plain HTTP. */
export async function startForwardProxy(options: ForwardProxyOptions): Promise<ForwardProxy> {
  const { target, tls, credentials, refusal } = options;
  const targets: string[] = [];
  const { port: targetPort } = new URL(target);
  const isAuthorized = ({ headers }: IncomingMessage): boolean =>
    credentials === undefined ||
    headers['proxy-authorization'] === `Basic ${Buffer.from(credentials).toString('base64')}`;
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming, response) => {
    targets.push(incoming.url ?? '');
    if (!isAuthorized(incoming)) return void response.writeHead(407).end();
    const { pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const forwarded = request(
      { port: targetPort, host: '127.0.0.1', method, headers, path: pathname + search },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(forwarded);
  });
  server.on('connection', track);
  server.on('connect', (incoming, socket: Socket) => {
    targets.push(incoming.url ?? '');
    if (!isAuthorized(incoming)) {
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    }
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const plain = new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext(tls),
    });
    const onward = track(connect(Number(targetPort), '127.0.0.1'));
    track(plain).pipe(onward).pipe(plain);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    targets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
