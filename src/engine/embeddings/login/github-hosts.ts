import { SvcError } from '../../errors/index.js';

/** Where GitHub is: github.com, or the one of an enterprise. No slash at the end. */
export interface GithubHosts {
  /** What a person signs in at. */
  readonly webUrl: string;
  readonly apiUrl: string;
}

/** What a person may say about it: `SVC_GITHUB_URL` and `SVC_GITHUB_API_URL`. */
export interface GithubHostSettings {
  readonly webUrl?: string | undefined;
  readonly apiUrl?: string | undefined;
}

const PUBLIC_URL = 'https://github.com';

/**
 * The hosts for a setting. The API of an enterprise is found by its address: `api.` before a host
 * of `ghe.com`, `/api/v3` on a server of one's own (GitHub Docs, "About GitHub Enterprise").
 *
 * @throws SvcError USAGE for what is no https address
 */
export function githubHosts({ webUrl, apiUrl }: GithubHostSettings): GithubHosts {
  const web = addressOf(webUrl ?? PUBLIC_URL);
  return { webUrl: web, apiUrl: apiUrl === undefined ? apiOf(web) : addressOf(apiUrl) };
}

/** The hosts as the environment has them, for work that nobody gives flags to. */
export function githubHostsIn(env: Readonly<Record<string, string | undefined>>): GithubHosts {
  return githubHosts({
    webUrl: env['SVC_GITHUB_URL'] || undefined,
    apiUrl: env['SVC_GITHUB_API_URL'] || undefined,
  });
}

/** Where Copilot answers when its token does not say it. */
export function defaultCopilotUrl(apiUrl: string): string {
  const { hostname } = new URL(apiUrl);
  return isEnterpriseCloud(hostname)
    ? `https://copilot-${hostname}`
    : 'https://api.githubcopilot.com';
}

/** Whether a token may be sent there: encrypted, or to this very machine. */
export function isTrustworthy(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

function isEnterpriseCloud(hostname: string): boolean {
  return hostname.endsWith('.ghe.com');
}

function apiOf(web: string): string {
  const { protocol, host, hostname } = new URL(web);
  if (web === PUBLIC_URL || isEnterpriseCloud(hostname)) return `${protocol}//api.${host}`;
  return `${web}/api/v3`;
}

function addressOf(text: string): string {
  if (isTrustworthy(text)) return text.replace(/\/+$/u, '');
  throw new SvcError('USAGE', `"${text}" is no address of a GitHub`, {
    hint: 'give a whole address with https, as https://acme.ghe.com',
  });
}
