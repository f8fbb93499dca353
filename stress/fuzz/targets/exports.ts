import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import * as z from 'zod/mini';
import { SessionArchive } from '../../../src/engine/memory/sources/archive/session-archive.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { cpuMs } from '../cpu-time.js';
import { mangledJson, mangledJsonText, textOf, textSchema } from '../mangle.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({
  conversations: z.array(textSchema),
  /** Whether it is in a zip, and how many bytes of that are changed. */
  zip: z.union([z.literal(false), z.array(z.tuple([z.number(), z.number()]))]),
});
type Input = z.infer<typeof inputSchema>;

/** Conversations in the formats of both services. */
const VALID: readonly unknown[] = [
  {
    conversation_id: 'c1',
    title: 'Soup',
    create_time: 1_770_091_506.789,
    update_time: 1_770_091_507,
    current_node: 'b',
    mapping: {
      a: {
        id: 'a',
        parent: null,
        children: ['b'],
        message: { author: { role: 'user' }, content: { content_type: 'text', parts: ['soup?'] } },
      },
      b: {
        id: 'b',
        parent: 'a',
        children: [],
        message: {
          author: { role: 'assistant' },
          create_time: 1_770_091_506.789,
          content: { content_type: 'text', parts: ['yes'] },
        },
      },
    },
  },
  {
    uuid: 'u1',
    name: 'Bread',
    updated_at: '2026-02-03T04:05:06.789Z',
    chat_messages: [
      { sender: 'human', text: 'bread?', created_at: '2026-02-03T04:05:06.789Z' },
      { sender: 'assistant', text: '', content: [{ type: 'text', text: 'yes' }] },
    ],
  },
];

const PIECE = fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', '\\u', '\0', '🦊', 'parent');
const inputs: fc.Arbitrary<Input> = fc.record({
  conversations: fc.array(fc.oneof(mangledJson(VALID), mangledJsonText(VALID, PIECE)), {
    maxLength: 6,
  }),
  zip: fc.oneof(
    fc.constant<false>(false),
    fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 4 }),
  ),
});

const LONGEST_MS = 5000;

/** Exports of services: anything is imported or reported, and the archive stays readable. */
export async function openExportsTarget(): Promise<OpenTarget> {
  const folder = tempFolder();
  const [file, archiveFile] = [folder.at('export'), folder.at('archive.sqlite')];
  const settings = { file: archiveFile, retention: 'follow', maxAgeDays: 0, maxBytes: 0 } as const;
  const archive = new SessionArchive({ ...settings, imports: [file] });
  return openTarget({
    inputs,
    schema: inputSchema,
    check: async ({ conversations, zip }) => {
      const json = Buffer.from(`[${conversations.map(textOf).join(',')}]`);
      const bytes = zip === false ? json : zipSync({ 'conversations.json': json });
      for (const [at, value] of zip === false ? [] : zip) bytes[at] = value;
      writeFileSync(file, bytes);
      const started = cpuMs();
      await archive.update([], { leftOf: (text) => text, nowMs: Date.now() });
      const ms = cpuMs() - started;
      for (const { turns, path } of archive.list(() => false).files) {
        if (!/^sessions\/(?:chatgpt|claude)\/[\w-]+$/u.test(path)) throw new Error(path);
        if ([...(turns?.() ?? [])].length === 0) throw new Error(`${path} has no turns`);
      }
      archive.remove(archive.sessions().map(({ path }) => path));
      if (ms > LONGEST_MS) throw new Error(`${bytes.length} bytes took ${ms} ms`);
    },
  });
}
