import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findCommand } from '../../src/cli/dispatch.js';
import { folderOf } from '../support/temp-folder.js';

const test = suite('finding a command');

const { path: dir } = folderOf({
  'memory/search.js': '',
  'memory/index/index.js': '',
  'config/get.js': '',
  'version.js': '',
  'secret.txt': '',
});
const find = (...argv: string[]) => findCommand(argv, { dir, extension: '.js' });

test('the longest command that the words name is taken, the rest is its own', () => {
  const found = find('memory', 'search', 'backup', '--json');
  assert.is(found?.id, 'memory:search');
  assert.equal(found?.argv, ['backup', '--json']);
  assert.equal(find('config', 'get', 'memory')?.argv, ['memory']);
  assert.is(find('version')?.id, 'version');
});

test('a command called index is one', () => {
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

test('help is left to oclif, but not what stands after --', () => {
  assert.is(find('memory', 'search', '--help'), undefined);
  assert.is(find('memory', 'search', 'x', '-h'), undefined);
  assert.equal(find('memory', 'search', '--', '--help')?.argv, ['--', '--help']);
});

test('no word leaves the folder of commands', () => {
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
