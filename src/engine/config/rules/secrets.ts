import { PROVIDERS } from '../../providers/registry.js';
import { isPostgresUrl } from '../../support/network.js';
import { suggestName } from '../../support/text.js';
import type { ConfigPath } from '../config-path.js';
import { CONFIG_DEFAULTS } from '../defaults.js';
import { mergeSettings } from '../merge-settings.js';
import type { ConfigInput } from '../schema/index.js';
import {
  isRouteSecret,
  LEAST_SECRET_CHARS,
  referencedVariable,
  usableVariable,
  writtenSecrets,
} from '../secret-input.js';
import { fault, followProvider, type Rule, type SearchScope, warning } from './rule.js';

/**
 * Plain-text secrets should be long, and none should be the name of a variable. Ignores header values (mostly not
 * secret), and the length of the keys of self-hosted adapters, which are placeholders (spec/memory-search §5).
 */
export const secretsAreStrong: Rule = function* (input, scopes) {
  for (const { path, kind, secret, inAddress } of writtenSecrets(
    input,
    CONFIG_DEFAULTS.secrets.defaults,
  )) {
    if (secret.kind !== 'plain' || inAddress || kind !== 'secret') continue;
    const [, variable] = SHELL_VARIABLE.exec(secret.value) ?? [];
    if (variable !== undefined) {
      yield warning('weak-secret', path, {
        message: `this is plain text, not the value of ${variable}`,
        expected: `"env:${variable}"`,
      });
      continue;
    }
    if (secret.value.length >= LEAST_SECRET_CHARS || !shouldBeLong(path, input, scopes)) continue;
    yield warning('weak-secret', path, {
      message: `this plain-text secret has fewer than ${LEAST_SECRET_CHARS} characters`,
      expected: `${LEAST_SECRET_CHARS} characters or more or, better, a reference like env:NAME`,
    });
  }
};

/** A variable as shells write it, and some programs in their configurations. */
const SHELL_VARIABLE = /^\$([A-Z][A-Z0-9_]*)$/u;

function shouldBeLong(
  path: ConfigPath,
  input: ConfigInput,
  scopes: readonly SearchScope[],
): boolean {
  const [root, , id] = path;
  if (root === 'storage') return false;
  if (path.at(-1) !== 'apiKey') return true;
  if (root === 'models') return !isSelfHosted(input, String(id));
  const settings = scopes.find((scope) => scope.concerns(path))?.settings;
  return path.includes('rerank')
    ? settings?.query.rerank.provider !== 'compatible'
    : settings === undefined || !isSelfHosted(input, settings.provider);
}

/** Every command would refuse it. */
export const serverUrlIsOfPostgres: Rule = function* ({ storage }) {
  const url = storage?.url;
  if (typeof url !== 'string' || referencedVariable(url) !== undefined) return;
  if (isPostgresUrl(url)) return;
  yield fault('invalid-value', ['storage', 'url'], {
    message: '"url" must start with postgres:// or postgresql://',
    expected: 'a URL like postgres://HOST:5432/DATABASE or a reference like env:SVC_DATABASE_URL',
  });
};

/** With the password, anyone who reads the file could log in to the server of all hosts. */
export const serverPasswordIsReference: Rule = function* ({ storage }) {
  const url = storage?.url;
  if (typeof url !== 'string' || !URL.canParse(url)) return;
  const { password, searchParams } = new URL(url);
  if (password === '' && !searchParams.has('password')) return;
  yield warning('plain-password', ['storage', 'url'], {
    message: 'this URL contains a password in plain text',
    expected: 'a reference like env:SVC_DATABASE_URL',
  });
};

/** Programs get their variables as they are written, unlike what reads secrets. */
export const variablesAreNoReferences: Rule = function* (input) {
  for (const { path, kind, secret } of writtenSecrets(input, CONFIG_DEFAULTS.secrets.defaults)) {
    if (kind !== 'variable' || secret.kind !== 'plain') continue;
    const name = usableVariable(secret.value);
    if (name === undefined) continue;
    yield warning('variable-is-reference', path, {
      // Without the text, which is masked like any value here.
      message: `the program gets this reference as it is written, not the value of ${name}`,
      expected:
        path[0] === 'secrets' ? `${JSON.stringify(name)} in passEnv instead` : 'the value itself',
    });
  }
};

function isSelfHosted(input: ConfigInput, provider: string): boolean {
  const target = followProvider(input, provider);
  return target.kind === 'adapter' && PROVIDERS[target.adapter].runsOn !== 'vendor';
}

/**
 * A reference needs a declared provider of the same source; only environment variables need none. A route without
 * one is skipped, and nothing else is (spec/webhooks §2).
 */
export const secretProvidersAreKnown: Rule = function* (input) {
  const aliases = mergeSettings(CONFIG_DEFAULTS.secrets.defaults, input.secrets?.defaults);
  const providers = new Map(Object.entries(input.secrets?.providers ?? {}));
  for (const { path, secret } of writtenSecrets(input, aliases)) {
    if (secret.kind !== 'reference') continue;
    const { source, provider: alias } = secret;
    const declared = providers.get(alias);
    if (declared?.source === source) continue;
    if (declared === undefined && source === 'env' && alias === aliases.env) continue;
    const fitting = [...providers].filter(([, entry]) => entry.source === source);
    const suggestion = suggestName(
      alias,
      fitting.map(([name]) => name),
    );
    const finding = isRouteSecret(path) ? warning : fault;
    yield finding('unknown-secret-provider', path, {
      message:
        declared === undefined
          ? `unknown secret provider "${alias}"`
          : `the secret provider "${alias}" has source "${declared.source}", not "${source}"`,
      expected: `an entry of secrets.providers with source "${source}"`,
      suggestion,
    });
  }
};
