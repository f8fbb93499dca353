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
  'system_notification',
  'timestamp',
]);
/** What Cursor asks as the user when a task or a sub-agent has ended, and after an interruption. */
const MACHINE_PROMPT =
  /^(?:Perform any necessary follow-up actions in response to the subagent completion|Briefly inform the user about the task result and perform any follow-up actions|The beginning of the above subagent result is already visible to the user|You are the forked subagent; continue executing your task|Your previous response was interrupted\. Continue from where you left off)/u;
/** Stands for thoughts, after an answer or in its place. */
const THOUGHTS = /^\[REDACTED\]$/gmu;

/**
 * Cursor's agent: `~/.cursor/projects/<folder, with - for every other character>/agent-transcripts/`, as
 * `<id>.jsonl` or `<id>/<id>.jsonl`. Lines are `{role, message: {content: [{type, text}]}}`; what the user
 * typed is in `<user_query>`, mostly after its `<timestamp>`. Answers have no time, and lines no folder: the project is
 * only known from the path.
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
    const said = role === 'user' ? typedText(rawText) : rawText.replaceAll(THOUGHTS, '');
    const text = withoutInjections(said, MACHINE_BLOCKS);
    const at = role === 'user' ? timeIn(rawText) : undefined;
    return turnOrNoise(role, text, at ?? timeOf(record['timestamp']));
  },
};

const NOTIFICATION = blocksOf(['system_notification']);
const QUERY = /<user_query>(.*?)(?:<\/user_query>|$)/gsu;

function typedText(text: string): string {
  // They may quote another conversation.
  const own = text.replaceAll(NOTIFICATION, '');
  const queries = Array.from(own.matchAll(QUERY), ([, query = '']) => query.trim());
  return (queries.length === 0 ? [withoutInjections(own, MACHINE_BLOCKS)] : queries)
    .filter((query) => !MACHINE_PROMPT.test(query))
    .join('\n\n');
}

/** `<timestamp>Tuesday, Jul 21, 2026, 1:11 PM (UTC+3)</timestamp>` */
const TIME = /<timestamp>([^<()]{1,80})\((UTC[\d:+-]{0,6})\)<\/timestamp>/u;

function timeIn(text: string): string | undefined {
  const [before = ''] = text.split('<user_query>', 1);
  const [, time, zone] = TIME.exec(before) ?? [];
  return time === undefined ? undefined : timeOf(`${time}${zone}`);
}
