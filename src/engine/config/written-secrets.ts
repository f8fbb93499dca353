import { type ConfigPath, isRecord } from './config-path.js';
import { isSecretPath } from './mask.js';
import {
  parseSecret,
  type SecretDefaults,
  type SecretInput,
  type SecretValue,
} from './secret-input.js';

/** A secret where a configuration has it. */
export interface WrittenSecret {
  readonly path: ConfigPath;
  readonly secret: SecretInput;
  /** It is the name and password of an address; the value is what stands before the `@`. */
  readonly inAddress: boolean;
}

const ADDRESS_LOGIN = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)@/iu;

/**
 * Every secret of a configuration, references and plain text alike, in the order of the file.
 *
 * @param input what the file says; parts that are not as the schema has them are passed over
 * @param defaults aliases for references that name none
 */
export function writtenSecrets(
  input: unknown,
  defaults: SecretDefaults,
  path: ConfigPath = [],
): readonly WrittenSecret[] {
  if (isSecretPath(path)) {
    if (!isSecretValue(input)) return [];
    // Other programs get these variables as they are written.
    const secret: SecretInput =
      path.at(-2) === 'env' && typeof input === 'string'
        ? { kind: 'plain', value: input }
        : parseSecret(input, defaults);
    return [{ path, secret, inAddress: false }];
  }
  if (typeof input === 'string') {
    const value = ADDRESS_LOGIN.exec(input)?.[1];
    if (value === undefined) return [];
    return [{ path, secret: { kind: 'plain', value }, inAddress: true }];
  }
  if (Array.isArray(input)) {
    return input.flatMap((item, at) => writtenSecrets(item, defaults, [...path, at]));
  }
  if (!isRecord(input)) return [];
  return Object.entries(input).flatMap(([key, item]) =>
    writtenSecrets(item, defaults, [...path, key]),
  );
}

/**
 * The values of the secrets that stand in the configuration itself. Of an address the whole login,
 * and the password alone as other programs are told it.
 */
export function plainSecrets(input: unknown, defaults: SecretDefaults): readonly string[] {
  return writtenSecrets(input, defaults).flatMap(({ secret, inAddress }) => {
    if (secret.kind !== 'plain') return [];
    if (!inAddress) return [secret.value];
    const password = secret.value.slice(secret.value.indexOf(':') + 1);
    return [secret.value, password, decoded(password)];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isSecretValue(value: unknown): value is SecretValue {
  if (typeof value === 'string') return true;
  if (!isRecord(value)) return false;
  const { source, provider, id } = value;
  return (
    (source === 'env' || source === 'file' || source === 'exec') &&
    (provider === undefined || typeof provider === 'string') &&
    typeof id === 'string'
  );
}
