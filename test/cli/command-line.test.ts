import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandLine, type KnownWords } from '../../src/cli/command-line.js';
import { ROOT } from '../support/run-svc.js';

const test = suite('variables of repeatable flags');

interface Manifest {
  readonly commands: Readonly<Record<string, KnownWords>>;
}

const { commands }: Manifest = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8'));
const repeatable = Object.entries(commands).flatMap(([id, { flags }]) =>
  Object.entries(flags).flatMap(([name, { multiple, env }]) =>
    multiple === true && env !== undefined ? [{ id, name, env, flags }] : [],
  ),
);

test('there are repeatable flags with variables', () => {
  assert.ok(repeatable.length > 10, String(repeatable.length));
});

for (const { id, name, env, flags } of repeatable) {
  test(`${env} gives svc ${id.replaceAll(':', ' ')} a list`, () => {
    const wordsOf = (text: string) =>
      new CommandLine([], { flags, args: {} }).forParser({ [env]: text });
    assert.equal(wordsOf('one, two'), [`--${name}=one`, `--${name}=two`]);
    assert.equal(wordsOf('one'), [`--${name}=one`]);
    assert.equal(wordsOf('one,,two,'), [`--${name}=one`, `--${name}=two`]);
    assert.equal(wordsOf(''), []);
    // Without a value, oclif would pass on a text where the command expects a list.
    assert.equal(wordsOf(','), [`--${name}=,`]);
  });
}

test('a typed flag takes precedence, and words after -- stay where they are', () => {
  const { flags = {} } = commands['memory:add'] ?? {};
  const env = { SVC_TAG: 'work' };
  const typed = ['--tag', 'home', '--', '-text'];
  const wordsOf = (words: readonly string[]) =>
    new CommandLine(words, { flags, args: {} }).forParser(env);
  assert.equal(wordsOf(typed), typed);
  assert.equal(wordsOf(['--', '-text']), ['--tag=work', '--', '-text']);
});

test.run();
