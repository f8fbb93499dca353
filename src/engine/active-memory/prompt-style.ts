import type { ActiveMemorySettings } from './gates.js';

type Config = ActiveMemorySettings['config'];

/** How readily something is recalled. */
export type PromptStyle = NonNullable<Config['promptStyle']>;

/** The configured style, else the one that fits the query mode (facts §1.1). */
export function promptStyleOf({ promptStyle, queryMode }: Config): PromptStyle {
  return promptStyle ?? STYLE_OF_MODE[queryMode];
}

const STYLE_OF_MODE: Readonly<Record<Config['queryMode'], PromptStyle>> = {
  message: 'strict',
  recent: 'balanced',
  full: 'contextual',
};

/** What a style means where no model judges. */
export interface StyleRules {
  /** Results that score lower are left out; 0 to 1. */
  readonly minScore: number;
  /** The same, as a share of the best result's score. */
  readonly minShare: number;
  /** How many notes at most. */
  readonly maxNotes: number;
  /** Keep only sentences that speak of likes, habits and lasting facts. */
  readonly preferencesOnly: boolean;
}

/** What each style asks of results. */
export const STYLE_RULES: Readonly<Record<PromptStyle, StyleRules>> = {
  balanced: { minScore: 0.3, minShare: 0.5, maxNotes: 3, preferencesOnly: false },
  contextual: { minScore: 0.25, minShare: 0.4, maxNotes: 4, preferencesOnly: false },
  'precision-heavy': { minScore: 0.6, minShare: 0.8, maxNotes: 2, preferencesOnly: false },
  'preference-only': { minScore: 0.2, minShare: 0.3, maxNotes: 4, preferencesOnly: true },
  'recall-heavy': { minScore: 0.12, minShare: 0.25, maxNotes: 5, preferencesOnly: false },
  strict: { minScore: 0.45, minShare: 0.7, maxNotes: 2, preferencesOnly: false },
};

/** The same for a model. */
export const STYLE_INSTRUCTIONS: Readonly<Record<PromptStyle, string>> = {
  balanced: 'Give what helps with the latest message; leave out what merely shares words with it.',
  contextual: 'Favour what keeps the conversation going: names, plans and decisions it builds on.',
  'precision-heavy': 'Answer NONE unless a note is clearly about what is asked.',
  'preference-only':
    'Give only likes, dislikes, habits, routines and lasting facts about the person; else NONE.',
  'recall-heavy': 'Give whatever may help, loosely related notes included.',
  strict: 'Give only what is directly about the latest message itself, nothing around it.',
};
