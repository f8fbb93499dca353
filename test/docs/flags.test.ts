import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS, type Flag } from './command-line.js';

const uses = COMMANDS.flatMap((command) =>
  Object.values(command.flags).map((flag) => ({ id: command.id, flag })),
);

function usesOf(name: string): readonly { readonly id: string; readonly flag: Flag }[] {
  return uses.filter(({ flag }) => flag.name === name);
}

/** Confirm, replace, delete or shape output: a variable that is exported once would do so for ever. */
const WITHOUT_VARIABLE = [
  ...['again', 'all', 'allow-secret', 'existing', 'finish', 'fix', 'force', 'forget', 'from-file'],
  ...['last', 'remove', 'rollback', 'undo', 'yes'],
  ...['fields', 'jq', 'template'],
];

test('flags that confirm, replace or delete cannot be set by the environment', () => {
  for (const name of WITHOUT_VARIABLE) {
    assert.ok(usesOf(name).length > 0, name);
    for (const { id, flag } of usesOf(name)) assert.is(flag.env, undefined, `${id} --${name}`);
  }
});

for (const name of new Set(uses.map(({ flag }) => flag.name))) {
  test(`--${name} is the same flag in every command that has it`, () => {
    const shapes = usesOf(name).map(({ flag }) =>
      [flag.type, flag.char ?? 'no letter', flag.env ?? 'no variable'].join(', '),
    );
    assert.is(new Set(shapes).size, 1, [...new Set(shapes)].join(' and '));
    if (WITHOUT_VARIABLE.includes(name)) return;
    assert.is(usesOf(name)[0]?.flag.env, `SVC_${name.replaceAll('-', '_').toUpperCase()}`);
  });

  test(`--${name} may be repeated everywhere or nowhere`, () => {
    const several = usesOf(name).map(({ flag }) => flag.multiple === true);
    assert.is(new Set(several).size, 1);
  });
}

test('every flag with a value describes it', () => {
  const mute = uses.filter(
    ({ flag }) =>
      flag.type === 'option' && flag.helpValue === undefined && flag.options === undefined,
  );
  assert.equal(
    mute.map(({ id, flag }) => `${id} --${flag.name}`),
    [],
  );
});

test('every flag and argument has a description that starts and ends as a sentence', () => {
  const isSentence = /^[A-Z].*\.$/s;
  for (const { id, flag } of uses) {
    assert.match(flag.summary ?? '', isSentence, `${id} --${flag.name}`);
  }
  for (const { id, args } of COMMANDS) {
    for (const [name, { description }] of Object.entries(args)) {
      assert.match(description, isSentence, `${id} ${name}`);
    }
  }
});

test.run();
