/** The vector lengths that can be requested from a model. */
export type DimensionChoice =
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'listed'; readonly sizes: readonly number[] }
  | { readonly kind: 'range'; readonly from: number; readonly to: number };

export const fixed = (size: number): DimensionChoice => ({ kind: 'fixed', size });
export const listed = (...sizes: readonly number[]): DimensionChoice => ({ kind: 'listed', sizes });
export const range = (from: number, to: number): DimensionChoice => ({ kind: 'range', from, to });

/** What a provider says about the lengths of its vectors. */
export interface DimensionFacts {
  /** Whether `outputDimensionality` can be requested for at least some of its models. */
  readonly asksDimensions: boolean;
  /** Vector lengths that can be requested, by model; see dimensionsOf. */
  readonly dimensions: Readonly<Record<string, DimensionChoice>>;
  /** Parts of a model's name that do not change the model; global. */
  readonly unchanging?: RegExp;
}

/**
 * Allowed values of `outputDimensionality`; undefined for unknown models, which are not checked.
 * Ignores vendor prefixes and Ollama's `:latest`.
 */
export function dimensionsOf(provider: DimensionFacts, model: string): DimensionChoice | undefined {
  const { dimensions } = provider;
  const name = bareName(provider, model);
  return Object.hasOwn(dimensions, name) ? dimensions[name] : undefined;
}

/** A model's name without vendor prefixes, and without what does not change it. */
export function bareName(
  { unchanging = /:latest$/gu }: Pick<DimensionFacts, 'unchanging'>,
  model: string,
): string {
  const last = model.slice(Math.max(model.lastIndexOf('/'), model.lastIndexOf('#')) + 1);
  return last.replaceAll(unchanging, '');
}

/**
 * The vector length to request; undefined leaves it to the model. An unsupported size can only get
 * here for a detected provider, whose model the rules of the configuration do not know.
 */
export function dimensionsToAsk(
  provider: DimensionFacts,
  model: string,
  size: number | undefined,
): number | undefined {
  if (size === undefined || !provider.asksDimensions) return undefined;
  const choice = dimensionsOf(provider, model);
  if (choice === undefined) return size;
  return choice.kind !== 'fixed' && allowsDimensions(choice, size) ? size : undefined;
}

export function allowsDimensions(choice: DimensionChoice, size: number): boolean {
  switch (choice.kind) {
    case 'fixed':
      return size === choice.size;
    case 'listed':
      return choice.sizes.includes(size);
    case 'range':
      return size >= choice.from && size <= choice.to;
  }
}

/** As text, for a fault's "expected". */
export function describeDimensions(choice: DimensionChoice): string {
  switch (choice.kind) {
    case 'fixed':
      return `${choice.size}, this model's only size`;
    case 'listed':
      return choice.sizes.join(', ');
    case 'range':
      return `${choice.from} to ${choice.to}`;
  }
}
