import { readFileSync } from 'node:fs';
import { dreamWorkspace } from '../../src/engine/dreaming/dream-workspace.js';
import { appendRecall } from '../../src/engine/dreaming/recall-log/recall-log.js';
import { queryHashOf } from '../../src/engine/dreaming/recall-log/recalled-claims.js';
import type { AgentSources } from '../../src/engine/dreaming/sweep/dream-sources.js';
import { type TempFolder, tempFolder } from './temp-folder.js';

const DAY_MS = 86_400_000;

/** Notes alone, and nothing forgotten. */
export const NOTES_ONLY: AgentSources = { transcripts: [], forget: [], exclude: { patterns: [] } };

/** Asked for often, so that the next sweep promotes it. */
export const OFTEN_ASKED = 'The nightly backup of the storage server runs at 02:30.';
/** Asked for once, so that it stays a candidate. */
export const ONCE_ASKED = 'Mira owns the billing service and signs off its releases.';

/** A home with a day's note, and what searches found in it. */
export interface DreamHome {
  readonly home: TempFolder;
  /** The note, relative to the workspace. */
  readonly note: string;
  /** Adds a search that a statement of the note answered. */
  ask(text: string, query: string, daysAgo: number): void;
  /** A file of the workspace. */
  read(path: string): string;
}

/** Makes such a home; by the machine's clock, the note is of the day before yesterday. */
export function dreamHome(home: TempFolder = tempFolder()): DreamHome {
  const nowMs = Date.now();
  const day = new Date(nowMs - 2 * DAY_MS).toISOString().slice(0, 10);
  const note = `memory/${day}.md`;
  const lines = [`# ${day}`, '', '## Operations', '', `- ${OFTEN_ASKED}`, `- ${ONCE_ASKED}`];
  home.write(`workspace/${note}`, `${lines.join('\n')}\n- [ ] ask Ana about the export\n`);
  const { recallLog } = dreamWorkspace(home.at('workspace'), { stateDir: home.path }).files;
  const ask: DreamHome['ask'] = (text, query, daysAgo) => {
    const startLine = lines.indexOf(`- ${text}`) + 1;
    const place = { source: 'memory', path: note, startLine, endLine: startLine } as const;
    appendRecall(recallLog, {
      atMs: nowMs - daysAgo * DAY_MS,
      queryHash: queryHashOf(query),
      claims: [{ text, ...place, score: 0.9 }],
    });
  };
  for (const [at, query] of [
    'backup time',
    'nightly job',
    'storage jobs',
    'when',
    '2:30',
  ].entries())
    ask(OFTEN_ASKED, query, at * 0.9);
  ask(ONCE_ASKED, 'who owns billing', 1);
  return { home, note, ask, read: (path) => readFileSync(home.at(`workspace/${path}`), 'utf8') };
}
