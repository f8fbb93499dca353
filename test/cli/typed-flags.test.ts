import * as Args from '@oclif/core/args';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BaseCommand } from '../../src/cli/base-command.js';
import { createLeanConfig } from '../../src/cli/fast-start.js';
import { choicesFlag, targetFlags, textsFlag, yesFlag } from '../../src/cli/flags.js';
import { messageOf } from '../../src/engine/errors/index.js';
import { ROOT } from '../support/run-svc.js';

const test = suite('parsing typed flags');

class Probe extends BaseCommand {
  static override flags = { ...targetFlags, ...yesFlag };

  typed(): readonly string[] {
    return ['agent', 'workspace', 'yes'].filter((name) => this.isTyped(name));
  }

  async run(): Promise<object> {
    return {};
  }
}

const typed = (...argv: string[]) => new Probe(argv, createLeanConfig({}, ROOT)).typed();

test('long and short flags, also several in a word', () => {
  assert.equal(typed('--agent', 'ada'), ['agent']);
  assert.equal(typed('--agent=ada', '-y'), ['agent', 'yes']);
  assert.equal(typed('-qya', 'ada'), ['agent', 'yes']);
  assert.equal(typed('--', '-y'), []);
});

test('a value in the same word is not another flag', () => {
  assert.equal(typed('-wdata'), ['workspace']);
  assert.equal(typed('-yway'), ['workspace', 'yes']);
});

class Repeatable extends BaseCommand {
  static override args = { query: Args.string() };
  static override flags = {
    source: choicesFlag(['memory', 'sessions'], 'Only this source.'),
    tag: textsFlag('Only notes with this tag.', 'TAG'),
  };

  async run() {
    const { args, flags } = await this.parse(Repeatable);
    return { query: args.query, source: flags.source, tag: flags.tag };
  }
}

test('a repeatable flag takes one value each time, and not an argument', async () => {
  const argv = ['--source', 'memory', '--tag', 'work', '--source', 'sessions', 'backup'];
  assert.equal(await new Repeatable(argv, createLeanConfig({}, ROOT)).run(), {
    query: 'backup',
    source: ['memory', 'sessions'],
    tag: ['work'],
  });
});

class Switchable extends BaseCommand {
  static override strict = false;
  static override flags = yesFlag;

  async run() {
    return (await this.parse(Switchable)).argv;
  }
}

test('a value for a switch is refused', async () => {
  const run = (...argv: string[]) => new Switchable(argv, createLeanConfig({}, ROOT)).run();
  for (const word of ['--yes=no', '-y=no']) {
    const error = await run('backup', word).catch((failed: unknown) => failed);
    assert.is(messageOf(error), '--yes takes no value (got "no")');
  }
  assert.equal(await run('backup', '--', '--yes=no'), ['backup', '--yes=no']);
});

test.run();
