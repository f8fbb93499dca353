import type { MemorySearchSettings } from '../resolved.js';
import { eachScope, fault, type Rule, warning, written } from './rule.js';

type Provider = MemorySearchSettings['query']['rerank']['provider'];

/** What a reranker cannot do without. */
const REQUIRED: Readonly<
  Partial<Record<Provider, { readonly keys: string; readonly form: string }>>
> = {
  compatible: { keys: 'remote.baseUrl', form: 'the address of a server with a /rerank endpoint' },
  local: { keys: 'model', form: 'a GGUF file of a reranking model, or an hf: reference' },
  chat: { keys: 'model', form: 'PROVIDER/MODEL, such as "openai/gpt-5-mini"' },
};

/** Rerankers without a default address or model need one. */
export const rerankerIsComplete: Rule = eachScope(function* (scope) {
  const { provider, model, remote } = scope.settings.query.rerank;
  const required = REQUIRED[provider];
  const path = scope.where('query', 'rerank', 'provider');
  if (required === undefined || path === undefined || !scope.owns(path)) return;
  const value = required.keys === 'model' ? model : remote.baseUrl;
  if (value !== undefined) return;
  yield fault('reranker-incomplete', path, {
    message: `the reranker ${JSON.stringify(provider)} needs query.rerank.${required.keys}`,
    expected: `query.rerank.${required.keys}: ${required.form}`,
  });
});

/** Settings that the reranker ignores. With `provider` set to `none`, they are kept for another time. */
export const rerankSettingsAreUsed: Rule = eachScope(function* (scope) {
  const { provider } = scope.settings.query.rerank;
  const named = scope.where('query', 'rerank', 'provider');
  const why =
    named === undefined
      ? 'query.rerank.provider is not set'
      : `the reranker ${JSON.stringify(provider)} ignores it`;
  const sendsNothing = provider === 'local' || provider === 'chat';
  const ignored = named === undefined ? OPTIONS : sendsNothing ? ['remote'] : [];
  for (const key of ignored) {
    const path = scope.where('query', 'rerank', key);
    if (path === undefined || !scope.owns(path, named)) continue;
    const message = `query.rerank.${key} has no effect: ${why}`;
    yield warning('setting-unused', path, { message, related: written(named) });
  }
});

const OPTIONS: readonly string[] = ['model', 'topN', 'timeoutMs', 'remote', 'budget'];
