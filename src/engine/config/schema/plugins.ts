import * as z from 'zod/mini';
import { days, decimal, integer, key, section, text, timeZone } from './keys.js';
import { webhooks } from './webhooks.js';

export const plugins = () => ({
  entries: section('Plugins by name', () => ({
    'memory-core': section('Consolidation of memory ("dreaming")', memoryCore),
    'active-memory': section('Recalling memory before an agent answers', activeMemory),
    webhooks: section('HTTP routes that drive task flows', webhooks),
  })),
});

const light = () => ({
  enabled: key(z.boolean(), 'Run the light phase'),
  lookbackDays: key(days(1), 'How far back to read notes and conversations, in days'),
  limit: key(integer(0), 'Maximum number of candidates per run; 0 skips the phase'),
  dedupeSimilarity: key(decimal(0, 1), 'Similarity from which snippets count as duplicates'),
});

const rem = () => ({
  enabled: key(z.boolean(), 'Run the REM phase'),
  lookbackDays: key(days(1), 'How far back to look for patterns, in days'),
  limit: key(integer(0), 'Maximum number of patterns per run; 0 skips the phase'),
  minPatternStrength: key(decimal(0, 1), 'Minimum strength of a pattern'),
});

const deep = () => ({
  enabled: key(z.boolean(), 'Run the deep phase, which promotes candidates'),
  limit: key(integer(0), 'Maximum number of promotions per run; 0 skips the phase'),
  minScore: key(decimal(0, 1), 'Minimum score of a candidate'),
  minRecallCount: key(
    integer(0),
    'Minimum number of signals of a candidate: recalls, notes and those of a backfill',
  ),
  minUniqueQueries: key(
    integer(0),
    'Minimum number of different queries, or of different days with a signal',
  ),
  recencyHalfLifeDays: key(integer(1), 'Age at which the recency of a recall is halved, in days'),
  maxAgeDays: key(days(1), 'Maximum age of the last signal of a candidate, in days'),
  maxMemoryChars: key(
    integer(1000),
    'Size of `MEMORY.md` from which the weakest promoted entries are moved to the archive, in characters',
  ),
  maxPromotedSnippetTokens: key(integer(1), 'Maximum length of a promoted snippet, in tokens'),
  maxPriorEntryLossFraction: key(
    decimal(0, 1),
    'A statement with other numbers replaces an entry if it lacks at most this share of the words of the entry',
  ),
});

const dreaming = () => ({
  enabled: key(z.boolean(), 'Consolidate memory on a schedule'),
  frequency: key(
    text(),
    'Schedule of the sweep, as cron: minute, hour, day of month, month, day of week',
  ),
  timezone: key(timeZone(), 'Time zone of the schedule and day boundaries'),
  model: key(text(), 'Model that writes the diary; needs `subagent.allowModelOverride`'),
  verboseLogging: key(
    z.boolean(),
    'Let `svc serve` log what a sweep decided about each claim that passed every gate',
  ),
  storage: section('Output of the phases', () => ({
    mode: key(
      z.enum(['inline', 'separate', 'both']),
      'Where to write phase output: the daily note, separate files, or both',
    ),
    separateReports: key(z.boolean(), 'Write one report file per phase'),
  })),
  phases: section('The three phases of a sweep', () => ({
    light: section('Collects statements of recent notes and conversations', light),
    rem: section('Looks for patterns', rem),
    deep: section('Promotes useful candidates', deep),
  })),
});

/** `plugins.entries.memory-core` (spec/memory-search §2.13). */
const memoryCore = () => ({
  config: section('Settings', () => ({ dreaming: section('Consolidation of memory', dreaming) })),
  subagent: section('Limits on the diary sub-agent', () => ({
    allowModelOverride: key(z.boolean(), 'Allow `dreaming.model` to set another model'),
    allowedModels: key(z.array(text()), 'Allowed models; an empty list or `*` allows any'),
  })),
});

export const promptStyle = z.enum([
  'balanced',
  'strict',
  'contextual',
  'recall-heavy',
  'precision-heavy',
  'preference-only',
]);

const config = () => ({
  enabled: key(z.boolean(), 'False turns recall off for all conversations'),
  agents: key(z.array(text()), 'Agents it runs for; none if empty'),
  model: key(text(), 'Model that condenses what is recalled, as `provider/model`'),
  modelFallback: key(text(), 'Model to use if no other is available'),
  modelFallbackPolicy: key(z.enum(['default-remote', 'resolved-only']), 'No longer has any effect'),
  allowedChatTypes: key(
    z.array(z.enum(['direct', 'group', 'channel', 'explicit'])),
    'Kinds of conversations it runs in',
  ),
  allowedChatIds: key(z.array(text()), 'Run only in these conversations; in all if empty'),
  deniedChatIds: key(z.array(text()), 'Never run in these conversations'),
  thinking: key(
    z.enum(['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'adaptive', 'max']),
    'How much the model thinks; a model without this level uses the nearest one',
  ),
  timeoutMs: key(integer(250, 120_000), 'Time limit of a recall, in milliseconds'),
  setupGraceTimeoutMs: key(
    integer(0, 30_000),
    'Added to `timeoutMs` for slow machines, in milliseconds',
  ),
  queryMode: key(
    z.enum(['message', 'recent', 'full']),
    'What the model gets: the message, recent turns, or the whole conversation',
  ),
  promptStyle: key(promptStyle, 'How readily to recall something'),
  promptOverride: key(text(), 'Replaces the instructions of the model'),
  promptAppend: key(text(), 'Added to the instructions of the model'),
  maxSummaryChars: key(integer(40, 1000), 'Maximum length of a recall, in characters'),
  recentUserTurns: key(integer(0, 4), 'User turns that `recent` includes'),
  recentAssistantTurns: key(integer(0, 3), 'Assistant turns that `recent` includes'),
  recentUserChars: key(integer(40, 1000), 'Maximum length of each user turn, in characters'),
  recentAssistantChars: key(
    integer(40, 1000),
    'Maximum length of each assistant turn, in characters',
  ),
  cacheTtlMs: key(integer(1000, 120_000), 'How long to reuse a recall, in milliseconds'),
  circuitBreakerMaxTimeouts: key(integer(1, 20), 'Consecutive timeouts after which recalls pause'),
  circuitBreakerCooldownMs: key(
    integer(5000, 600_000),
    'How long the pause lasts, in milliseconds',
  ),
  logging: key(z.boolean(), 'Log every recall'),
  persistTranscripts: key(z.boolean(), 'Keep what the model was asked and answered'),
  transcriptDir: key(text(), 'Folder for those transcripts, in the state folder'),
  ext: section('Settings for the external backend', () => ({
    searchMode: key(
      z.enum(['inherit', 'search', 'vsearch', 'query']),
      'Search mode of the external backend for recalls; `inherit` uses `memory.ext.searchMode`',
    ),
  })),
});

/** `plugins.entries.active-memory` (facts §1.1). */
const activeMemory = () => ({
  enabled: key(z.boolean(), 'Recall memory before an agent answers'),
  config: section('Settings', config),
});
