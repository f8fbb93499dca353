import { dreamBackfillOutputSchema } from '../../src/engine/dreaming/backfill/output-schemas.js';
import { below, type JsonDocument, WARNINGS } from './json-document.js';
import { PLACE, PLACE_EXAMPLE } from './json-dream-parts.js';

/** `svc dream backfill --json`. */
export const BACKFILL_DOCUMENT: JsonDocument = {
  title: 'svc dream backfill',
  introduction:
    'What old notes hold that is worth remembering, or what was taken back; also of `svc memory rem-backfill`.',
  schema: dreamBackfillOutputSchema,
  meanings: {
    ...PLACE,
    id: 'What `--rollback` takes back; `null` when nothing was changed.',
    backfilled: 'Only with `--path`.',
    ...below('backfilled.', {
      dryRun: 'Whether nothing was written.',
      notes: 'Daily notes that were read.',
      notesLeft: 'Notes that were too many for one run, the oldest.',
      leans: 'Statements by how long they are likely to hold.',
      'leans.lasting': 'Below a heading of decisions, lessons and the like: two signals.',
      'leans.durable': 'Rules, habits and standing facts by their words: one signal.',
      'leans.unclear': 'No signal.',
      'leans.situational': 'What that day was spent with: no signal.',
      claims: 'The statements that got signals, in the order of the notes.',
      'claims[].key': 'Its name: 16 hexadecimal digits, made from its words.',
      'claims[].text': 'What it says, on one line.',
      'claims[].path': 'Its note, relative to the workspace.',
      'claims[].startLine': 'First line, counted from 1.',
      'claims[].endLine': 'Last line, itself included.',
      'claims[].lean': 'One of those that count.',
      skipped: 'Notes that could not be read.',
      'skipped[].path': 'Relative to the workspace.',
      'skipped[].reason': 'See [memory-files.md](memory-files.md#what-is-skipped).',
      'skipped[].detail': 'The figure or the words of the system behind the reason.',
    }),
    rolledBack: 'Only with `--rollback`.',
    'rolledBack.claims': 'Claims that it concerned.',
    ...WARNINGS,
  },
  example: {
    ...PLACE_EXAMPLE,
    id: '20261120T093012',
    backfilled: {
      dryRun: false,
      notes: 1,
      notesLeft: 0,
      leans: { lasting: 1, durable: 0, unclear: 2, situational: 5 },
      claims: [
        {
          key: '5d0c2b7f1e9a4c38',
          text: 'We always deploy from main on Tuesdays.',
          path: 'memory/2025-03-04.md',
          startLine: 9,
          endLine: 9,
          lean: 'lasting',
        },
      ],
      skipped: [],
    },
    warnings: [],
  },
};
