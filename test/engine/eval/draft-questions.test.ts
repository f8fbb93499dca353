import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  draftLines,
  draftQuestions,
  passagesOfFile,
  questionOfHeading,
  questionOfSentence,
} from '../../../src/engine/eval/draft-questions.js';
import { parseQuestions } from '../../../src/engine/eval/question-file.js';
import { backendOn, targetOf } from '../../support/memory.js';
import { folderOf } from '../../support/temp-folder.js';

const test = suite('drafting questions');

function linesOf(text: string): ReadonlyMap<number, string> {
  return new Map(text.split('\n').map((line, at) => [at + 1, line]));
}

test('passages know their headings, lines and sentences; code and tables are no prose', () => {
  const text = [
    '# House',
    '',
    '## Heating',
    'The **boiler** is from 2019. It runs [on gas](x).',
    '',
    '```sh',
    '# not a heading at all',
    '```',
    '| a | b |',
    '- Bleed the radiators in October.',
    '',
    '## Empty',
  ].join('\n');
  const [passage, ...others] = passagesOfFile('a.md', linesOf(text));
  assert.is(others.length, 0);
  assert.equal(
    [passage?.heading, passage?.startLine, passage?.endLine],
    [['House', 'Heating'], 3, 10],
  );
  assert.equal(
    passage?.sentences.map((sentence) => [sentence.line, sentence.text]),
    [
      [4, 'The boiler is from 2019.'],
      [4, 'It runs on gas.'],
      [10, 'Bleed the radiators in October.'],
    ],
  );
});

for (const [title, question] of [
  ['How to renew the certificate', 'How do I renew the certificate?'],
  ['Renewing certificates', 'How does renewing certificates work?'],
  ['Why two disks', 'Why two disks?'],
  ['Which car?', 'Which car?'],
  ['Backups', 'What do the notes say about Backups?'],
  ['Nightly backups', 'What do the notes say about nightly backups?'],
  ['3 February 2026', undefined],
  ['Notes', undefined],
] as const) {
  test(`the heading "${title}" asks: ${question}`, () => {
    assert.is(questionOfHeading(['Top', title]), question);
  });
}

test('sentences ask what something is, why, or for their rarest words', () => {
  const rarity = (word: string): number => word.length;
  const ask = (text: string): string => questionOfSentence(text, rarity);
  assert.is(ask('The boiler is from 2019.'), 'What is the boiler?');
  assert.is(ask('We moved to Postgres because of the locks.'), 'Why: we moved to Postgres?');
  assert.is(
    ask('Bleed the radiators in the whole house every October!'),
    'Bleed radiators whole house October',
  );
  assert.is(ask('Is it on?'), 'Is it on?');
});

const NOTES = Object.fromEntries(
  Array.from({ length: 6 }, (_, at) => [
    `memory/note-${at}.md`,
    `# Topic ${at}a\n\n## Part ${at}b things\n\nThe gadget${at} is kept in drawer ${at} of the desk.\n\nSome more words follow here for the ${at} time.\n`,
  ]),
);

test('drafts are spread over the files, can be asked as they are, and are the same for a seed', async () => {
  const backend = backendOn(targetOf(folderOf(NOTES).path));
  const draft = (count: number, seed: number) =>
    draftQuestions(backend, { count, seed, signal: new AbortController().signal });
  const drafts = await draft(6, 1);
  assert.equal(drafts, await draft(6, 1));
  assert.not.equal(drafts, await draft(6, 2));
  const files = new Set(drafts.map(({ expect: [place = ''] }) => place.split('#')[0]));
  assert.is(files.size, 6);
  const questions = parseQuestions(draftLines(drafts), 'drafts');
  assert.is(questions.length, 6);
  for (const { question, expect } of questions) {
    const [wanted] = expect;
    assert.is(wanted?.kind, 'lines');
    const { results } = await backend.search({ query: question });
    assert.ok(results.some(({ path }) => wanted?.kind === 'lines' && path === wanted.path));
  }
  const all = await draft(1000, 1);
  assert.ok(all.length > 6 && all.length < 1000);
  assert.equal([...new Set(all.flatMap(({ tags }) => tags))].sort(), ['heading', 'sentence']);
  await backend.close();
});

test('a signal stops it between two files', async () => {
  const backend = backendOn(targetOf(folderOf(NOTES).path));
  await backend.search({ query: 'boiler' });
  const stop = new AbortController();
  const get: typeof backend.get = (...args) => {
    // A signal of the system is delivered as late as this.
    setImmediate(() => stop.abort(new Error('stopped')));
    return backend.get(...args);
  };
  const drafting = draftQuestions({ ...backend, get }, { count: 6, seed: 1, signal: stop.signal });
  const outcome = await drafting.catch((error: unknown) => String(error));
  assert.is(outcome, 'Error: stopped');
  await backend.close();
});

test.run();
