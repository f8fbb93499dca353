import { suggestName } from '../../support/text.js';
import type { ConfigPath } from '../config-path.js';
import { isSessionReader, SESSION_READERS } from '../defaults.js';
import type { FilledMemorySearch } from '../resolved.js';
import { eachScope, fault, type Rule, warning, writtenPaths } from './rule.js';

/** With both weights 0, every hybrid score would be 0 (spec/memory-search §2.5). */
export const weightsCount: Rule = eachScope(function* (scope) {
  const { vectorWeight, textWeight } = scope.settings.query.hybrid;
  const places = ['vectorWeight', 'textWeight'].map((key) =>
    scope.writtenAt('query', 'hybrid', key),
  );
  const [path, ...related] = writtenPaths(...places);
  if (vectorWeight + textWeight > 0 || path === undefined || !scope.concerns(...places)) return;
  yield fault('weights-sum-zero', path, {
    message: 'vectorWeight and textWeight are both 0, so every score would be 0',
    expected: 'at least one weight above 0',
    related,
  });
});

/** Chunks with full overlap would never reach the end of a document. */
export const overlapIsSmaller: Rule = eachScope(function* (scope) {
  const { tokens, overlap } = scope.settings.chunking;
  const [overlapPath, tokensPath] = [
    scope.writtenAt('chunking', 'overlap'),
    scope.writtenAt('chunking', 'tokens'),
  ];
  const [path, ...related] = writtenPaths(overlapPath, tokensPath);
  if (overlap < tokens || path === undefined || !scope.concerns(overlapPath, tokensPath)) return;
  yield fault('overlap-exceeds-chunk', path, {
    message: `chunking.overlap must be less than chunking.tokens (got ${overlap} and ${tokens})`,
    related,
  });
});

export const sessionReadersAreKnown: Rule = function* (input) {
  for (const [at, reader] of (input.sessions?.readers ?? []).entries()) {
    const name = typeof reader === 'string' ? reader : reader.id;
    if (isSessionReader(name)) continue;
    const path: ConfigPath = ['sessions', 'readers', at];
    yield fault('unknown-reader', typeof reader === 'string' ? path : [...path, 'id'], {
      message: `unknown transcript reader ${JSON.stringify(name)}`,
      expected: `one of ${SESSION_READERS.join(', ')}`,
      suggestion: suggestName(name, SESSION_READERS),
    });
  }
};

/**
 * Sessions are only indexed if both keys enable it. An agent that inherits one and writes the other
 * to leave sessions out does so on purpose.
 */
export const sessionsAreSwitchedOn: Rule = eachScope(function* (scope) {
  const { sources, experimental } = scope.settings;
  if (sources.includes('sessions') === experimental.sessionMemory) return;
  const path = experimental.sessionMemory
    ? scope.writtenHere('experimental', 'sessionMemory')
    : scope.writtenHere('sources');
  if (path === undefined) return;
  yield warning('sessions-half-on', path, {
    message: experimental.sessionMemory
      ? 'sessionMemory is on, but sources does not include "sessions": no transcripts are indexed'
      : 'sources includes "sessions", but experimental.sessionMemory is off: no transcripts are indexed',
    expected: experimental.sessionMemory
      ? 'sources: ["memory", "sessions"]'
      : 'experimental.sessionMemory: true',
  });
});

type RerankerName = FilledMemorySearch['query']['rerank']['provider'];

/** What a reranker cannot do without. */
const NEEDED_BY_RERANKER: Readonly<
  Partial<Record<RerankerName, { readonly keys: string; readonly form: string }>>
> = {
  compatible: { keys: 'remote.baseUrl', form: 'the address of a server with a /rerank endpoint' },
  local: { keys: 'model', form: 'a GGUF file of a reranking model, or an hf: reference' },
  chat: { keys: 'model', form: 'PROVIDER/MODEL, such as "openai/gpt-5-mini"' },
};

/** Rerankers without a default address or model need one. */
export const rerankerIsComplete: Rule = eachScope(function* (scope, { models }) {
  const { provider, model, remote } = scope.settings.query.rerank;
  const required = NEEDED_BY_RERANKER[provider];
  const path = scope.writtenHere('query', 'rerank', 'provider');
  if (required === undefined || path === undefined) return;
  const address = remote.baseUrl ?? models?.providers?.[provider]?.baseUrl;
  if ((required.keys === 'model' ? model : address) !== undefined) return;
  yield fault('reranker-incomplete', path, {
    message: `the reranker ${JSON.stringify(provider)} needs query.rerank.${required.keys}`,
    expected: `query.rerank.${required.keys}: ${required.form}`,
  });
});
