import { BlockList, isIP } from 'node:net';

/** Also finds IPv4 addresses that are written as IPv6 ones. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host, without brackets, is a loopback address or a name of one (RFC 6761). */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return /^(?:.+\.)?localhost\.?$/iu.test(host);
  return LOOPBACK.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

/** Whether a host stands for every address of this machine. */
export function isWildcard(host: string): boolean {
  return ['0.0.0.0', '::', '[::]'].includes(host);
}

/** A host as it is in a URL: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether the host of a URL is a loopback address; IPv6 addresses are in brackets there. */
export function leadsToLoopback({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/gu, ''));
}

/** Whether a URL is of a PostgreSQL server. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(url);
}
