import type { ResolvedMemorySearch, SecretInput } from '../config/index.js';
import { describeSecret } from '../secrets/describe-secret.js';
import { availability, type ProviderChoice, type ProviderWorld } from './choose-provider.js';

/** Where a provider's key is, for people and programs; never the key. */
export interface CredentialView {
  readonly state: 'found' | 'missing' | 'not_needed';
  /** As `env OPENAI_API_KEY`, `remote.apiKey (file vault:/openai)`; null when there is none. */
  readonly source: string | null;
  /** Whether there is a value; null where only reading a file or running a program would tell. */
  readonly set: boolean | null;
  /** What to do for one; null when there is one, or none is needed. */
  readonly mend: string | null;
}

/** Looks at the environment and at which files there are; reads no secret and asks nobody. */
export function credentialView(
  choice: ProviderChoice,
  settings: ResolvedMemorySearch,
  world: ProviderWorld,
): CredentialView {
  const { adapter, credential } = choice;
  if (credential.state === 'found') {
    return { state: 'found', ...sourceOf(credential.source, credential.input, world), mend: null };
  }
  if (credential.state === 'login') {
    return { state: 'found', source: credential.source, set: true, mend: null };
  }
  // It has ways of its own besides a key.
  if (adapter === 'bedrock') {
    const found = availability(adapter, settings, world);
    if (found.available) return { state: 'found', source: found.because, set: true, mend: null };
    return { state: 'missing', source: null, set: false, mend: found.why };
  }
  return credential.state === 'missing'
    ? { state: 'missing', source: null, set: false, mend: credential.mend }
    : { state: 'not_needed', source: null, set: null, mend: null };
}

function sourceOf(
  place: string,
  input: SecretInput,
  { env }: ProviderWorld,
): { readonly source: string; readonly set: boolean | null } {
  if (input.kind === 'plain') return { source: place, set: input.value !== '' };
  const reference = describeSecret(input);
  const source = place === reference ? place : `${place} (${reference})`;
  if (input.source !== 'env') return { source, set: null };
  return { source, set: (env[input.id] ?? '') !== '' };
}
