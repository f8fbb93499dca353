import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Parser from '@oclif/core/parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withListVariables } from '../../src/cli/list-variables.js';
import { ROOT } from '../support/run-svc.js';

const test = suite('variables of repeatable flags');

interface ManifestFlag {
  readonly multiple?: boolean;
  readonly env?: string;
}
interface Manifest {
  readonly commands: Readonly<
    Record<string, { readonly flags: Readonly<Record<string, ManifestFlag>> }>
  >;
}

const { commands }: Manifest = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8'));
const repeatable = Object.entries(commands).flatMap(([id, { flags }]) =>
  Object.entries(flags).flatMap(([name, { multiple, env }]) =>
    multiple === true && env !== undefined ? [{ id, name, env }] : [],
  ),
);

/** Flags of a command, as its module defines them. */
async function flagsOf(id: string) {
  const words = id.split(':').join('/');
  const modules = [`../../src/commands/${words}.ts`, `../../src/commands/${words}/index.ts`];
  for (const path of modules) {
    const loaded = await import(path).catch(() => undefined);
    if (loaded !== undefined) return { ...loaded.default.baseFlags, ...loaded.default.flags };
  }
  throw new Error(`no module of ${id}`);
}

test('there are some', () => {
  assert.ok(repeatable.length > 10, String(repeatable.length));
});

for (const { id, name, env } of repeatable) {
  test(`${env} gives svc ${id.replaceAll(':', ' ')} a list`, async () => {
    const flags = await flagsOf(id);
    const options: readonly string[] = flags[name].options ?? ['one', 'two'];
    const values = options.slice(0, 2);
    const parse = async (text: string) => {
      const words = withListVariables([], flags, { [env]: text }, () => false);
      const parsed = await Parser.parse(words, { flags: { [name]: flags[name] } });
      return Reflect.get(parsed.flags, name);
    };
    assert.equal(await parse(values.join(', ')), values);
    assert.equal(await parse(values[0] ?? ''), values.slice(0, 1));
    assert.is(await parse(''), undefined);
  });
}

test('a typed flag takes precedence, and words after -- stay where they are', async () => {
  const flags = await flagsOf('memory:add');
  const env = { SVC_TAG: 'work' };
  const typed = ['--tag', 'home', '--', '-text'];
  assert.equal(
    withListVariables(typed, flags, env, (name) => name === 'tag'),
    typed,
  );
  assert.equal(
    withListVariables(['--', '-text'], flags, env, () => false),
    ['--tag=work', '--', '-text'],
  );
});

test.run();
