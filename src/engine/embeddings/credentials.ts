import type { AdapterId, SecretInput } from '../config/index.js';

/** Those whose keys are known here: the embedding adapters, and who only answers in words. */
export type KeyedVendor = AdapterId | 'anthropic';

/** Environment variables that hold a vendor's key, first found first (spec/memory-search §5). */
const CREDENTIAL_VARIABLES: Readonly<Record<KeyedVendor, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  bedrock: [],
  deepinfra: ['DEEPINFRA_API_KEY', 'DEEPINFRA_TOKEN'],
  gemini: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  'github-copilot': ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  lmstudio: ['LMSTUDIO_API_KEY', 'LM_API_TOKEN'],
  local: [],
  mistral: ['MISTRAL_API_KEY'],
  ollama: ['OLLAMA_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  voyage: ['VOYAGE_API_KEY'],
};

/** Where a provider's key is, before it is read. */
export type CredentialPlace =
  | { readonly state: 'found'; readonly input: SecretInput; readonly source: string }
  /** A stored login stands in for a key. */
  | { readonly state: 'login'; readonly source: string }
  /** This provider works without a key, and none was given. */
  | { readonly state: 'not_needed' }
  | { readonly state: 'missing'; readonly mend: string };

/** What the search for a key looks at. */
export interface CredentialQuestion {
  readonly provider: string;
  readonly adapter: KeyedVendor;
  /** `remote.apiKey`, for the provider that `remote` is about. */
  readonly remoteKey: SecretInput | undefined;
  /** `models.providers.<provider>.apiKey`. */
  readonly entryKey: SecretInput | undefined;
  /** Whether requests go to an address of the configuration, not to the vendor's own. */
  readonly customEndpoint: boolean;
  /** Whether a login of `github-copilot` is stored. */
  readonly hasLogin: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Adapters whose endpoint may take requests without any key. */
const KEYLESS: ReadonlySet<KeyedVendor> = new Set(['bedrock', 'lmstudio', 'local', 'ollama']);

/**
 * Finds a provider's key: `remote.apiKey`, then that of its `models.providers` entry, then the
 * environment.
 *
 * A vendor's variable is for the vendor's own address: svc.json may come with a folder that somebody
 * else made, and naming an address there must not be enough to be sent the key.
 */
export function findCredential(question: CredentialQuestion): CredentialPlace {
  const { provider, adapter, remoteKey, entryKey, customEndpoint, hasLogin, env } = question;
  if (remoteKey !== undefined) return { state: 'found', input: remoteKey, source: 'remote.apiKey' };
  if (entryKey !== undefined) {
    return { state: 'found', input: entryKey, source: `models.providers.${provider}.apiKey` };
  }
  const own = provider === adapter;
  const names = own ? CREDENTIAL_VARIABLES[adapter] : [variableOf(provider)];
  const set = names.find((name) => (env[name] ?? '') !== '');
  // Ollama's variable is a placeholder as a rule, and its adapter knows where it is not one.
  const withheld = own && customEndpoint && adapter !== 'ollama';
  if (set !== undefined && !withheld) {
    const input = { kind: 'reference', source: 'env', provider: 'default', id: set } as const;
    return { state: 'found', input, source: `env ${set}` };
  }
  if (own && adapter === 'github-copilot' && hasLogin) {
    return { state: 'login', source: 'svc provider login' };
  }
  if (KEYLESS.has(adapter) || customEndpoint) return { state: 'not_needed' };
  return {
    state: 'missing',
    mend: `set ${names.join(' or ')}, or models.providers.${provider}.apiKey`,
  };
}

/** The variable of a provider of one's own: `corp-eu` is `CORP_EU_API_KEY`. */
function variableOf(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, '_')}_API_KEY`;
}
