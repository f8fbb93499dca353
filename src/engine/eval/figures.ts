/** What one question scored, or many on average. From 0 to 1 but for `characters`. */
export interface Figures {
  /** Share of what is expected that stands in the first five distinct files. */
  readonly recall5: number;
  /** The same for all distinct files among the results. */
  readonly recall: number;
  /** One divided by the place of the first file that was expected. */
  readonly mrr: number;
  /** Gain of the expected files, discounted by place, against the best order. */
  readonly ndcg: number;
  /** 1 when one of the first five results covers a line that is expected, or shows a text. */
  readonly hit5: number;
  /** The same for all results. */
  readonly hit: number;
  /** Share of the expected lines and texts that results cover; null where only files are expected. */
  readonly evidence: number | null;
  /** 1 when an expected line or text can be read in what is returned; null as above. */
  readonly seen: number | null;
  /** Share of them that can be read in the first 4,000 characters; null as above. */
  readonly evidence4k: number | null;
  /** 1 when there was no result at all. */
  readonly none: number;
  /** Characters of text returned. */
  readonly characters: number;
}

/** The name of a figure. */
type FigureName = keyof Figures;

/** Those that say how good the results are: the more, the better. In the order they are shown. */
export const QUALITY_NAMES = [
  'recall5',
  'recall',
  'mrr',
  'ndcg',
  'hit5',
  'hit',
  'evidence',
  'seen',
  'evidence4k',
] as const satisfies readonly FigureName[];

/** The name of a figure that says how good the results are. */
export type QualityName = (typeof QUALITY_NAMES)[number];

/** The mean of each figure over the questions that have it; null for one that none has. */
export function meanFigures(scored: readonly Figures[]): Figures {
  const mean = (name: FigureName): number | null => {
    const values = scored.map((figures) => figures[name]).filter((value) => value !== null);
    if (values.length === 0) return null;
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    recall5: mean('recall5') ?? 0,
    recall: mean('recall') ?? 0,
    mrr: mean('mrr') ?? 0,
    ndcg: mean('ndcg') ?? 0,
    hit5: mean('hit5') ?? 0,
    hit: mean('hit') ?? 0,
    evidence: mean('evidence'),
    seen: mean('seen'),
    evidence4k: mean('evidence4k'),
    none: mean('none') ?? 0,
    characters: mean('characters') ?? 0,
  };
}
