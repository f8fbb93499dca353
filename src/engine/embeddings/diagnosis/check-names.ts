/** Checks of a provider, in display order. */
export const CHECKS = [
  'selected',
  'key',
  'endpoint',
  'embed',
  'batch',
  'fallback',
  'vectors',
  'rerank',
] as const;
