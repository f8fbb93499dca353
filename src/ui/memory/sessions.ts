import type { SessionListOutput, SessionOutput } from '../../engine/memory/sessions/index.js';
import { formatBytes, formatRelativeTime } from '../../engine/support/format.js';
import { safeLine } from '../safe-text.js';
import type { View } from '../style.js';
import { limitNote, renderTable } from '../table.js';
import { renderTurn } from './get.js';

/** Characters of an ID: sufficient for thousands of conversations. */
const ID_CHARS = 8;
const COLUMNS = [
  'id',
  { title: 'from', dropOrder: 3 },
  'last',
  { title: 'state', dropOrder: 2 },
  { title: 'archived', dropOrder: 1 },
  'title',
];

const WHY_NONE = {
  off: 'They are off: set memorySearch.experimental.sessionMemory to true, and add "sessions" to memorySearch.sources.\n',
  on: `sessions.readers names the agents whose conversations are read. Without a path, only those held in the workspace or in the folder of svc.json
are; for those of all projects, write for example {"id": "claude-code", "path": "~/.claude/projects"}.
`,
  filtered: '',
};

/** Conversations as a table. @param scope whether they are searched, and whether only some of them were asked for */
export function renderSessions(
  { sessions, total }: SessionListOutput,
  { style, nowMs, columns }: View,
  scope: keyof typeof WHY_NONE,
): string {
  if (total === 0) return `no conversations\n${WHY_NONE[scope]}`;
  const rows = sessions.map(({ id, reader, lastAt, state, archivedBytes, title }) => [
    id.slice(0, ID_CHARS),
    safeLine(reader),
    formatRelativeTime(Date.parse(lastAt), nowMs),
    state,
    archivedBytes === 0 ? '–' : formatBytes(archivedBytes),
    safeLine(title),
  ]);
  const table = renderTable(COLUMNS, rows, { style, columns });
  return table + limitNote({ listed: sessions.length, total, noun: 'conversation' }, style);
}

/** A conversation with the line of each turn. */
export function renderSession(
  { title, path, state, turns }: SessionOutput,
  { style }: Pick<View, 'style'>,
): string {
  const head = `${style.bold(safeLine(title))}\n${style.dim(`${safeLine(path)}  ${state}`)}\n`;
  const options = { style, lineNumbers: true, escape: true };
  const lines = turns.map((turn) => `\n${renderTurn({ ...turn, asked: true }, options)}`);
  return head + lines.join('');
}
