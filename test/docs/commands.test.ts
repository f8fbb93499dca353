import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS, faultOf, SCRIPTS, wordsOf } from './command-line.js';
import { allPages, codeSpansOf, fencesOf, type Page } from './pages.js';

const pages = allPages();

/** The lines that a reader is meant to type: all of a shell block, those after `$` elsewhere. */
function typedLines({ text }: Page): readonly string[] {
  return fencesOf(text).flatMap((fence) => {
    const lines = fence.text.replaceAll('\\\n', ' ').split('\n');
    return fence.language === 'sh' ? lines : lines.filter((line) => line.startsWith('$ '));
  });
}

function faultsIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const fault = faultOf(wordsOf(line));
    return fault === undefined ? [] : `${line}: ${fault}`;
  });
}

for (const page of pages) {
  test(`every command in the blocks of ${page.path} can be typed`, () => {
    assert.equal(faultsIn(typedLines(page)), []);
  });

  test(`every command in the text of ${page.path} exists`, () => {
    const spans = codeSpansOf(page.text).filter((span) => /^(?:svc|npm) [a-z-]/.test(span));
    // In a sentence a command is named without its arguments.
    const faults = faultsIn(spans).filter((fault) => !fault.endsWith('an argument is missing'));
    assert.equal(faults, []);
  });
}

for (const command of COMMANDS) {
  test(`the help of ${command.id} has examples, and they parse`, () => {
    const examples = (command.examples ?? []).map((example) =>
      example
        .replaceAll('<%= config.bin %>', 'svc')
        .replaceAll('<%= command.id %>', command.id.replaceAll(':', ' ')),
    );
    assert.ok(examples.length > 0);
    for (const example of examples) assert.is(wordsOf(example)[0], 'svc');
    assert.equal(faultsIn(examples), []);
  });
}

test('the README begins with two commands for a fresh machine', () => {
  const readme = pages.find((page) => page.path === 'README.md');
  const [first] = fencesOf(readme?.text ?? '').filter((fence) => fence.language === 'sh');
  const programs = (first?.text ?? '').trimEnd().split('\n').map(wordsOf);
  assert.equal(
    programs.map((words) => words.slice(0, 2)),
    [
      ['npm', 'start'],
      ['npm', 'test'],
    ],
  );
  for (const [, script] of programs) assert.ok(script !== undefined && script in SCRIPTS);
});

test('the check finds violations', () => {
  const fault = (line: string): string | undefined => faultOf(wordsOf(line));
  assert.is(fault('svc memory search "a b" -n 3 | less'), undefined);
  assert.is(fault("$ SVC_JSON=1 svc memory get 'a#L1-L2' --from=3 # a comment"), undefined);
  assert.is(fault('npm start -- memory status --json'), undefined);
  assert.is(fault('svc memory serach x'), 'no command memory serach');
  assert.is(fault('svc memory search x --max-result 3'), 'memory:search has no flag --max-result');
  assert.is(fault('svc memory search x y'), undefined);
  assert.is(fault('svc memory get x y'), 'memory:get: too many arguments');
  assert.is(fault('svc memory get --from 3'), 'memory:get: an argument is missing');
  assert.is(fault('svc memory search x --source web'), '--source does not take web');
  assert.is(fault('npm start -- memory sarch'), 'no command memory sarch');
  assert.is(fault('npm run no-such-script'), 'no script no-such-script');
  assert.is(fault('node scripts/no-such-file.js'), 'there is no scripts/no-such-file.js');
});

test.run();
