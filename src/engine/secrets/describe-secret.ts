import type { SecretInput } from '../config/index.js';

/** The alias that goes without saying for variables. */
const USUAL_ALIAS = 'default';

/**
 * How a secret is spoken of, without its value: `env OPENAI_API_KEY`, `file vault:/providers/openai`,
 * `exec pass:api/key`, `plain text`.
 */
export function describeSecret(input: SecretInput): string {
  if (input.kind === 'plain') return 'plain text';
  const { source, provider, id } = input;
  if (source === 'env' && provider === USUAL_ALIAS) return `env ${id}`;
  return `${source} ${provider}:${id}`;
}
