import { SvcError } from '../../errors/index.js';
import { leadsToLoopback } from '../../support/network.js';
import { withoutEndSlashes } from '../vendor-fault.js';

/** github.com or GitHub Enterprise, without trailing slashes. */
export interface GithubHosts {
  /** Where users sign in. */
  readonly webUrl: string;
  readonly apiUrl: string;
}

const PUBLIC_URL = 'https://github.com';

/**
 * The API address of an enterprise follows from its web address: `api.` before a `ghe.com` host,
 * `/api/v3` on a server (GitHub Docs, "About GitHub Enterprise").
 *
 * @throws SvcError USAGE if an address is not https
 */
export function githubHosts({
  webUrl,
  apiUrl,
}: {
  readonly [Name in keyof GithubHosts]?: string | undefined;
}): GithubHosts {
  const web = addressOf(webUrl ?? PUBLIC_URL);
  return { webUrl: web, apiUrl: apiUrl === undefined ? apiOf(web) : addressOf(apiUrl) };
}

/** The hosts set in the environment. */
export function githubHostsIn(env: Readonly<Record<string, string | undefined>>): GithubHosts {
  return githubHosts({
    webUrl: env['SVC_GITHUB_URL'] || undefined,
    apiUrl: env['SVC_GITHUB_API_URL'] || undefined,
  });
}

/** Copilot's address if its token does not contain one. */
export function defaultCopilotUrl(apiUrl: string): string {
  const { hostname } = new URL(apiUrl);
  return isEnterpriseCloud(hostname)
    ? `https://copilot-${hostname}`
    : 'https://api.githubcopilot.com';
}

/** Whether a token may be sent there: encrypted, or to this machine. */
export function isTrustworthy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.protocol === 'https:' || (url.protocol === 'http:' && leadsToLoopback(url));
}

function isEnterpriseCloud(hostname: string): boolean {
  return hostname.endsWith('.ghe.com');
}

function apiOf(web: string): string {
  const { protocol, host, hostname } = new URL(web);
  if (web === PUBLIC_URL || isEnterpriseCloud(hostname)) return `${protocol}//api.${host}`;
  return `${web}/api/v3`;
}

function addressOf(text: string): string {
  if (isTrustworthy(text)) return withoutEndSlashes(text);
  throw new SvcError('USAGE', `invalid GitHub URL "${text}"`, {
    hint: 'use an https URL such as https://acme.ghe.com',
  });
}
