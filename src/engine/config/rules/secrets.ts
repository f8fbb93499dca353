import { ADAPTER_TRAITS } from '../adapters.js';
import { type ConfigPath, valueAt } from '../config-path.js';
import type { ConfigInput } from '../input.js';
import { referencedVariable } from '../secret-input.js';
import type { Rule } from './finding.js';
import { followProvider } from './providers.js';
import type { SearchScope } from './search-scope.js';

/** Shorter secrets are guessed too easily, in characters. */
const MIN_SECRET_CHARS = 24;

interface WrittenSecret {
  readonly path: ConfigPath;
  readonly value: unknown;
}

/**
 * Plain-text secrets should be long. Header values are not looked at (most are no secrets), nor
 * keys of self-hosted adapters, which are placeholders (spec/memory-search §5).
 */
export const secretsAreLong: Rule = function* (input, scopes) {
  for (const { path, value } of writtenSecrets(input, scopes)) {
    if (typeof value !== 'string' || referencedVariable(value) !== undefined) continue;
    if (value.length >= MIN_SECRET_CHARS) continue;
    yield {
      severity: 'warning',
      code: 'weak-secret',
      path,
      message: `this secret stands in plain text and has fewer than ${MIN_SECRET_CHARS} characters`,
      expected: `${MIN_SECRET_CHARS} characters or more, or better a reference like env:NAME`,
    };
  }
};

function* writtenSecrets(
  input: ConfigInput,
  scopes: readonly SearchScope[],
): Generator<WrittenSecret> {
  yield* searchKeys(input, scopes);
  for (const [id, entry] of Object.entries(input.models?.providers ?? {})) {
    if (isSelfHosted(input, id)) continue;
    yield { path: ['models', 'providers', id, 'apiKey'], value: entry.apiKey };
  }
  const routes = input.plugins?.entries?.webhooks?.config?.routes ?? {};
  for (const [id, route] of Object.entries(routes)) {
    const path = ['plugins', 'entries', 'webhooks', 'config', 'routes', id, 'secret'];
    yield { path, value: route.secret };
  }
  yield { path: ['flows', 'notify', 'secret'], value: input.flows?.notify?.secret };
}

function* searchKeys(input: ConfigInput, scopes: readonly SearchScope[]): Generator<WrittenSecret> {
  for (const scope of scopes) {
    const path = scope.where('remote', 'apiKey');
    if (path === undefined || !scope.owns(path) || isSelfHosted(input, scope.settings.provider))
      continue;
    yield { path, value: valueAt(input, path) };
  }
}

function isSelfHosted(input: ConfigInput, provider: string): boolean {
  const target = followProvider(input, provider);
  return target.kind === 'adapter' && ADAPTER_TRAITS[target.adapter].selfHosted;
}
