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
