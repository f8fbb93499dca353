import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { SESSION_READERS } from '../../../src/engine/config/defaults.js';
import { backendOn } from '../../../test/support/memory.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import {
  transcriptContent,
  transcriptPlace,
  transcriptTarget,
} from '../../../test/support/transcripts.js';
import { cpuMs } from '../cpu-time.js';
import {
  type FuzzText,
  JSON_PIECES,
  mangledJson,
  mangledJsonText,
  repeatedText,
  textOf,
  textSchema,
} from '../mangle.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({
  reader: z.enum(SESSION_READERS),
  lines: z.array(textSchema),
  /** Share of the file that was there when it was first read, 0 to 1. */
  cut: z.number(),
  /** Whether only conversations from one folder count. */
  narrowed: z.boolean(),
});
type Input = z.infer<typeof inputSchema>;

const AT = '2026-02-03T04:05:06.789Z';
const FOLDER = '/home/ada/project';

/** Lines in the formats of the agents. */
const VALID: readonly unknown[] = [
  { type: 'session', id: 's1', sessionKey: 'agent:main:main', timestamp: AT },
  {
    type: 'message',
    message: { role: 'user', content: 'plain text', timestamp: 1_770_091_506_789 },
  },
  {
    type: 'message',
    message: { role: 'assistant', content: [{ type: 'text', text: 'parts' }], timestamp: AT },
  },
  {
    type: 'user',
    timestamp: AT,
    cwd: FOLDER,
    uuid: 'u1',
    message: { role: 'user', content: 'fix the build' },
  },
  {
    type: 'assistant',
    timestamp: AT,
    cwd: FOLDER,
    message: { role: 'assistant', content: [{ type: 'text', text: 'I look.' }] },
  },
  { type: 'session_meta', timestamp: AT, payload: { id: 'x', cwd: FOLDER } },
  {
    type: 'response_item',
    timestamp: AT,
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: '2+2?' }] },
  },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'old form' }] },
  { sessionId: 's', projectHash: 'h', startTime: AT, lastUpdated: AT },
  { id: '2', timestamp: AT, type: 'user', content: [{ text: 'explain' }], displayContent: '@file' },
  { id: '3', timestamp: AT, type: 'gemini', content: 'It runs in two steps.', thoughts: [] },
  {
    role: 'user',
    message: { content: [{ type: 'text', text: '<user_query>\nrename it\n</user_query>' }] },
  },
];

const PIECE = fc.constantFrom(
  ...JSON_PIECES,
  ...['\\u', '\\ud800', '\r', ' ', '\u2028', 'é', '🦊'],
  ...[
    '<',
    '>',
    '</',
    '<user_query>',
    '</user_query>',
    '<system-reminder>',
    '<relevant-memories',
    '[cron:x]',
  ],
  ...[
    'System: [now] up',
    'Sender (untrusted metadata):',
    '```',
    '```json',
    'NO_REPLY',
    'untrusted',
    'not instructions',
  ],
  ...[
    '<environment_context>',
    '# AGENTS.md instructions',
    '-----BEGIN PRIVATE KEY-----',
    'token=',
    'sk-',
    '://',
    '@',
    'a.',
    'eyJ-',
  ],
);

const lineText: fc.Arbitrary<FuzzText> = fc.oneof(
  {
    weight: 6,
    arbitrary: mangledJson(VALID),
  },
  {
    weight: 3,
    arbitrary: mangledJsonText(VALID, PIECE),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.array(PIECE, { maxLength: 12 }), fc.constantFrom('user', 'assistant'))
      .map(([parts, role]) =>
        JSON.stringify({ type: 'message', message: { role, content: parts.join('\n') } }),
      ),
  },
  {
    weight: 1,
    arbitrary: repeatedText(
      fc.array(PIECE, { maxLength: 2 }).map((parts) => parts.join('')),
      20_000,
    ),
  },
  {
    weight: 1,
    arbitrary: repeatedText(
      fc.array(PIECE, { maxLength: 2 }).map((parts) => JSON.stringify(parts.join('')).slice(1, -1)),
      20_000,
    ).map((text) =>
      typeof text === 'string'
        ? text
        : {
            ...text,
            before: `{"type":"message","message":{"role":"user","content":"${text.before}`,
            after: `${text.after}"}}`,
          },
    ),
  },
);

const inputs: fc.Arbitrary<Input> = fc.record({
  reader: fc.constantFrom(...SESSION_READERS),
  lines: fc.array(lineText, { maxLength: 12 }),
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
  narrowed: fc.boolean(),
});

const LONGEST_MS = 5000;

/** Transcripts of all agents: any line is read or skipped, and a file read in two parts gives the same as a whole. */
export async function openTranscriptsTarget(): Promise<OpenTarget> {
  const folders = SESSION_READERS.flatMap((reader) => [
    openFolder(reader, undefined),
    openFolder(reader, [FOLDER]),
  ]);
  return openTarget({
    inputs,
    schema: inputSchema,
    check: async ({ reader, lines, cut, narrowed }) => {
      const folder = folders.find((one) => one.reader === reader && one.narrowed === narrowed);
      if (folder === undefined) throw new Error(reader);
      const bytes = Buffer.from(`${lines.map(textOf).join('\n')}\n`);
      const at = Math.floor(cut * bytes.length);
      const started = cpuMs();
      const grown = await folder.read([bytes.subarray(0, at), bytes.subarray(at)]);
      const whole = await folder.read([bytes]);
      const ms = cpuMs() - started;
      if (!isDeepStrictEqual(grown, whole))
        throw new Error(`cut at ${at}, it gives something else`);
      if (ms > LONGEST_MS) throw new Error(`${bytes.length} bytes took ${ms} ms`);
    },
    close: async () => {
      for (const { close } of folders) await close();
    },
  });
}

/** An index of one agent's transcripts, reused for all inputs. */
function openFolder(reader: Input['reader'], projectFolders: readonly string[] | undefined) {
  const sessions = tempFolder();
  const target = transcriptTarget(
    tempFolder().path,
    [transcriptPlace(sessions.path, reader, projectFolders)],
    {
      tokens: 48,
      overlap: 12,
    },
  );
  const backend = backendOn(target);
  const name = PLACES[reader];
  sessions.write(name, '');
  const file = sessions.at(name);
  return {
    reader,
    narrowed: projectFolders !== undefined,
    read: async (parts: readonly Uint8Array[]): Promise<unknown> => {
      rmSync(file);
      await backend.sync({});
      writeFileSync(file, '');
      for (const part of parts) {
        appendFileSync(file, part);
        await backend.sync({});
      }
      return transcriptContent(target.indexFile);
    },
    close: () => backend.close(),
  };
}

/** A file that each reader accepts as a transcript. */
const PLACES: Readonly<Record<Input['reader'], string>> = {
  svc: 'talk.jsonl',
  'claude-code': '-home-ada-project/talk.jsonl',
  codex: '2026/02/03/rollout-2026-02-03T04-05-06-x.jsonl',
  'gemini-cli': 'project/chats/session-2026-02-03T04-05-abcdef01.jsonl',
  cursor: 'home-ada-project/agent-transcripts/c1/c1.jsonl',
  opencode: 'opencode.db',
  openclaw: 'main/agent/openclaw-agent.sqlite',
};
