import type { ActiveMemorySettings } from './gates.js';

type Config = ActiveMemorySettings['config'];

/** How readily notes are recalled. */
export type PromptStyle = NonNullable<Config['promptStyle']>;

/** The configured style, else the default for the query mode (facts §1.1). */
export function promptStyleOf({ promptStyle, queryMode }: Config): PromptStyle {
  return promptStyle ?? STYLE_OF_MODE[queryMode];
}

const STYLE_OF_MODE: Readonly<Record<Config['queryMode'], PromptStyle>> = {
  message: 'strict',
  recent: 'balanced',
  full: 'contextual',
};

/** A style's rules when no model is used. */
export interface StyleRules {
  /** A note with at least this vector score is relevant; otherwise, its keyword score must be as high. 0 to 1. */
  readonly minScore: number;
  /** Without the vector score, it must contain this share of the question's topics as well; 0 to 1. */
  readonly minTopics: number;
  /** Results below this share of the best score are dropped. */
  readonly minShare: number;
  readonly maxNotes: number;
  /** Keep only sentences about likes, habits and lasting facts. */
  readonly preferencesOnly: boolean;
}

const BALANCED: StyleRules = {
  minScore: 0.43,
  minTopics: 0.4,
  minShare: 0.5,
  maxNotes: 3,
  preferencesOnly: false,
};

export const STYLE_RULES: Readonly<Record<PromptStyle, StyleRules>> = {
  balanced: BALANCED,
  contextual: { ...BALANCED, minScore: 0.38, minTopics: 0.3, minShare: 0.4, maxNotes: 4 },
  'precision-heavy': { ...BALANCED, minScore: 0.52, minTopics: 0.75, minShare: 0.8, maxNotes: 2 },
  'preference-only': {
    minScore: 0.32,
    minTopics: 0.25,
    minShare: 0.3,
    maxNotes: 4,
    preferencesOnly: true,
  },
  'recall-heavy': { ...BALANCED, minScore: 0.3, minTopics: 0.15, minShare: 0.25, maxNotes: 5 },
  strict: { ...BALANCED, minScore: 0.48, minTopics: 0.5, minShare: 0.7, maxNotes: 2 },
};

/** A style's instructions for a model. */
export const STYLE_INSTRUCTIONS: Readonly<Record<PromptStyle, string>> = {
  balanced: 'Give what helps with the latest message; leave out what merely shares words with it.',
  contextual: 'Favour what keeps the conversation going: names, plans and decisions it builds on.',
  'precision-heavy': 'Answer NONE unless a note is clearly about what is asked.',
  'preference-only':
    'Give only likes, dislikes, habits, routines and lasting facts about the person; else NONE.',
  'recall-heavy': 'Give whatever may help, loosely related notes included.',
  strict: 'Give only what is directly about the latest message itself, nothing around it.',
};
