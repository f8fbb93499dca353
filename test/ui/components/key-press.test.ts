import * as fc from 'fast-check';
import type { Key } from 'ink';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKeyReader, type KeyPress } from '../../../src/ui/components/key-press.js';

const test = suite('single keys from what ink delivers');

const NO_KEY: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

function shown(press: KeyPress): string {
  if (press.type === 'key') return `<${press.name}>`;
  return press.type === 'paste' ? `[${press.text}]` : press.text;
}

function read(...events: readonly (readonly [input: string, key?: Partial<Key>])[]): string {
  const reader = createKeyReader();
  return events
    .flatMap(([input, key]) => reader(input, { ...NO_KEY, ...key }))
    .map(shown)
    .join(' ');
}

test('keys that arrive together are single keys', () => {
  assert.is(read(['jjj\rq\u0003']), 'j j j <enter> q <ctrl-c>');
  assert.is(read(['👩‍👩‍👧e\u0301\t\u007F']), '👩‍👩‍👧 e\u0301 <tab> <backspace>');
});

test('keys that type no character have names', () => {
  assert.is(
    read(['', { upArrow: true }], ['', { return: true }], ['c', { ctrl: true }]),
    '<up> <enter> <ctrl-c>',
  );
  assert.is(
    read(['', { escape: true, meta: true }], ['', { delete: true }]),
    '<escape> <backspace>',
  );
  assert.is(read(['q', { meta: true }]), '', 'alt makes it another key');
});

test('a paste is text, whatever is in it', () => {
  assert.is(
    read(['[200~'], ['jq\u0003'], ['', { return: true }], ['[201~'], ['j']),
    '[jq\u0003] [ ] j',
  );
});

test('no input is lost or invented', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '日', '\r', '\u0001', ' ') }), (input) => {
      const presses = createKeyReader()(input, NO_KEY);
      assert.is(presses.length, [...input].length);
    }),
  );
});

test.run();
