import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expandQuestion, findCommand } from '../../src/cli/fast-start.js';
import { folderOf } from '../support/temp-folder.js';

const test = suite('finding a command');

const { path: dir } = folderOf({
  'memory/search.js': '',
  'memory/index/index.js': '',
  'config/get.js': '',
  'version.js': '',
  'secret.txt': '',
  'oclif.manifest.json': JSON.stringify({
    commands: {
      'memory:search': { aliases: ['search', 'find:it'] },
      version: { aliases: [] },
    },
  }),
});
const find = (...argv: string[]) => findCommand(argv, { dir, extension: '.js', root: dir });

test('the longest matching command is run, the rest are its arguments', () => {
  const found = find('memory', 'search', 'backup', '--json');
  assert.is(found?.id, 'memory:search');
  assert.equal(found?.argv, ['backup', '--json']);
  assert.equal(find('config', 'get', 'memory')?.argv, ['memory']);
  assert.is(find('version')?.id, 'version');
});

test('an alias runs its command unless a command has that name', () => {
  const found = find('search', 'backup', '--json');
  assert.is(found?.id, 'memory:search');
  assert.ok(found?.modulePath.endsWith('memory/search.js'));
  assert.equal(found?.argv, ['backup', '--json']);
  assert.equal(find('find', 'it', 'backup')?.argv, ['backup']);
  assert.is(find('find'), undefined);
});

test('a question in quotes searches memory, unless its words are those of a command', () => {
  const expand = (...argv: string[]) =>
    expandQuestion(argv, { dir, extension: '.js', root: dir }).join('|');
  assert.is(expand('who owns billing', '--json'), 'memory|search|who owns billing|--json');
  assert.is(expand('Wer zahlt?'), 'memory|search|Wer zahlt?');
  assert.is(expand('../up and away'), 'memory|search|../up and away');
  for (const words of ['memory search', 'version', '--config a b', '', '  ']) {
    assert.is(expand(words), words);
  }
});

test('a word after a topic that is also an alias is a command of the topic', () => {
  const { path } = folderOf({
    'dream/run.js': '',
    'oclif.manifest.json': JSON.stringify({ commands: { 'dream:run': { aliases: ['dream'] } } }),
  });
  const modules = { dir: path, extension: '.js', root: path } as const;
  assert.is(findCommand(['dream', '--json'], modules)?.id, 'dream:run');
  assert.is(findCommand(['dream', 'stauts'], modules), undefined);
});

test('a command called index is found', () => {
  const found = find('memory', 'index', '--force');
  assert.is(found?.id, 'memory:index');
  assert.equal(found?.argv, ['--force']);
  assert.equal(find('memory', 'index', 'index')?.argv, ['index']);
});

test('topics, unknown words, flags first and no words at all are left to oclif', () => {
  for (const argv of [
    ['memory'],
    ['memroy', 'search'],
    ['--version'],
    ['-h'],
    [],
    ['help', 'memory'],
  ]) {
    assert.is(find(...argv), undefined, argv.join(' '));
  }
});

test('help is left to oclif, but not words after --', () => {
  assert.is(find('memory', 'search', '--help'), undefined);
  assert.is(find('memory', 'search', 'x', '-h'), undefined);
  assert.equal(find('memory', 'search', '--', '--help')?.argv, ['--', '--help']);
});

test('no word leads outside the folder of commands', () => {
  for (const argv of [
    ['..', 'secret'],
    ['../secret'],
    ['memory/search'],
    ['.'],
    ['MEMORY', 'search'],
    [''],
  ]) {
    assert.is(find(...argv), undefined, argv.join(' '));
  }
});

test.run();
