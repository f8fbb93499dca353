import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ListenAddress } from './config/listen-address.js';
import { SvcError, systemErrorCode } from './errors/index.js';

/** The header that carries the id of a request, both ways. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** An id that a proxy in front may hand down; anything else gets one of ours. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The id of a request. */
export function requestIdOf({ headers }: RequestHead): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

interface RequestHead {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Begins to listen; a server that cannot is closed.
 *
 * @returns the address; port 0 took a free one, so that it is known only now
 * @throws SvcError LISTEN_FAILED, with what to do about it
 */
export async function listenOn(server: FastifyInstance, address: ListenAddress): Promise<string> {
  const { host, port } = address;
  try {
    await server.listen({ host, port, listenTextResolver: (url) => `listening on ${url}` });
  } catch (error) {
    await server.close();
    throw listenFault(error, address);
  }
  return urlOf(server.server.address(), address);
}

function urlOf(bound: AddressInfo | string | null, { host, port, tls }: ListenAddress): string {
  const at = typeof bound === 'object' && bound !== null ? bound : { address: host, port };
  const scheme = tls === undefined ? 'http' : 'https';
  const name = at.address.includes(':') ? `[${at.address}]` : at.address;
  return `${scheme}://${name}:${at.port}`;
}

function listenFault(error: unknown, { host, port }: ListenAddress): unknown {
  const mend = LISTEN_MENDS[systemErrorCode(error) ?? ''];
  if (mend === undefined) return error;
  return new SvcError('LISTEN_FAILED', `cannot listen on ${host}:${port}: ${mend.why}`, {
    hint: mend.hint,
    cause: error,
  });
}

const LISTEN_MENDS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  EADDRINUSE: {
    why: 'another program listens there',
    hint: 'end that program, or set gateway.port (gateway.admin.port) to another port',
  },
  EACCES: {
    why: 'this user may not',
    hint: 'set gateway.port to 1024 or above',
  },
  EADDRNOTAVAIL: {
    why: 'this machine has no such address',
    hint: 'set gateway.host to an address of this machine; 127.0.0.1 is reached from here only',
  },
  ENOTFOUND: {
    why: 'no such host name is known',
    hint: 'set gateway.host to an address of this machine',
  },
};
