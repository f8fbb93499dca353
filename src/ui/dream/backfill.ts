import type { DreamBackfillOutput } from '../../engine/dreaming/backfill/output-schemas.js';
import { formatCountOf } from '../format.js';
import { safeLine } from '../safe-text.js';
import { placeWords, shortKey } from './words.js';

const MOST_SHOWN = 40;

/** The answer of `svc dream backfill`. */
export function renderBackfill({ id, backfilled, rolledBack }: DreamBackfillOutput): string {
  const lines =
    rolledBack === undefined
      ? backfilledLines(backfilled, id)
      : [
          `backfill ${safeLine(id ?? '')} taken back: ${formatCountOf(rolledBack.claims, 'claim')} as before`,
        ];
  return `${lines.join('\n')}\n`;
}

function backfilledLines(
  backfilled: DreamBackfillOutput['backfilled'],
  id: string | null,
): readonly string[] {
  if (backfilled === undefined) return [];
  const { dryRun, notes, notesLeft, leans, claims, skipped } = backfilled;
  const { lasting, durable, unclear, situational } = leans;
  const vouched = dryRun ? 'would be vouched for' : 'vouched for';
  return [
    `${formatCountOf(notes, 'note')}: ${lasting} lasting, ${durable} durable, ${unclear} unclear, ${situational} of their day`,
    `${formatCountOf(claims.length, 'claim')} ${vouched}`,
    ...claims.slice(0, MOST_SHOWN).flatMap(({ key, text, lean, ...place }) => {
      return [
        `  + ${safeLine(text)}`,
        `    ${shortKey(key)} · ${placeWords(place)} · ${lean === 'lasting' ? 'counts twice' : 'counts once'}`,
      ];
    }),
    ...(claims.length > MOST_SHOWN ? [`  … and ${claims.length - MOST_SHOWN} more`] : []),
    ...skipped.map(({ path, reason }) => `  left out ${safeLine(path)}: ${reason}`),
    ...(notesLeft === 0
      ? []
      : [
          `  ${formatCountOf(notesLeft, 'older note')} left: name a folder or a note of them with --path`,
        ]),
    ...(id === null ? [] : [`  svc dream backfill --rollback ${safeLine(id)} takes it back`]),
  ];
}
