import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { bringsToken, type HttpToken } from './token.js';

/** What a request says of itself before its body is looked at. */
export interface RequestHead {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** Without the query. */
  readonly path: string;
}

/** Why a request is turned away. */
export interface Refusal {
  readonly status: 401 | 403 | 404;
  readonly message: string;
}

/** Where the protocol is spoken. */
export const ENDPOINT = '/mcp';

/**
 * Turns away what does not come from a program of this machine that was given the token. A web page
 * can make a browser send requests here, under a name of its own that leads to the loopback (DNS
 * rebinding): its `Host` or its `Origin` gives it away.
 *
 * @returns undefined for a request that may come in
 */
export function refusalOf(head: RequestHead, token: HttpToken): Refusal | undefined {
  if (!validateHostHeader(head.host, localhostAllowedHostnames()).ok) {
    return { status: 403, message: 'this server is reached as 127.0.0.1 or localhost only' };
  }
  if (!validateOriginHeader(head.origin, localhostAllowedOrigins()).ok) {
    return { status: 403, message: 'web pages of other origins may not ask this server' };
  }
  if (!bringsToken(head.authorization, token)) {
    return { status: 401, message: `the bearer token is missing or wrong; it is in ${token.file}` };
  }
  if (head.path !== ENDPOINT) return { status: 404, message: `the protocol is at ${ENDPOINT}` };
  return undefined;
}
