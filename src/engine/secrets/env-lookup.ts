import type { EnvProvider, SecretContext } from './secret-context.js';
import { placeOf, SecretFault, type SecretLookup } from './secret-fault.js';

/** Looks up variables that the provider allows. */
export function envLookup(
  provider: EnvProvider,
  alias: string,
  env: SecretContext['env'],
): SecretLookup {
  const { allowlist } = provider;
  return (name) => {
    if (allowlist !== undefined && !allowlist.includes(name)) {
      return new SecretFault(
        `the secret provider "${alias}" does not allow this variable`,
        `add "${name}" to ${placeOf(alias)}.allowlist`,
      );
    }
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    return new SecretFault(
      value === undefined ? 'the variable is not set' : 'the variable is empty',
      `set ${name} in the environment that svc runs in`,
    );
  };
}
