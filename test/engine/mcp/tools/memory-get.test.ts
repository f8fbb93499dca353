import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { createLiveMemory } from '../../../../src/engine/mcp/live-memory.js';
import { type McpContext, sessionOf } from '../../../../src/engine/mcp/mcp-context.js';
import { getLines } from '../../../../src/engine/mcp/tools/answers.js';
import { type MemorySelection, openMemory } from '../../../../src/engine/memory/open-memory.js';
import { contextOf } from '../../../support/context.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { message } from '../../../support/transcripts.js';

const test = suite('memory_get');

const NEVER = new AbortController().signal;

/** Reads a file of this text from its beginning to its end, as an agent does that follows nextFrom. */
async function readOn(text: string): Promise<readonly string[]> {
  const folder = tempFolder();
  folder.write('a.md', text);
  const home = tempFolder().path;
  return readAll(home, { kind: 'workspace', dir: folder.path }, 'a.md');
}

async function readAll(
  home: string,
  selection: MemorySelection,
  path: string,
): Promise<readonly string[]> {
  const clock = { now: Date.now };
  const context = contextOf(home);
  const opened = await openMemory(context, selection);
  const log = { info: () => undefined, warn: () => undefined };
  const memory = createLiveMemory({ open: async () => opened, clock, log });
  const session = sessionOf({});
  const mcpContext: McpContext = { memory, session, mask: createSecretMask(), log, version: '0' };
  const parts: string[] = [];
  for (let from: number | undefined = 1; from !== undefined; ) {
    const answer = await getLines({ path, from }, NEVER, mcpContext);
    assert.ok(answer.text.length <= 12_000);
    assert.is(answer.truncated, answer.nextFrom !== undefined);
    parts.push(answer.text);
    from = answer.nextFrom;
  }
  await memory.close();
  await opened.backend.close();
  return parts;
}

test('returns a long file in parts that add up to the whole', async () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `Line ${at} ${'x'.repeat(at % 400)}`);
  const parts = await readOn(lines.join('\n'));
  assert.ok(parts.length > 8);
  assert.equal(parts.join('\n').split('\n'), lines);
});

test('omits the bytes of images embedded in a note', async () => {
  const image = `data:image/png;base64,${'iVBORw0KGgo+/'.repeat(5000)}`;
  const parts = await readOn(`![a](${image})\n\n[b]: <${image}>\nend`);
  const left = 'data:image/png;base64,…';
  assert.equal(parts, [`![a](${left})\n\n[b]: <${left}>\nend`]);
});

test('returns 120 short lines at once', async () => {
  const lines = Array.from({ length: 250 }, (_, at) => `${at}`);
  const parts = await readOn(lines.join('\n'));
  assert.equal(
    parts.map((part) => part.split('\n').length),
    [120, 120, 10],
  );
});

test('truncates a line that is too long between characters, and shows that', async () => {
  const [first = '', ...rest] = await readOn(`${'x'.repeat(11_998)}🦓🦓\nend`);
  assert.is(first, `${'x'.repeat(11_998)}…`);
  assert.equal(rest, ['end']);
});

test('returns a long conversation in parts, by the lines of its transcript', async () => {
  const home = tempFolder();
  home.write('workspace/memory/a.md', 'A note.');
  const memorySearch = {
    provider: 'none',
    sources: ['memory', 'sessions'],
    experimental: { sessionMemory: true },
  };
  home.write('svc.json', JSON.stringify({ agents: { defaults: { memorySearch } } }));
  const words = Array.from({ length: 300 }, (_, at) => `word${at} ${'y'.repeat(at % 200)}`);
  const lines = words.flatMap((text) => [message('user', text), message('toolResult', 'noise')]);
  home.write('agents/main/sessions/talk.jsonl', lines.join(''));
  const parts = await readAll(home.path, { kind: 'agent' }, 'sessions/main/talk.jsonl');
  assert.ok(parts.length > 2);
  assert.equal(
    parts.flatMap((part) => part.split('\n').map((turn) => /word\d+/.exec(turn)?.[0])),
    words.map((text) => text.split(' ')[0]),
  );
});

test.run();
