import { MASK } from '../masking/index.js';
import { isRecord, percentDecoded } from '../support/text.js';
import type { ConfigPath } from './config-path.js';

/** Where a secret is stored. */
type SecretSource = 'env' | 'file' | 'exec';

/** A configured secret: plain text or a reference, never resolved here. */
export type SecretInput =
  | { readonly kind: 'plain'; readonly value: string }
  | {
      readonly kind: 'reference';
      readonly source: SecretSource;
      /** Alias of a `secrets.providers` entry. */
      readonly provider: string;
      /** Variable name, JSON pointer or command id, depending on the source. */
      readonly id: string;
    };

/** How a file can specify a secret (spec/webhooks §2, spec/memory-search §2.2). */
export type SecretValue =
  | string
  | { readonly source: SecretSource; readonly provider?: string | undefined; readonly id: string };

/** Provider aliases for references without one (`secrets.defaults`). */
export type SecretDefaults = Readonly<Record<SecretSource, string>>;

/** Shorter secrets are easy to guess (spec/webhooks §2). */
export const LEAST_SECRET_CHARS = 24;

/** Environment variables that a reference can use. */
export const ENV_NAME = /^[A-Z][A-Z0-9_]{0,127}$/u;

const STRING_REFERENCE = /^(?:env:(.*)|\$\{(.*)\}|secretref-env:(.*))$/su;

/**
 * The variable in `env:NAME`, `${NAME}` or `secretref-env:NAME`; undefined for plain text. Does not
 * check the name.
 */
export function referencedVariable(text: string): string | undefined {
  const match = STRING_REFERENCE.exec(text);
  return match === null ? undefined : (match[1] ?? match[2] ?? match[3]);
}

/** The same if it is a name that a reference can use. */
export function usableVariable(text: string): string | undefined {
  const name = referencedVariable(text);
  return name !== undefined && ENV_NAME.test(name) ? name : undefined;
}

/** Parses a configured secret; missing aliases come from `secrets.defaults`. */
function parseSecret(value: SecretValue, defaults: SecretDefaults): SecretInput {
  if (typeof value !== 'string') {
    const provider = value.provider ?? defaults[value.source];
    return { kind: 'reference', source: value.source, provider, id: value.id };
  }
  const id = referencedVariable(value);
  if (id === undefined) return { kind: 'plain', value };
  return { kind: 'reference', source: 'env', provider: defaults.env, id };
}

/** Headers and variables for other programs count as secret, since they often contain tokens. */
type SecretKind = 'header' | 'secret' | 'variable';

type SecretTree = SecretKind | { readonly [key: string]: SecretTree };

const REMOTE: SecretTree = { apiKey: 'secret', headers: { '*': 'header' } };
const SEARCH: SecretTree = {
  memorySearch: { remote: REMOTE, query: { rerank: { remote: REMOTE } } },
};
const ROUTE: SecretTree = {
  secret: 'secret',
  verify: { secrets: { '*': 'secret' } },
  callback: { secret: 'secret' },
};

/** Where a configuration has secrets (`*` is any key or list position). */
const SECRETS: SecretTree = {
  agents: { defaults: SEARCH, list: { '*': SEARCH } },
  models: { providers: { '*': REMOTE } },
  plugins: { entries: { webhooks: { config: { routes: { '*': ROUTE } } } } },
  flows: {
    notify: { secret: 'secret', targets: { '*': { secret: 'secret' } } },
    runtimes: { '*': { env: { '*': 'variable' } } },
  },
  secrets: { providers: { '*': { env: { '*': 'variable' } } } },
  storage: { url: 'secret' },
};

export function isSecretPath(path: ConfigPath): boolean {
  return secretKind(path) !== undefined;
}

/** Undefined where there is no secret. */
function secretKind(path: ConfigPath): SecretKind | undefined {
  const tree = secretsAt(path);
  return typeof tree === 'string' ? tree : undefined;
}

function secretsAt(path: ConfigPath): SecretTree | undefined {
  return path.reduce(secretsBelow, SECRETS);
}

function secretsBelow(
  tree: SecretTree | undefined,
  key: ConfigPath[number],
): SecretTree | undefined {
  if (tree === undefined || typeof tree === 'string') return undefined;
  return Object.hasOwn(tree, key) ? tree[key] : tree['*'];
}

