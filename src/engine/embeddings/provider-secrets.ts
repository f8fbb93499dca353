import type { SecretInput } from '../config/index.js';
import { resolveSecret } from '../secrets/index.js';
import type { ProviderWorld } from './choose-provider.js';

/** Reads a secret, wherever it is kept. @throws SvcError SECRET_*; the signal's reason */
export type ReadSecret = (input: SecretInput) => Promise<string>;

/** How the secrets of providers are read. */
export function secretReader(
  { env, config, onSecret }: Pick<ProviderWorld, 'config' | 'env' | 'onSecret'>,
  signal: AbortSignal,
): ReadSecret {
  return (input) => resolveSecret(input, { env, settings: config.secrets, signal, onSecret });
}

/** The configured headers of a provider, each of which may be a secret. */
export async function readHeaders(
  headers: Readonly<Record<string, SecretInput>>,
  read: ReadSecret,
): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    await Promise.all(entries.map(async ([name, value]) => [name, await read(value)] as const)),
  );
}
