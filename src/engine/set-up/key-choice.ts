import { ENV_NAME, referencedVariable } from '../config/secret-input.js';
import { chooseNamed } from '../embeddings/choose-provider.js';
import type { AgentProviders } from '../embeddings/provider-world.js';
import { SvcError } from '../errors/index.js';

/** Where the key of the chosen provider comes from. */
export type KeyChoice =
  /** None is needed, or the configuration has one. */
  | { readonly kind: 'as-it-is' }
  /** A variable of the environment. */
  | { readonly kind: 'variable'; readonly name: string }
  /** Given now; it goes into the file of secrets. */
  | { readonly kind: 'given'; readonly value: string };

/** What a provider has for a key by now. */
export type KeyState =
  | KeyChoice
  | { readonly kind: 'missing'; readonly mend: string }
  /** An endpoint of the configuration: only whoever runs it knows. */
  | { readonly kind: 'unknown' };

/** Their variables are placeholders, and would be sent elsewhere if the configuration named them. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(['lmstudio', 'ollama']);
const WITHOUT_KEY: ReadonlySet<string> = new Set([...PLACEHOLDERS, 'bedrock', 'local']);

/**
 * What there is for a provider without asking anybody.
 *
 * @throws SvcError PROVIDER_UNKNOWN
 */
export function keyState(
  name: string,
  { settings, world }: Pick<AgentProviders, 'settings' | 'world'>,
): KeyState {
  const { credential, adapter } = chooseNamed(name, settings, world);
  if (credential.state === 'missing') return { kind: 'missing', mend: credential.mend };
  if (credential.state === 'not_needed' && !WITHOUT_KEY.has(adapter)) return { kind: 'unknown' };
  if (credential.state !== 'found' || PLACEHOLDERS.has(adapter)) return { kind: 'as-it-is' };
  const { input, source } = credential;
  const isFromEnvironment = input.kind === 'reference' && source === `env ${input.id}`;
  return isFromEnvironment ? { kind: 'variable', name: input.id } : { kind: 'as-it-is' };
}

/** A variable to take the key from. @throws SvcError USAGE when it cannot be the name of one */
export function variableKey(name: string): KeyChoice {
  if (ENV_NAME.test(name)) return { kind: 'variable', name };
  throw new SvcError('USAGE', 'the name of a variable is made of capitals, digits and _', {
    hint: 'name the variable, as OPENAI_API_KEY; a key itself goes to --key-stdin',
  });
}

/**
 * A key as somebody gave it; `env:NAME` is taken for what it says.
 *
 * @throws SvcError USAGE; tells nothing of the text
 */
export function givenKey(text: string): KeyChoice {
  const value = text.trim();
  const name = referencedVariable(value);
  if (name !== undefined) return variableKey(name);
  if (value !== '' && !/[\s\p{Cc}]/u.test(value)) return { kind: 'given', value };
  const message = value === '' ? 'there is no key' : 'a key is one word without blanks';
  throw new SvcError('USAGE', message, { hint: 'copy it anew, without what stands around it' });
}
