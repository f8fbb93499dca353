import { existsSync } from 'node:fs';
import type { SecretInput } from '../config/index.js';
import type { Provider } from '../providers/provider.js';
import { LOGIN_SOURCE } from '../providers/provider-error.js';
import { canonicalProvider, isCustomAddress, PROVIDERS } from '../providers/registry.js';
import { envLookup, findProvider, type SecretContext, SecretFault } from '../secrets/index.js';

/** Where a provider's key is; the key itself is not read. */
export type CredentialPlace =
  | { readonly state: 'found'; readonly input: SecretInput; readonly source: string }
  /** A stored login replaces a key. */
  | { readonly state: 'login'; readonly source: string }
  /**
   * The provider works without a key, and none is set. `withheld` names a variable that is set but
   * only sent to the vendor's own address.
   */
  | { readonly state: 'not_needed'; readonly withheld?: string }
  | { readonly state: 'missing'; readonly hint: string };

/** A vendor with its own address. */
type KeyOwner = Pick<Provider, 'endpoint' | 'key' | 'ownOrigins'>;

interface CredentialQuestion {
  readonly provider: string;
  readonly vendor: { readonly id: string } & KeyOwner;
  /** `remote.apiKey`, for the provider that `remote` is about. */
  readonly remoteKey: SecretInput | undefined;
  readonly entry: { readonly id: string; readonly apiKey?: SecretInput | undefined } | undefined;
  /** Where requests go, if that is set: by default to the vendor's own address. */
  readonly address: string | undefined;
  /** Folder of stored logins; undefined if logins do not count. */
  readonly stateDir?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds a provider's key: `remote.apiKey`, then its `models.providers` entry, then the environment.
 *
 * A vendor's environment variable or login is only sent to the vendor's own address: svc.json may
 * come with a downloaded folder, and setting an address there must not be enough to receive the key,
 * whatever the entry is called and whichever API it names.
 */
export function findCredential(question: CredentialQuestion): CredentialPlace {
  const { provider, vendor, remoteKey, entry, address, stateDir, env } = question;
  if (remoteKey !== undefined) return { state: 'found', input: remoteKey, source: 'remote.apiKey' };
  if (entry?.apiKey !== undefined) {
    return { state: 'found', input: entry.apiKey, source: `models.providers.${entry.id}.apiKey` };
  }
  const { key } = vendor;
  const isOfVendor = canonicalProvider(provider) === vendor.id;
  const names = isOfVendor ? key.variables : [variableOf(provider)];
  const setVariable = names.find((name) => (env[name] ?? '').trim() !== '');
  const owner = [vendor, ...Object.values<KeyOwner>(PROVIDERS)].find(
    (one) => setVariable !== undefined && one.key.variables.includes(setVariable),
  );
  const isWithheld =
    owner !== undefined && !mayReceiveKey(owner, address ?? vendor.endpoint ?? undefined);
  if (setVariable !== undefined && !isWithheld) {
    const input = {
      kind: 'reference',
      source: 'env',
      provider: 'default',
      id: setVariable,
    } as const;
    return { state: 'found', input, source: `env ${setVariable}` };
  }
  const customEndpoint = isCustomAddress(vendor, address);
  const login =
    isOfVendor && !customEndpoint && stateDir !== undefined ? key.loginFile?.(stateDir) : undefined;
  if (login !== undefined && existsSync(login)) return { state: 'login', source: LOGIN_SOURCE };
  if (!key.required || customEndpoint || isWithheld) {
    return { state: 'not_needed', ...(setVariable === undefined ? {} : { withheld: setVariable }) };
  }
  const signIn = login === undefined ? '' : `run "svc provider login ${provider}", or `;
  return {
    state: 'missing',
    hint: `${signIn}set ${names.join(' or ')}, or models.providers.${provider}.apiKey`,
  };
}

/** Whether a key of the environment is sent to an address; undefined is the vendor's own. */
function mayReceiveKey(owner: KeyOwner, address: string | undefined): boolean {
  const { sentTo } = owner.key;
  if (sentTo === undefined) return !isCustomAddress(owner, address);
  return address !== undefined && URL.canParse(address) && sentTo.test(new URL(address).origin);
}

/** The environment variable of a custom provider: `corp-eu` reads `CORP_EU_API_KEY`. */
function variableOf(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, '_')}_API_KEY`;
}

/**
 * Why a configured key has no value, as far as can be known without reading a file or running a
 * program; undefined if it has one, or may have one.
 */
export function whyNoValue(
  input: SecretInput,
  settings: SecretContext['settings'],
  env: SecretContext['env'],
): string | undefined {
  if (input.kind === 'plain') return input.value.trim() === '' ? 'the key is blank' : undefined;
  const { source, provider: alias, id } = input;
  try {
    const provider = findProvider({ source, provider: alias, ids: [id] }, settings);
    switch (provider.source) {
      case 'env': {
        const value = envLookup(provider, alias, env)(id);
        if (value instanceof SecretFault) return value.message;
        return value.trim() === '' ? 'the variable is blank' : undefined;
      }
      case 'file':
        return existsSync(provider.path) ? undefined : `${provider.path} does not exist`;
      case 'exec':
        return undefined;
    }
  } catch (error) {
    if (error instanceof SecretFault) return error.message;
    throw error;
  }
}
