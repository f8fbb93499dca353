import { PROVIDERS } from '../../embeddings/adapters/index.js';
import { suggestName } from '../../support/text.js';
import { type ConfigPath, valueAt } from '../config-path.js';
import { SECRETS_DEFAULTS } from '../defaults.js';
import { mergeSettings } from '../merge-settings.js';
import type { ConfigInput } from '../resolved.js';
import { referencedVariable, writtenSecrets } from '../secret-input.js';
import { followProvider } from './providers.js';
import { fault, type Rule, type SearchScope, warning } from './rule.js';

/** Shorter secrets are too easy to guess. */
const MIN_SECRET_CHARS = 24;

interface WrittenKey {
  readonly path: ConfigPath;
  readonly value: unknown;
}

/**
 * Plain-text secrets should be long. Ignores header values (mostly not secret) and keys of
 * self-hosted adapters, which are placeholders (spec/memory-search §5).
 */
export const secretsAreLong: Rule = function* (input, scopes) {
  for (const { path, value } of writtenKeys(input, scopes)) {
    if (typeof value !== 'string' || referencedVariable(value) !== undefined) continue;
    if (value.length >= MIN_SECRET_CHARS) continue;
    yield warning('weak-secret', path, {
      message: `this plain-text secret has fewer than ${MIN_SECRET_CHARS} characters`,
      expected: `${MIN_SECRET_CHARS} characters or more or, better, a reference like env:NAME`,
    });
  }
};

/** Whoever reads the file could log in to the server of all hosts. */
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

function* writtenKeys(input: ConfigInput, scopes: readonly SearchScope[]): Generator<WrittenKey> {
  yield* searchKeys(input, scopes);
  for (const [id, entry] of Object.entries(input.models?.providers ?? {})) {
    if (isSelfHosted(input, id)) continue;
    yield { path: ['models', 'providers', id, 'apiKey'], value: entry.apiKey };
  }
  const routes = input.plugins?.entries?.webhooks?.config?.routes ?? {};
  for (const [id, route] of Object.entries(routes)) {
    const path = ['plugins', 'entries', 'webhooks', 'config', 'routes', id];
    yield { path: [...path, 'secret'], value: route.secret };
    for (const [at, value] of (route.verify?.secrets ?? []).entries()) {
      yield { path: [...path, 'verify', 'secrets', at], value };
    }
    yield { path: [...path, 'callback', 'secret'], value: route.callback?.secret };
  }
  const { secret, targets = [] } = input.flows?.notify ?? {};
  yield { path: ['flows', 'notify', 'secret'], value: secret };
  for (const [at, target] of targets.entries()) {
    yield { path: ['flows', 'notify', 'targets', at, 'secret'], value: target.secret };
  }
}

function* searchKeys(input: ConfigInput, scopes: readonly SearchScope[]): Generator<WrittenKey> {
  for (const scope of scopes) {
    const { provider, query } = scope.settings;
    const places = [
      ...(isSelfHosted(input, provider) ? [] : [scope.where('remote', 'apiKey')]),
      ...(query.rerank.provider === 'compatible'
        ? []
        : [scope.where('query', 'rerank', 'remote', 'apiKey')]),
    ];
    for (const path of places) {
      if (path !== undefined && scope.owns(path)) yield { path, value: valueAt(input, path) };
    }
  }
}

function isSelfHosted(input: ConfigInput, provider: string): boolean {
  const target = followProvider(input, provider);
  return target.kind === 'adapter' && PROVIDERS[target.adapter].runsOn !== 'vendor';
}

/**
 * A reference needs a declared provider of the same source; only environment variables need none.
 */
export const secretProvidersAreKnown: Rule = function* (input) {
  const aliases = mergeSettings(SECRETS_DEFAULTS.defaults, input.secrets?.defaults);
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
    yield fault('unknown-secret-provider', path, {
      message:
        declared === undefined
          ? `unknown secret provider "${alias}"`
          : `the secret provider "${alias}" has source "${declared.source}", not "${source}"`,
      expected: `an entry of secrets.providers with source "${source}"`,
      suggestion,
    });
  }
};
