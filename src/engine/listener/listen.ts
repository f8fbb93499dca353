import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type AddressInfo, BlockList, createServer, isIP, isIPv4 } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { ListenAddress } from '../config/index.js';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { urlHost } from '../support/network.js';

/** The header that carries the id of a request, both ways. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** An id from a proxy in front is kept if it matches; any other is replaced. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

export function requestIdOf({ headers }: RequestHead): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

interface RequestHead {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Starts to listen; a server that cannot is closed.
 *
 * @returns the address, with the actual port in place of port 0
 * @throws SvcError LISTEN_FAILED
 */
export async function listenOn(server: FastifyInstance, address: ListenAddress): Promise<string> {
  const { host, port } = address;
  try {
    await server.listen({
      host: boundHost(host),
      port,
      listenTextResolver: (url) => `listening on ${url}`,
    });
  } catch (error) {
    await server.close();
    throw listenFault(error, address);
  }
  return urlOf(server.server.address(), address);
}

/** For a second address of localhost, fastify creates a server without our handlers and a renewed certificate. */
function boundHost(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

function urlOf(bound: AddressInfo | string | null, { host, port, tls }: ListenAddress): string {
  const at = typeof bound === 'object' && bound !== null ? bound : { address: host, port };
  const scheme = tls === undefined ? 'http' : 'https';
  return `${scheme}://${urlHost(at.address)}:${at.port}`;
}

function listenFault(
  error: unknown,
  { host, port }: Pick<ListenAddress, 'host' | 'port'>,
): unknown {
  const hint = LISTEN_FAULTS[systemErrorCode(error) ?? ''];
  if (hint === undefined) return error;
  return new SvcError('LISTEN_FAILED', `cannot listen on ${urlHost(host)}:${port}: ${hint.why}`, {
    hint: hint.hint,
    cause: error,
  });
}

const NOT_HERE = {
  why: 'this machine does not have that address',
  hint: 'set gateway.host to an address of this machine; 127.0.0.1 accepts local connections only',
};
const UNKNOWN_NAME = {
  why: 'the host name is unknown',
  hint: 'set gateway.host to an address of this machine',
};

const LISTEN_FAULTS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  EADDRINUSE: {
    why: 'the port is in use',
    hint: 'stop the program that uses it, or set gateway.port or gateway.admin.port to another port',
  },
  EACCES: {
    why: 'permission denied',
    hint: 'set gateway.port to 1024 or above',
  },
  EADDRNOTAVAIL: NOT_HERE,
  EAFNOSUPPORT: NOT_HERE,
  EAI_AGAIN: UNKNOWN_NAME,
  EINVAL: {
    why: 'no connection can arrive at that address',
    hint: 'write a link-local address with its interface, such as fe80::1%eth0',
  },
  ENOTFOUND: UNKNOWN_NAME,
};

/** One IPv6 client usually has a whole /64 network: four groups. */
const NETWORK_GROUPS = 4;

/**
 * The address of a client: from a trusted proxy's `X-Forwarded-For`, or the proxy itself if that is not an
 * address; empty if the connection is closed. Anybody can write anything into that header, and the result is logged and
 * counted.
 */
export function clientAddressOf({
  ip,
  ips,
  socket,
}: Pick<FastifyRequest, 'ips'> & {
  readonly ip: string | undefined;
  readonly socket: Pick<FastifyRequest['socket'], 'remoteAddress'>;
}): string {
  const address = plainAddress(ip);
  if (isIP(address) !== 0) return address;
  const others = [...(ips ?? []).toReversed(), socket.remoteAddress].map(plainAddress);
  return others.find((other) => isIP(other) !== 0) ?? '';
}

/** With a port, as Azure's proxies write it, or in the brackets of a URL. */
const WRAPPED = /^(?:\[(.+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/u;

/**
 * An IPv4 client of a server that listens on `::` has an address like `::ffff:192.0.2.1`.
 *
 * @param address undefined if the connection is closed
 */
export function plainAddress(address = ''): string {
  return address.replace(WRAPPED, '$1$2').replace(/^::ffff:(?=\d+\.)/iu, '');
}

/** The key of rate limits: an IPv4 address, or the /64 network of an IPv6 address. */
export function clientNetworkOf(address: string): string {
  // Parsing takes long, and every request passes here.
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** The names that a configuration can use for networks. */
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  loopback: ['127.0.0.0/8', '::1/128'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is in one of these networks: addresses, networks such as `10.0.0.0/8`, or their names. */
export function networkList(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks.flatMap((name) => NAMED_NETWORKS[name] ?? [name])) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) =>
    isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Checks that addresses and certificates can be used, before the current ones are closed.
 *
 * @param inUse by this process: their ports become free
 * @throws SvcError LISTEN_FAILED
 */
export async function checkAddresses(
  addresses: readonly ListenAddress[],
  inUse: readonly ListenAddress[],
): Promise<void> {
  for (const { host, port, tls } of addresses) {
    if (tls !== undefined) readCertificate(tls);
    const isPortInUse = inUse.some((other) => other.port === port);
    if (inUse.some((other) => other.port === port && other.host === host)) continue;
    // Any port shows whether this machine has the address.
    await listenOnce({ host, port }, isPortInUse ? 0 : port);
  }
}

/** The certificate and its key, as they are on disk now. @throws SvcError LISTEN_FAILED if they cannot be used */
export function readCertificate({ cert, key }: NonNullable<ListenAddress['tls']>) {
  try {
    const files = { cert: readFileSync(cert), key: readFileSync(key) };
    if (ENCRYPTED_KEY.test(files.key.toString('latin1'))) throw new Error(KEY_IS_ENCRYPTED);
    createSecureContext(files);
    return files;
  } catch (error) {
    const why = messageOf(error);
    throw new SvcError('LISTEN_FAILED', `cannot use certificate ${cert} with key ${key}: ${why}`, {
      hint: 'fix these files, or set others in gateway.tls or mcp.http.tls',
      cause: error,
    });
  }
}

/** In either PEM format; OpenSSL reports a bad decryption. */
const ENCRYPTED_KEY = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m;
const KEY_IS_ENCRYPTED =
  'the key is encrypted; write it without a passphrase with "openssl pkey -in KEY -out FILE"';

async function listenOnce(
  address: Pick<ListenAddress, 'host' | 'port'>,
  port: number,
): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen({ host: boundHost(address.host), port }, resolve);
    });
  } catch (error) {
    throw listenFault(error, address);
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
