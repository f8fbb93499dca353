/** Where a secret's value is kept. */
export type SecretSource = 'env' | 'file' | 'exec';

/** A secret as configured: its value in plain text, or where to get it. Never resolved here. */
export type SecretInput =
  | { readonly kind: 'plain'; readonly value: string }
  | {
      readonly kind: 'reference';
      readonly source: SecretSource;
      /** Alias of a `secrets.providers` entry. */
      readonly provider: string;
      /** Variable name, JSON pointer or command-side id, by source. */
      readonly id: string;
    };

/** The forms in which a file may write a secret (spec/webhooks §2, spec/memory-search §2.2). */
export type SecretValue =
  | string
  | { readonly source: SecretSource; readonly provider?: string | undefined; readonly id: string };

/** Provider aliases that stand in when a reference names none (`secrets.defaults`). */
export type SecretDefaults = Readonly<Record<SecretSource, string>>;

/** Names of environment variables that a reference may use. */
export const ENV_NAME = /^[A-Z][A-Z0-9_]{0,127}$/u;

const STRING_REFERENCE = /^(?:env:(.*)|\$\{(.*)\}|secretref-env:(.*))$/su;

/**
 * The variable named by a string of the form `env:NAME`, `${NAME}` or `secretref-env:NAME`;
 * undefined for a plain string. The name is not checked.
 */
export function referencedVariable(text: string): string | undefined {
  const match = STRING_REFERENCE.exec(text);
  return match === null ? undefined : (match[1] ?? match[2] ?? match[3]);
}

/** Reads a configured secret; aliases left out come from `secrets.defaults`. */
export function parseSecret(value: SecretValue, defaults: SecretDefaults): SecretInput {
  if (typeof value !== 'string') {
    const provider = value.provider ?? defaults[value.source];
    return { kind: 'reference', source: value.source, provider, id: value.id };
  }
  const id = referencedVariable(value);
  if (id === undefined) return { kind: 'plain', value };
  return { kind: 'reference', source: 'env', provider: defaults.env, id };
}
