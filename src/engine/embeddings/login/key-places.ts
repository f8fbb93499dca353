import { type AdapterId, adapterOf } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';

/** The only adapter whose credential is a login. */
const WITH_LOGIN = 'github-copilot' satisfies AdapterId;

const keyIn = (variable: string, id: AdapterId): string =>
  `set ${variable}, or models.providers.${id}.apiKey in the configuration`;

/** Where the credential of an adapter comes from, for those who look for a login (spec §5). */
const KEY_PLACES: Readonly<Record<Exclude<AdapterId, typeof WITH_LOGIN>, string>> = {
  bedrock: 'it uses the credentials of AWS: environment, profile or role; "aws sso login" signs in',
  deepinfra: keyIn('DEEPINFRA_API_KEY', 'deepinfra'),
  gemini: keyIn('GEMINI_API_KEY', 'gemini'),
  lmstudio: 'it needs no key, unless LM Studio asks for one: then set LM_API_TOKEN',
  local: 'it runs on this machine and needs no key',
  mistral: keyIn('MISTRAL_API_KEY', 'mistral'),
  ollama: 'it needs no key',
  openai: keyIn('OPENAI_API_KEY', 'openai'),
  voyage: keyIn('VOYAGE_API_KEY', 'voyage'),
};

/**
 * The adapter with a login that a name stands for.
 *
 * @throws SvcError PROVIDER_UNKNOWN, or USAGE with the place for a key where there is no login
 */
export function providerWithLogin(name: string): typeof WITH_LOGIN {
  const id = adapterOf(name);
  if (id === WITH_LOGIN) return WITH_LOGIN;
  if (id === undefined) {
    throw new SvcError('PROVIDER_UNKNOWN', `there is no provider "${name}" to sign in to`, {
      hint: `${WITH_LOGIN} is the one with a login`,
    });
  }
  throw new SvcError('USAGE', `${id} has no login`, { hint: KEY_PLACES[id] });
}
