import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseQuestions, readQuestions } from '../../../src/engine/eval/question-file.js';
import { failureOf } from '../../support/failure.js';

const test = suite('files of questions');

async function faultOf(text: string) {
  return failureOf((async () => parseQuestions(text, '/q.jsonl'))());
}

test('paths, lines and texts are expected; ids are made where there are none', () => {
  const [first, second] = parseQuestions(
    [
      '{"id": "car", "question": " Which car? ", "expect": ["./memory/a.md#L3-L5", "MEMORY.md"], "tags": ["x", "x"]}',
      '',
      '{"question": "Who?", "expect": [{"text": "blue estate"}, "b.md#L7"], "workspace": "notes"}',
      '',
    ].join('\r\n'),
    '/q.jsonl',
  );
  assert.equal(first, {
    id: 'car',
    question: 'Which car?',
    expect: [
      { kind: 'lines', path: 'memory/a.md', startLine: 3, endLine: 5 },
      { kind: 'file', path: 'MEMORY.md' },
    ],
    tags: ['x'],
  });
  assert.match(second?.id ?? '', /^[0-9a-f]{16}$/);
  assert.equal(second?.expect, [
    { kind: 'text', text: 'blue estate' },
    { kind: 'lines', path: 'b.md', startLine: 7, endLine: 7 },
  ]);
  const [again] = parseQuestions('{"question": "Who?", "expect": ["z"], "workspace": "notes"}', '');
  assert.is(again?.id, second?.id, 'what is expected does not change which question it is');
});

test('every fault is named with its line, the first with its place', async () => {
  const lines = ['{"question": "a", "expect": ["b"]}', '{"question": "", "expect": ["b"]}', 'no'];
  const error = await faultOf(lines.join('\n'));
  assert.is(error.code, 'EVAL_QUESTIONS_INVALID');
  assert.equal(error.location, { file: '/q.jsonl', line: 2, column: 1 });
  assert.is(error.message, '"question" must be a non-empty string (and 1 more line)');
  const { faults } = error.details ?? {};
  assert.equal(Array.isArray(faults) && faults.map(({ line }) => line), [2, 3]);
});

for (const [line, message] of [
  ['[]', 'must be a JSON object'],
  ['{"question": "a"}', '"expect" must be a list of at least one path'],
  ['{"question": "a", "expect": []}', '"expect" must be a list of at least one path'],
  ['{"question": "a", "expect": [7]}', '"expect[0]" must be a path'],
  ['{"question": "a", "expect": ["b"], "tag": "c"}', 'unknown key tag'],
  ['{"question": "a", "expect": ["b"], "tags": "c"}', '"tags" must be a list of strings'],
  ['{"expect": ["b"]}', '"question" must be a non-empty string'],
] as const) {
  test(`${line}: ${message}`, async () => {
    assert.ok((await faultOf(line)).message.startsWith(message));
  });
}

test('two lines of one id are a fault; a file without questions is one', async () => {
  const line = '{"id": "a", "question": "b", "expect": ["c"]}';
  assert.is((await faultOf(`${line}\n${line}`)).message, 'duplicate id "a"');
  assert.is((await faultOf('\n \n')).message, '/q.jsonl contains no questions');
});

test('a file that is not there says how to make one', async () => {
  const error = await failureOf((async () => readQuestions('/nowhere/q.jsonl'))());
  assert.is(error.code, 'EVAL_QUESTIONS_INVALID');
  assert.match(error.hint ?? '', /--generate/);
});

test('a file without an end is refused', async () => {
  const error = await failureOf((async () => readQuestions('/dev/zero'))());
  assert.is(error.message, 'cannot read /dev/zero: it is too large');
});

test.run();
