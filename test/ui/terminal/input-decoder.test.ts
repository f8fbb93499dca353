import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createInputDecoder, type InputEvent } from '../../../src/ui/terminal/input-decoder.js';
import { codePoint } from '../../support/code-point.js';
import { KEYS } from '../../support/terminal.js';

const test = suite('decoding terminal input');

const ESC = '\u001B';

/** The events of chunks, followed by a pause. Text that was cut is joined. */
function decode(chunks: readonly string[]): readonly InputEvent[] {
  const decoder = createInputDecoder();
  const events: InputEvent[] = [];
  for (const event of [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.flush()]) {
    const last = events.at(-1);
    if (event.type === 'text' && last?.type === 'text') {
      events[events.length - 1] = { type: 'text', text: last.text + event.text };
    } else events.push(event);
  }
  assert.is(decoder.pending(), 'nothing');
  return events;
}

function eventsAsText(input: string): string {
  const words = decode([input]).map((event) => {
    if (event.type === 'key') return `<${event.name}>`;
    if (event.type === 'mouse') return `<${event.action} ${event.column},${event.row}>`;
    return event.type === 'paste' ? `[${event.text}]` : event.text;
  });
  return words.join(' ');
}

test('keys have names', () => {
  const { up, home, end, pageUp, pageDown, enter, tab, backspace, ctrlC } = KEYS;
  assert.is(
    eventsAsText(`${up}${home}${end}${pageUp}${pageDown}${enter}${tab}${backspace}${ctrlC}${ESC}`),
    '<up> <home> <end> <pageUp> <pageDown> <enter> <tab> <backspace> <ctrl-c> <escape>',
  );
  assert.is(eventsAsText(`${ESC}[3~${ESC}[Z${ESC}OA${ESC}OH`), '<delete> <shift-tab> <up> <home>');
  assert.is(
    eventsAsText(`\u0001\u001A${ESC}b${ESC}\u007F`),
    '<ctrl-a> <ctrl-z> <alt-b> <alt-backspace>',
  );
  assert.is(
    eventsAsText(`${ESC}[1;5C${ESC}[1;3D${ESC}${ESC}[A${ESC}[3;6~`),
    '<ctrl-right> <alt-left> <alt-up> <ctrl-shift-delete>',
  );
  assert.is(eventsAsText(`${ESC}${ESC}`), '<escape> <escape>');
});

test('characters typed together are one text event', () => {
  assert.is(eventsAsText('jjj\rq\u0003'), 'jjj <enter> q <ctrl-c>');
  assert.is(eventsAsText('👩‍👩‍👧é\ty'), '👩‍👩‍👧é <tab> y');
});

test('a paste is one line of text, whatever is in it', () => {
  const { pasteBegins, pasteEnds } = KEYS;
  const log = `${ESC}[31mred${ESC}[0m\r\nq\u0003\tjj ${ESC}]0;title\u0007end`;
  assert.is(eventsAsText(`${pasteBegins}${log}${pasteEnds}j`), '[red q jj end] j');
  assert.is(eventsAsText(`${pasteBegins}${pasteEnds}${pasteEnds}`), '');
  assert.is(eventsAsText(`${pasteBegins}never ends`), '[never ends]');
  const long = 'x'.repeat(3_000_000);
  const [paste, after] = decode([pasteBegins, long, `${pasteEnds}j`]);
  assert.is(paste?.type === 'paste' && paste.text.length, 1_000_000);
  assert.equal(after, { type: 'text', text: 'j' });
});

test('mouse events have a position; releases, movement and other buttons are ignored', () => {
  assert.is(
    eventsAsText(`${ESC}[<0;3;5M${ESC}[<0;3;5m${ESC}[<64;1;1M${ESC}[<65;200;1M${ESC}[<4;1;2M`),
    '<click 2,4> <wheelUp 0,0> <wheelDown 199,0> <click 0,1>',
  );
  assert.is(eventsAsText(`${ESC}[<2;3;5M${ESC}[<32;3;5M${ESC}[M !!a`), 'a');
});

test('colours and reports of the terminal are not input', () => {
  const reports = [
    '[31m',
    '[38;5;12m',
    '[12;40R',
    '[1;5P',
    '[99;5~',
    '[I',
    '[O',
    '[?62;4c',
    '[[A',
    ']11;rgb:0/0/0\u0007',
    `]0;title${ESC}\\`,
    `P1+r436F${ESC}\\`,
  ];
  for (const report of reports) assert.is(eventsAsText(`a${ESC}${report}b`), 'ab', report);
  assert.is(eventsAsText(`${ESC}[12\u0003`), '<ctrl-c>', 'a broken sequence does not hide a key');
  assert.is(eventsAsText(`${ESC}]0;title\u0003`), '<ctrl-c>');
  assert.is(eventsAsText(`${ESC}[${'1'.repeat(100_000)}`), '');
});

/** Pieces of what terminals send, and anything else. */
const input = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Object.values(KEYS), ESC, `${ESC}[`, `${ESC}O`, `${ESC}]0;t`, '\u0007'),
      fc.constantFrom(`${ESC}[<0;1;1M`, `${ESC}[1;5C`, `${ESC}[31m`, `${ESC}\\`, `${ESC}[M`, '🚗'),
      fc.string({ unit: codePoint, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom('a', '[', ';', '1', '~', ESC, '\r'), maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

test('input split anywhere yields the same events', () => {
  fc.assert(
    fc.property(input, fc.array(fc.nat(60), { maxLength: 6 }), (whole, cuts) => {
      const places = [0, ...[...cuts].sort((a, b) => a - b), whole.length];
      const chunks = places.map((at, place) => whole.slice(places[place - 1] ?? 0, at));
      assert.equal(decode(chunks), decode([whole]));
    }),
    { numRuns: 3000 },
  );
});

test('no control character reaches a text or a paste, in 10,000 random inputs', () => {
  fc.assert(
    fc.property(input, (whole) => {
      for (const event of decode([whole])) {
        if (event.type !== 'text' && event.type !== 'paste') continue;
        assert.not.match(event.text, /\p{Cc}|\p{Surrogate}/u);
        assert.not.equal(event.text, '');
      }
    }),
    { numRuns: 10_000 },
  );
});

test('typed text is complete', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const typed = text.replaceAll(/\p{Cc}/gu, '');
      assert.equal(decode([typed]), typed === '' ? [] : [{ type: 'text', text: typed }]);
    }),
  );
});

test.run();
