import type { Inquiry, SecretContext, SecretProvider } from './secret-context.js';
import { placeOf, SecretFault } from './secret-fault.js';

/**
 * The provider that an alias stands for. The usual alias of variables needs no entry (facts §3.2).
 *
 * @throws SecretFault where there is none, or one of another source
 */
export function findProvider(
  { source, provider: alias }: Inquiry,
  settings: SecretContext['settings'],
): SecretProvider {
  // "constructor" is a valid alias.
  const provider = Object.hasOwn(settings.providers, alias) ? settings.providers[alias] : undefined;
  if (provider === undefined) {
    if (source === 'env' && alias === settings.defaults.env) return { source };
    throw new SecretFault(
      `there is no secret provider "${alias}"`,
      `declare ${placeOf(alias)} with source "${source}"${orAnother(source, settings)}`,
    );
  }
  if (provider.source === source) return provider;
  throw new SecretFault(
    `the secret provider "${alias}" is of source "${provider.source}", not "${source}"`,
    `write "source": "${provider.source}" in the reference${orAnother(source, settings)}`,
  );
}

function orAnother(source: Inquiry['source'], settings: SecretContext['settings']): string {
  const fitting = Object.entries(settings.providers)
    .filter(([, provider]) => provider.source === source)
    .map(([alias]) => alias);
  return fitting.length === 0 ? '' : `, or name another provider: ${fitting.join(', ')}`;
}
