import { isIPv4 } from 'node:net';

/** Whether a host, without brackets, is a loopback address. */
export function isLoopback(host: string): boolean {
  // A name may start with 127 as well.
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Whether a host stands for every address of this machine. */
export function isWildcard(host: string): boolean {
  return ['0.0.0.0', '::', '[::]'].includes(host);
}

/** Whether the host of a URL is a loopback address; IPv6 addresses are in brackets there. */
export function leadsToLoopback({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/gu, ''));
}

/** OpenSSL describes the bytes of an answer in plain HTTP as a fault of the protocol. */
const NOT_TLS = /^(?:EPROTO$|ERR_SSL_)/u;

/** Whether the code of an error means that a server does not answer with TLS. */
export function isWithoutTls(code: string): boolean {
  return NOT_TLS.test(code);
}

/** What it means if {@link isWithoutTls}. */
export const WITHOUT_TLS = 'it does not answer with TLS';
