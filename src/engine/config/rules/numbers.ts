import type { Rule } from './finding.js';
import { written } from './search-scope.js';

/** With both weights at 0 every hybrid score would be 0 (spec/memory-search §2.5). */
export const weightsCount: Rule = function* (_, scopes) {
  for (const scope of scopes) {
    const { vectorWeight, textWeight } = scope.settings.query.hybrid;
    const places = ['vectorWeight', 'textWeight'].map((key) => scope.where('query', 'hybrid', key));
    const [path, ...related] = written(...places);
    if (vectorWeight + textWeight > 0 || path === undefined || !scope.owns(...places)) continue;
    yield {
      severity: 'fault',
      code: 'weights-sum-zero',
      path,
      message: 'vectorWeight and textWeight are both 0, so every score would be 0',
      expected: 'at least one weight above 0',
      related,
    };
  }
};

/** Chunks that overlap by their whole length would never get to the end of a document. */
export const overlapIsSmaller: Rule = function* (_, scopes) {
  for (const scope of scopes) {
    const { tokens, overlap } = scope.settings.chunking;
    const [overlapPath, tokensPath] = [
      scope.where('chunking', 'overlap'),
      scope.where('chunking', 'tokens'),
    ];
    const [path, ...related] = written(overlapPath, tokensPath);
    if (overlap < tokens || path === undefined || !scope.owns(overlapPath, tokensPath)) continue;
    yield {
      severity: 'fault',
      code: 'overlap-exceeds-chunk',
      path,
      message: `chunking.overlap is ${overlap} and chunking.tokens ${tokens}: neighbouring chunks cannot share a whole chunk`,
      expected: 'overlap smaller than tokens',
      related,
    };
  }
};
