/** Settings below `memorySearch` that belong to one provider and are wrong for another. */
export const PROVIDER_SETTINGS = [
  ['model'],
  ['outputDimensionality'],
  ['remote', 'baseUrl'],
  ['remote', 'apiKey'],
  ['remote', 'headers'],
] as const;