/** Whether this is where requests of a webhook route are verified with a secret. */
export function isRouteSecret(path: ConfigPath): boolean {
  return path[0] === 'plugins' && path[4] === 'routes' && path[6] !== 'callback';
}

/** Settings with their secrets parsed, but not resolved. */
export type ParsedSecrets<T> = unknown extends T
  ? T
  : SecretValue extends T
    ? SecretInput | Extract<T, undefined>
    : T extends string | number | boolean | null | undefined
      ? T
      : { readonly [K in keyof T]: ParsedSecrets<T[K]> };

/** Copies settings with their secrets parsed. */
export function parseSecrets<T>(settings: T, defaults: SecretDefaults): ParsedSecrets<T> {
  // The type has secrets where SECRETS has them.
  return mapSecrets(settings, SECRETS, (value, kind) => {
    return isSecretValue(value) && kind !== 'variable' ? parseSecret(value, defaults) : value;
  }) as ParsedSecrets<T>;
}

/**
 * Copies plain JSON data with secrets masked. References (`env:NAME`, `${NAME}`, a SecretRef) stay
 * readable.
 *
 * @param path location of the value in the configuration
 */
export function maskSecrets(value: unknown, path: ConfigPath = []): unknown {
  return mapSecrets(value, secretsAt(path), maskSecret);
}

function mapSecrets(
  value: unknown,
  tree: SecretTree | undefined,
  replace: (secret: unknown, kind: SecretKind) => unknown,
): unknown {
  if (tree === undefined) return value;
  if (typeof tree === 'string') return replace(value, tree);
  const mapItem = (item: unknown, key: string | number) =>
    mapSecrets(item, secretsBelow(tree, key), replace);
  if (Array.isArray(value)) return value.map(mapItem);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapItem(item, key)]));
}

function maskSecret(value: unknown): unknown {
  if (typeof value === 'string') return usableVariable(value) === undefined ? MASK : value;
  if (!isRecord(value)) return value === undefined ? undefined : MASK;
  // A parsed SecretInput is shown as it is written in a file.
  const { kind, ...reference } = value;
  return kind === 'plain' ? MASK : reference;
}

interface WrittenSecret {
  readonly path: ConfigPath;
  /** A program gets a variable as it is written. */
  readonly kind: SecretKind;
  readonly secret: SecretInput;
  /** The user name and password in a URL. */
  readonly inAddress: boolean;
}

const ADDRESS_LOGIN = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)@/iu;

/**
 * Every secret of a configuration, both references and plain text.
 *
 * @param input content of the file; invalid parts are skipped
 * @param defaults aliases for references without one
 */
export function writtenSecrets(
  input: unknown,
  defaults: SecretDefaults,
  path: ConfigPath = [],
): readonly WrittenSecret[] {
  const kind = secretKind(path);
  if (kind !== undefined) {
    if (!isSecretValue(input)) return [];
    const secret: SecretInput =
      kind === 'variable' && typeof input === 'string'
        ? { kind: 'plain', value: input }
        : parseSecret(input, defaults);
    return [{ path, kind, secret, inAddress: false }];
  }
  if (typeof input === 'string') {
    const value = ADDRESS_LOGIN.exec(input)?.[1];
    if (value === undefined) return [];
    return [{ path, kind: 'secret', secret: { kind: 'plain', value }, inAddress: true }];
  }
  if (Array.isArray(input)) {
    return input.flatMap((item, at) => writtenSecrets(item, defaults, [...path, at]));
  }
  if (!isRecord(input)) return [];
  return Object.entries(input).flatMap(([key, item]) =>
    writtenSecrets(item, defaults, [...path, key]),
  );
}

/** The plain-text secrets of a configuration; for a URL, the whole login and the password. */
export function plainSecrets(input: unknown, defaults: SecretDefaults): readonly string[] {
  return writtenSecrets(input, defaults).flatMap(({ secret, inAddress }) => {
    if (secret.kind !== 'plain') return [];
    if (!inAddress) return [secret.value];
    const password = secret.value.slice(secret.value.indexOf(':') + 1);
    return [secret.value, password, percentDecoded(password)];
  });
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
