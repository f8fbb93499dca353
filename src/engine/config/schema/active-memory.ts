import * as z from 'zod/mini';
import { integer, key, section, text } from './keys.js';

const config = () =>
  z.strictObject({
    enabled: key(z.boolean(), 'Switch that `active-memory on|off` writes'),
    agents: key(z.array(text()), 'Agents it runs for; empty is none'),
    model: key(text(), 'Model of the recall sub-agent, as `provider/model`'),
    modelFallback: key(text(), 'Model used when no other can be found'),
    modelFallbackPolicy: key(z.enum(['default-remote', 'resolved-only']), 'Has no effect any more'),
    allowedChatTypes: key(
      z.array(z.enum(['direct', 'group', 'channel', 'explicit'])),
      'Kinds of conversation it runs in',
    ),
    allowedChatIds: key(z.array(text()), 'Only these conversations; empty is all'),
    deniedChatIds: key(z.array(text()), 'Never these conversations'),
    thinking: key(
      z.enum(['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'adaptive', 'max']),
      'How much the sub-agent thinks',
    ),
    timeoutMs: key(integer(250, 120_000), 'How long a recall may take, in milliseconds'),
    setupGraceTimeoutMs: key(
      integer(0, 30_000),
      'Added to the timeout of the hook only, in milliseconds',
    ),
    queryMode: key(
      z.enum(['message', 'recent', 'full']),
      'What is searched for: the message, recent turns, or the whole conversation',
    ),
    promptStyle: key(
      z.enum([
        'balanced',
        'strict',
        'contextual',
        'recall-heavy',
        'precision-heavy',
        'preference-only',
      ]),
      'How readily something is recalled',
    ),
    promptOverride: key(text(), 'Replaces the instructions of the sub-agent'),
    promptAppend: key(text(), 'Added to the instructions of the sub-agent'),
    maxSummaryChars: key(integer(40, 1000), 'Length of what is recalled, in characters'),
    recentUserTurns: key(integer(0, 4), 'Turns of the person that `recent` looks at'),
    recentAssistantTurns: key(integer(0, 3), 'Turns of the agent that `recent` looks at'),
    recentUserChars: key(
      integer(40, 1000),
      'Length taken of each turn of the person, in characters',
    ),
    recentAssistantChars: key(
      integer(40, 1000),
      'Length taken of each turn of the agent, in characters',
    ),
    cacheTtlMs: key(integer(1000, 120_000), 'How long a recall is reused, in milliseconds'),
    circuitBreakerMaxTimeouts: key(integer(1, 20), 'Timeouts in a row that pause recalls'),
    circuitBreakerCooldownMs: key(
      integer(5000, 600_000),
      'How long the pause lasts, in milliseconds',
    ),
    logging: key(z.boolean(), 'Log every recall'),
    persistTranscripts: key(z.boolean(), 'Keep the transcripts of the sub-agent'),
    transcriptDir: key(text(), 'Folder for those transcripts, below the state folder'),
    ext: section(
      () =>
        z.strictObject({
          searchMode: key(
            z.enum(['inherit', 'search', 'vsearch', 'query']),
            'Search mode of the external backend for recalls; `inherit` takes `memory.ext.searchMode`',
          ),
        }),
      'Settings for the external backend',
    ),
  });

/** `plugins.entries.active-memory` (facts §1.1). */
export function activeMemory() {
  return z.strictObject({
    enabled: key(z.boolean(), 'Recall memory before an agent answers'),
    config: section(config, 'Settings'),
  });
}
