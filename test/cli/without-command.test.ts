import { Config } from '@oclif/core/config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readManifest, readPackage } from '../../src/cli/manifest.js';
import { knownWords } from '../../src/cli/without-command.js';
import { ROOT } from '../support/run-svc.js';

const test = suite('the words of commands and topics');

const config = await Config.load({ root: ROOT });
const { commands, topics } = knownWords(readPackage(ROOT), readManifest(ROOT));

test('commands and their aliases are those that oclif finds, in its order', () => {
  assert.equal([...commands.keys()], config.commandIDs);
  for (const { id, aliases, hidden } of config.commands) {
    assert.is(commands.get(id)?.isAlias, aliases.includes(id), id);
    assert.is(commands.get(id)?.hidden === true, hidden === true, id);
  }
});

test('topics are those that oclif finds, and described alike', () => {
  assert.equal([...topics.keys()].sort(), config.topics.map(({ name }) => name).sort());
  // The help command is never listed.
  for (const { name, description } of config.topics.filter(({ name }) => name !== 'help')) {
    assert.is(topics.get(name), description, name);
  }
});

test.run();
