import { join } from 'node:path';
import {
  blocksOf,
  folderSlug,
  NOISE,
  objectField,
  roleOf,
  stringField,
  type TranscriptReader,
  textOfContent,
  timeOf,
  turnOrNoise,
  withoutInjections,
} from '../transcript-reader.js';

const MACHINE_BLOCKS = blocksOf([
  'open_and_recently_viewed_files',
  'user_info',
  'git_status',
  'agent_transcripts',
  'agent_skills',
  'rules',
  'attached_files',
  'system_reminder',
  'timestamp',
]);

/**
 * Cursor's agent: `~/.cursor/projects/<folder, with - for every other character>/agent-transcripts/`, as
 * `<id>.jsonl` or `<id>/<id>.jsonl`. Lines are `{role, message: {content: [{type, text}]}}`; what the user
 * typed is in `<user_query>`. Lines have no time and no folder: the project is only known from the path.
 * Cursor passes these paths to hooks as `transcript_path` (https://cursor.com/docs/agent/hooks);
 * conversations before 2026 are in its own database.
 */
export const cursorReader: TranscriptReader = {
  defaultLocation: ({ homeDir }) => join(homeDir, '.cursor', 'projects'),
  accepts: (segments, kind) => {
    const below = segments.indexOf('agent-transcripts');
    if (kind === 'folder') return segments.length === 1 || below === 1;
    const name = segments.at(-1) ?? '';
    return name.endsWith('.jsonl') && !segments.includes('subagents');
  },
  mayBeOfProject: ([project], folders) =>
    folders.some((folder) => folderSlug(folder).replace(/^-+/u, '') === project),
  read(record) {
    const message = objectField(record, 'message');
    if (message === undefined) return NOISE;
    const rawText = textOfContent(message['content']);
    const role = roleOf(stringField(record, 'role'));
    const typed = role === 'user' ? typedText(rawText) : rawText;
    const text = withoutInjections(typed, MACHINE_BLOCKS);
    return turnOrNoise(role, text, timeOf(record['timestamp']));
  },
};

const OPENING = '<user_query>';
const CLOSING = '</user_query>';

function typedText(text: string): string {
  const start = text.indexOf(OPENING);
  if (start === -1) return text;
  const end = text.indexOf(CLOSING, start);
  return text.slice(start + OPENING.length, end === -1 ? undefined : end);
}
