import { formatCitation } from '../../memory/search/citation.js';
import type { ClaimPlace } from '../scoring/recall-entry.js';
import type { DeepResult } from '../sweep/deep-phase.js';
import type { LightResult } from '../sweep/light-phase.js';
import type { PromotionDecision } from '../sweep/plan-promotions.js';
import type { RemResult } from '../sweep/rem-phase.js';

const MOST_LISTED = 20;

/** What the light phase met, as Markdown. */
export function lightReport({ notes, messages, noted, staged }: LightResult): string {
  return lines(
    '## Light Sleep',
    '',
    `${notes} notes and ${messages} messages read, ${noted} new statements, ${staged.length} stand out.`,
    '',
    ...staged.slice(0, MOST_LISTED).map(({ text, place }) => item(text, place)),
    ...more(staged.length),
  );
}

/** The patterns that the REM phase saw, as Markdown. */
export function remReport({ considered, themes, truths }: RemResult): string {
  return lines(
    '## REM Sleep',
    '',
    `${considered} statements of the last days.`,
    '',
    ...themes.map(({ tag, count, strength }) => `- ${tag}: ${count} (${strength.toFixed(2)})`),
    ...(truths.length === 0 ? [] : ['', '### Candidate truths', '']),
    ...truths.map(({ entry, confidence }) => {
      return `${item(entry.text, entry.place)} ${confidence.toFixed(2)}`;
    }),
  );
}

/** What the deep phase decided, as Markdown. */
export function deepReport({ considered, passed, decisions, earlier }: DeepResult): string {
  return lines(
    '## Deep Sleep',
    '',
    `${considered} statements considered, ${passed} passed every gate.`,
    '',
    ...earlier.map(({ text, place }) => `${item(text, place)} ${DECISION_WORDS.promote}`),
    ...decisions.map((decision) => {
      const { entry } = decision;
      return `${item(entry.text, entry.place)} ${DECISION_WORDS[wordOf(decision)]}`;
    }),
  );
}

const DECISION_WORDS = {
  promote: 'promoted',
  renew: 'renews an earlier entry',
  said: 'long-term memory says it already',
  changed: 'its note says something else now',
  missing: 'its note does not say it any more',
} as const;

function wordOf(decision: PromotionDecision): keyof typeof DECISION_WORDS {
  return decision.decision === 'skip' ? decision.why : decision.decision;
}

function item(text: string, place: ClaimPlace): string {
  return `- ${text} (${formatCitation(place.path, place)})`;
}

function more(count: number): string[] {
  return count > MOST_LISTED ? ['', `… and ${count - MOST_LISTED} more.`] : [];
}

function lines(...parts: readonly string[]): string {
  return `${parts.join('\n').trim()}\n`;
}
