import * as z from 'zod/mini';
import { decimal, integer, key, section, text, timeZone } from './keys.js';

const light = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Run the light phase'),
    lookbackDays: key(integer(1), 'How far back recalls count, in days'),
    limit: key(integer(1), 'Candidates taken in one run'),
    dedupeSimilarity: key(decimal(0, 1), 'Snippets at least this alike count as one'),
  });

const rem = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Run the REM phase'),
    lookbackDays: key(integer(1), 'How far back patterns are looked for, in days'),
    limit: key(integer(1), 'Patterns taken in one run'),
    minPatternStrength: key(decimal(0, 1), 'Weaker patterns are left out'),
  });

const deep = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Run the deep phase, which promotes'),
    limit: key(integer(1), 'Promotions in one run'),
    minScore: key(decimal(0, 1), 'Score a candidate needs'),
    minRecallCount: key(integer(0), 'Recalls a candidate needs'),
    minUniqueQueries: key(integer(0), 'Different queries that must have recalled it'),
    recencyHalfLifeDays: key(
      integer(1),
      'Age at which the recency of a recall has halved, in days',
    ),
    maxAgeDays: key(integer(1), 'Older candidates are left out, in days'),
    maxPromotedSnippetTokens: key(integer(1), 'Length of a promoted snippet, in tokens'),
    maxPriorEntryLossFraction: key(
      decimal(0, 1),
      'A rewrite that would lose more than this part of the earlier entries is refused',
    ),
  });

const dreaming = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Consolidate memory on a schedule'),
    frequency: key(text(), 'When the sweep runs: minute, hour, day of month, month, day of week'),
    timezone: key(timeZone(), 'Time zone of the schedule and of day boundaries'),
    model: key(text(), 'Model that writes the diary; needs `subagent.allowModelOverride`'),
    verboseLogging: key(z.boolean(), 'Log every decision'),
    storage: section(
      () =>
        z.strictObject({
          mode: key(
            z.enum(['inline', 'separate', 'both']),
            'Where phase output goes: the daily note, files of its own, or both',
          ),
          separateReports: key(z.boolean(), 'One report file for each phase'),
        }),
      'Output of the phases',
    ),
    phases: section(
      () =>
        z.strictObject({
          light: section(light, 'Gathers and dedupes what was recalled'),
          rem: section(rem, 'Looks for patterns'),
          deep: section(deep, 'Promotes what proved useful'),
        }),
      'The three phases of a sweep',
    ),
  });

/** `plugins.entries.memory-core` (spec/memory-search §2.13). */
export function memoryCore() {
  return z.strictObject({
    config: section(
      () => z.strictObject({ dreaming: section(dreaming, 'Consolidation of memory') }),
      'Settings',
    ),
    subagent: section(
      () =>
        z.strictObject({
          allowModelOverride: key(z.boolean(), 'Let `dreaming.model` choose another model'),
          allowedModels: key(z.array(text()), 'Models it may choose; `*` allows any'),
        }),
      'Limits on the diary sub-agent',
    ),
  });
}
