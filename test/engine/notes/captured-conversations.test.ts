import { appendFileSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SvcError } from '../../../src/engine/errors/index.js';
import {
  type CaptureRequest,
  captureConversation,
} from '../../../src/engine/notes/capture/index.js';
import { changeNotes } from '../../../src/engine/notes/change-notes.js';
import { undoNotes } from '../../../src/engine/notes/undo-notes.js';
import { tempFolder } from '../../support/temp-folder.js';
import { message } from '../../support/transcripts.js';
import { noteWorld } from './note-world.js';

const test = suite('conversations that are captured');

const GATE = message('user', 'Remember that the gate is green.');
const DOOR = message('user', 'Remember that the door is red.');
const FENCE = message('user', 'Remember that the fence is blue.');

async function aMemory() {
  const folder = tempFolder();
  folder.write('notes/MEMORY.md', '# Mine\n');
  const { memory, options } = await noteWorld(folder.path);
  return {
    folder,
    memory,
    options,
    capture: async (file: string, more: Partial<CaptureRequest> = {}) => {
      const request = { file, reader: undefined, session: undefined, dryRun: false, ...more };
      const { decisions } = (await captureConversation(memory, request, options)).capture;
      return decisions.map(({ text, outcome }) => `${outcome}: ${text}`);
    },
    captureAt: async (day: string, file: string) => {
      const clock = { now: () => Date.parse(`${day}T12:00:00Z`) };
      const request = { file, reader: 'svc', session: undefined, dryRun: false } as const;
      const context = { ...options.context, clock };
      const { capture } = await captureConversation(memory, request, { ...options, context });
      return capture.decisions.map(({ outcome, citation }) => [outcome, citation]);
    },
    undo: () => undoNotes(memory, { last: 1 }, options),
    /** As an earlier version did. */
    mark: (key: string, lines: number) =>
      changeNotes(memory, options, ({ captures, nowMs }) => captures.put(key, lines, nowMs)),
  };
}

test('files of the same name are different conversations', async () => {
  const { folder, capture } = await aMemory();
  const reader = 'svc';
  const [a, b] = [folder.write('a/session.jsonl', GATE), folder.write('b/session.jsonl', DOOR)];
  assert.equal(await capture(a, { reader }), ['added: Remember that the gate is green.']);
  assert.equal(await capture(b, { reader }), ['added: Remember that the door is red.']);
  assert.equal(await capture(folder.write('c/session.jsonl', GATE + FENCE), { reader }), [
    'known: Remember that the gate is green.',
    'added: Remember that the fence is blue.',
  ]);
});

test('a fork repeats no decision of the conversation that it continues, on any day', async () => {
  const { folder, captureAt } = await aMemory();
  const [first, fork] = [folder.write('a.jsonl', GATE), folder.write('b.jsonl', GATE + DOOR)];
  const added = ['added', 'memory/2026-02-03.md#L5'];
  assert.equal(await captureAt('2026-02-03', first), [added]);
  assert.equal(await captureAt('2026-02-04', fork), [
    ['known', 'memory/2026-02-03.md#L5'],
    ['added', 'memory/2026-02-04.md#L5'],
  ]);
  // What is in no note any more may be decided again.
  folder.write('notes/memory/2026-02-03.md', '# Mine\n');
  assert.equal(await captureAt('2026-02-05', folder.write('c.jsonl', GATE)), [
    ['added', 'memory/2026-02-05.md#L5'],
  ]);
});

test('what is decided again later is added again', async () => {
  const { folder, captureAt } = await aMemory();
  const gateAt = (at: string) => message('user', 'Remember that the gate is green.', at);
  const [first, later] = ['2026-02-03T11:00:00Z', '2026-02-05T11:00:00Z'].map(gateAt);
  assert.equal(await captureAt('2026-02-03', folder.write('a.jsonl', first ?? '')), [
    ['added', 'memory/2026-02-03.md#L5'],
  ]);
  assert.equal(await captureAt('2026-02-05', folder.write('b.jsonl', DOOR + (first ?? ''))), [
    ['added', 'memory/2026-02-05.md#L5'],
    ['known', 'memory/2026-02-03.md#L5'],
  ]);
  assert.equal(await captureAt('2026-02-05', folder.write('c.jsonl', `${first}${later}`)), [
    ['added', 'memory/2026-02-05.md#L6'],
  ]);
});

