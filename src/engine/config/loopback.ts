import { isIPv4 } from 'node:net';

/** Whether a host, without brackets, is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  // A name may begin with 127, too.
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Whether the host of a URL is: an IPv6 address stands in brackets there. */
export function leadsToLoopback({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/gu, ''));
}