test('decisions beyond the limit of a run are reported', async () => {
  const { memory, folder, options } = await aMemory();
  const turns = Array.from({ length: 21 }, (_, n) =>
    message('user', `Remember that door ${n} is red.`),
  );
  const request = { reader: undefined, session: undefined, dryRun: true };
  const run = async (lines: readonly string[]) =>
    captureConversation(
      memory,
      { ...request, file: folder.write('s.jsonl', lines.join('')) },
      options,
    );
  const { capture, warnings } = await run(turns);
  assert.is(capture.decisions.length, 20);
  assert.equal(
    warnings.map(({ code, message: said }) => [code, said]),
    [['CAPTURE_LIMITED', 'only the first 20 of 21 decisions were captured']],
  );
  assert.equal((await run(turns.slice(1))).warnings, []);
});

test('however a capture is started, what was taken back is not added again', async () => {
  const { folder, capture, undo } = await aMemory();
  const file = folder.write('session.jsonl', GATE);
  assert.equal(await capture(file, { reader: 'svc' }), ['added: Remember that the gate is green.']);
  await undo();
  assert.equal(await capture(file), []);
  assert.equal(await capture(file, { reader: 'svc', session: 's1' }), []);
  appendFileSync(file, DOOR);
  assert.equal(await capture(file, { session: 's1' }), ['added: Remember that the door is red.']);
  const link = folder.at('link.jsonl');
  symlinkSync(file, link);
  assert.equal(await capture(link, { reader: 'svc' }), []);
  appendFileSync(file, FENCE);
  assert.equal(await capture(link), ['added: Remember that the fence is blue.']);
  assert.equal(await capture(file), []);
});

test('a file that another conversation replaced, or that is shorter, is read from its start', async () => {
  const { folder, capture } = await aMemory();
  const write = (...lines: readonly string[]) => folder.write('session.jsonl', lines.join(''));
  await capture(write(GATE, GATE, DOOR));
  assert.equal(await capture(write(GATE, FENCE)), [
    'known: Remember that the gate is green.',
    'added: Remember that the fence is blue.',
  ]);
  const lamp = message('user', 'Remember that the lamp is dark.');
  assert.equal(await capture(write(lamp, lamp, lamp)), ['added: Remember that the lamp is dark.']);
});

test('the last line is captured without its line break, but not before it is whole', async () => {
  const { folder, capture } = await aMemory();
  const file = folder.write('session.jsonl', GATE + DOOR.trimEnd());
  assert.equal(await capture(file), [
    'added: Remember that the gate is green.',
    'added: Remember that the door is red.',
  ]);
  appendFileSync(file, `\n${FENCE.slice(0, -4)}`);
  assert.equal(await capture(file), []);
  appendFileSync(file, FENCE.slice(-4));
  assert.equal(await capture(file), ['added: Remember that the fence is blue.']);
});

test('a hook continues where one of an earlier version ended', async () => {
  const { folder, capture, mark } = await aMemory();
  const file = folder.write('session.jsonl', GATE + DOOR);
  await mark('svc:s1', 1);
  await mark('svc:session.jsonl', 2);
  assert.equal(await capture(file, { reader: 'svc', session: 's1' }), [
    'added: Remember that the door is red.',
  ]);
  assert.equal(await capture(file), []);
});

test('what a reader of another agent does not understand is captured with the right one', async () => {
  const { folder, capture } = await aMemory();
  const file = folder.write('session.jsonl', GATE);
  assert.equal(await capture(file, { reader: 'claude-code' }), []);
  assert.equal(await capture(file), ['added: Remember that the gate is green.']);
  assert.equal(await capture(file), []);
});

test('a file that is no transcript is refused, but not one with some broken lines', async () => {
  const { folder, capture } = await aMemory();
  const file = folder.write('notes/MEMORY.md', '# Mine\n\nRemember that the gate is green.\n');
  for (const dryRun of [true, false]) {
    const error = await capture(file, { dryRun }).catch((cause: unknown) => cause);
    assert.ok(error instanceof SvcError && error.code === 'CAPTURE_UNREADABLE');
    assert.match(error.message, 'it is not a transcript');
  }
  assert.equal(await capture(folder.write('empty.jsonl', '')), []);
  assert.equal(await capture(folder.write('some.jsonl', `no json\n${GATE}{"cut\n${DOOR}`)), [
    'added: Remember that the gate is green.',
    'added: Remember that the door is red.',
  ]);
});

test.run();
