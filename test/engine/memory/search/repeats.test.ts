import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Passage } from '../../../../src/engine/memory/search/passages.js';
import {
  answerOf,
  collapse,
  type PromotedLines,
  statementOf,
  withOrigins,
} from '../../../../src/engine/memory/search/repeats.js';

const test = suite('passages that say the same');

/** Lines that begin with `!` contain a word of the query. */
function passageOf(path: string, text: string, headingPath: readonly string[] = []): Passage {
  const lines = text.split('\n').map((line, at) => {
    const terms = line.startsWith('!') ? [0] : [];
    return {
      text: line.replace(/^!/, ''),
      number: at + 1,
      hasWords: /\w/.test(line),
      terms,
      pairs: [],
    };
  });
  const place = { path, source: path.endsWith('.jsonl') ? 'sessions' : 'memory' } as const;
  const starts = [{ startLine: 1, headingPath }];
  return { ...place, startLine: 1, endLine: lines.length, headingPath, chunkId: 1, starts, lines };
}

function areRepeats(a: Passage, b: Passage, sayingOf = statementOf): boolean {
  return collapse([{ passage: a }, { passage: b }], sayingOf).length === 1;
}

const day = (date: string, text: string): Passage => passageOf(`memory/${date}.md`, text);

test('are those that differ only in the date of their note', () => {
  const line = '- Stand-up at 9:15, no blockers.';
  for (const [first, second] of [
    [`# 2026-05-03\n\n${line}`, `# 2026-05-04\n\n${line}`],
    [`# Sunday, 3 May 2026\n\n${line}`, `# Monday, 4 May 2026\n\n${line}`],
    [`# Sonntag, 3. Mai 2026\n\n${line}`, `# Montag, 4. Mai 2026\n\n${line}`],
    [`# Log 2026-05-03\n${line}`, `# Log 2026-05-04\n${line}`],
    [`2026-05-03: ${line}`, `2026-05-04: ${line}`],
    [line, '* stand-up at 9:15,  no blockers'],
  ] as const) {
    assert.ok(areRepeats(day('2026-05-03', first), day('2026-05-04', second)), first);
  }
});

test('are those below headings that are only a weekday or month', () => {
  // All months, and all weekdays.
  const dates = Array.from({ length: 12 }, (_, at) => new Date(Date.UTC(2026, 0, 1 + 32 * at)));
  const names = (['weekday', 'month'] as const).flatMap((part) => {
    return dates.map((date) => date.toLocaleDateString('en', { [part]: 'long', timeZone: 'UTC' }));
  });
  for (const name of names) {
    const [first, second] = [`# ${name}\n\nStand-up.`, '# 2026-05-04\n\nStand-up.'];
    assert.ok(areRepeats(day('2026-05-03', first), day('2026-05-04', second)), name);
  }
});

test('are not those that differ in a fact', () => {
  for (const [first, second] of [
    ['Pump 14 was checked.', 'Pump 15 was checked.'],
    ['Lena called.', 'Lea called.'],
    ['The backup is done.', "The backup isn't done."],
    ['Backup ✅', 'Backup ❌'],
    ['- [x] pay rent', '- [ ] pay rent'],
    ['The car costs 400 €.', 'The car costs 400 $.'],
    ['-5 degrees', '5 degrees'],
    ['# Dentist 2026-06-01\n\nAt nine.', '# Dentist 2026-07-01\n\nAt nine.'],
    ['The dentist is on 2026-06-01.', 'The dentist is on 2026-07-01.'],
    ['## Server 1\n\nReboot weekly.', '## Server 2\n\nReboot weekly.'],
    ['Stand-up at nine.\nSoup for lunch.', 'Stand-up at nine.\nRice for lunch.'],
    ['', ''],
  ] as const) {
    assert.not.ok(areRepeats(day('2026-05-03', first), day('2026-05-04', second)), first);
  }
  const [one, two] = ['Server 1', 'Server 2'].map((name) => passageOf('a.md', 'Reboot.', [name]));
  assert.ok(one && two && !areRepeats(one, two));
});

test('images are not, though their names are dates', () => {
  const image = (date: string): Passage => {
    const path = `memory/${date}.png`;
    return passageOf(path, `Image file: ${path}`);
  };
  assert.not.ok(areRepeats(image('2026-05-03'), image('2026-05-04')));
});

test('with diversity, are those whose lines about the query are the same', () => {
  for (const [first, second, same] of [
    ['!- Stand-up at nine.\n- Soup.', '!- Stand-up at nine.\n- Rice.', true],
    ['!- Stand-up at nine.\n- Soup.', '!- Stand-up at ten.\n- Soup.', false],
    [
      '!## Stand-up\n\nNo news.\n\n## Lunch\n\nSoup.',
      '!## Stand-up\n\nNo news.\n\n## Lunch\n\nRice.',
      true,
    ],
    [
      '!## Stand-up\n\n!Stand-up: all well.\n\n## Lunch\n\nSoup.',
      '!## Stand-up\n\n!Stand-up: all well.\n\n## Lunch\n\nRice.',
      true,
    ],
    [
      '!## Stand-up\n\n!Stand-up at nine.\nUse Redis.',
      '!## Stand-up\n\n!Stand-up at nine.\nUse Kafka.',
      false,
    ],
    ['!Stand-up:\n- Use Redis.', '!Stand-up:\n- Use Kafka.', false],
    ['!What did the stand-up decide?\nRedis.', '!What did the stand-up decide?\nKafka.', false],
    ['!Stand-up:\n- No news.\n\nSoup.', '!Stand-up:\n- No news.\n\nRice.', true],
    ['Found by its vector.', 'Found by its vector, too.', false],
  ] as const) {
    assert.is(
      areRepeats(day('2026-05-03', first), day('2026-05-04', second), answerOf),
      same,
      first,
    );
  }
  const talk = (name: string, answer: string): Passage =>
    passageOf(`sessions/${name}.jsonl`, `!Run the tests.\n${answer}`);
  assert.not.ok(areRepeats(talk('a', 'Three failed.'), talk('b', 'All passed.'), answerOf));
});

test('the first is kept, and every other one is listed with it, in order', () => {
  const texts = fc.array(
    fc.constantFrom('One.', 'one', 'Two.', '# 2026-05-03\n\nTwo.', 'Three.', ''),
  );
  fc.assert(
    fc.property(texts, (found) => {
      const items = found.map((text, at) => ({ at, passage: day(`2026-05-${10 + at}`, text) }));
      const kept = collapse(items, statementOf);
      if (items.length > 0) assert.is(kept[0]?.item, items[0]);
      assert.equal(
        kept
          .flatMap(({ item, similar }) => [item.at, ...similar.map(({ at }) => at)])
          .sort((a, b) => a - b),
        items.map(({ at }) => at),
      );
      for (const { item, similar } of kept) {
        const places = [item.at, ...similar.map(({ at }) => at)];
        assert.equal(
          places,
          [...places].sort((a, b) => a - b),
        );
      }
      const sayings = kept
        .map(({ item }) => statementOf(item.passage))
        .filter((text) => text !== '');
      assert.is(new Set(sayings).size, sayings.length);
    }),
  );
});

test('long lines take no more than their length in time', () => {
  for (const text of [
    ' '.repeat(200_000),
    '# '.concat('-'.repeat(200_000), 'x'),
    `a${' ,'.repeat(100_000)}b`,
  ]) {
    const started = process.cpuUsage();
    areRepeats(day('2026-05-03', `${text}\nsame`), day('2026-05-04', `${text}\nsame`));
    assert.ok(process.cpuUsage(started).user < 1_000_000);
  }
});

/** Paths in the order of the results, with the paths that each result represents. */
function joined(...passages: readonly Passage[]): string[] {
  return joinedBy(new Map(), ...passages);
}

function joinedBy(promoted: PromotedLines, ...passages: readonly Passage[]): string[] {
  return joinedWithDecay(promoted, () => 1, passages);
}

function joinedWithDecay(
  promoted: PromotedLines,
  decayOf: (path: string) => number,
  passages: readonly Passage[],
): string[] {
  const found = passages.map((passage) => {
    return { item: { passage, chunk: { decay: decayOf(passage.path) } }, similar: [] };
  });
  return withOrigins(found, [1], promoted).map(({ item, similar }) =>
    [item.passage.path, ...similar.map(({ passage }) => passage.path)].join(' + '),
  );
}

test('long-term memory ranks with the note it was promoted from, not above it', () => {
  const fact = 'The nightly backup runs at 02:30.';
  const memory = passageOf('MEMORY.md', `## Promoted\n\n!- ${fact}\n- Mira owns billing.`);
  const other = day('2026-05-01', '!- The backup disk is new.');
  const note = day('2026-05-03', `# 2026-05-03\n\n!- ${fact}\n- and more`);
  const wrapped = day('2026-05-04', '!The nightly backup\n!runs at 02:30. It takes an hour.');
  assert.equal(joined(memory, other, note), [other.path, `${note.path} + MEMORY.md`]);
  assert.equal(joined(note, memory, other), [`${note.path} + MEMORY.md`, other.path]);
  assert.equal(joined(memory, wrapped), [`${wrapped.path} + MEMORY.md`]);
  const retired = passageOf('memory/archive/2026-06.md', `!- ${fact}`);
  assert.equal(joined(retired, memory, note), [
    `${note.path} + memory/archive/2026-06.md + MEMORY.md`,
  ]);
});

test('what long-term memory says beyond a note is a result of its own, below the note', () => {
  const fact = 'The nightly backup runs at 02:30.';
  const memory = passageOf('MEMORY.md', `!- ${fact}\n!- Backups are kept for 30 days.`);
  const other = day('2026-05-01', '!- The backup disk is new.');
  const note = day('2026-05-03', `!- ${fact}`);
  assert.equal(joined(memory, other, note), [other.path, note.path, 'MEMORY.md']);
  assert.equal(joined(note, memory), [note.path, 'MEMORY.md']);
  // No note has it: the only source keeps its place.
  assert.equal(joined(memory, other), ['MEMORY.md', other.path]);
  const changed = passageOf('MEMORY.md', '!- The nightly backup runs at 04:30.');
  assert.equal(joined(changed, note), ['MEMORY.md', note.path]);
});

test('long-term memory does not age with the note that it was promoted from', () => {
  const fact = 'The nightly backup runs at 02:30.';
  const memory = passageOf('MEMORY.md', `!- ${fact}`);
  const longer = passageOf('MEMORY.md', `!- ${fact}\n!- Backups are kept for 30 days.`);
  const other = day('2026-05-04', '!- The backup disk is new.');
  const note = day('2026-05-03', `!- ${fact}\n- and more`);
  const aged = (...passages: readonly Passage[]): string[] =>
    joinedWithDecay(new Map(), (path) => (path === note.path ? 0.25 : 1), passages);
  assert.equal(aged(memory, other, note), ['MEMORY.md', other.path, note.path]);
  assert.equal(aged(longer, other, note), ['MEMORY.md', other.path, note.path]);
  // It still is the better answer.
  assert.equal(aged(note, memory), [`${note.path} + MEMORY.md`]);
});

test('a reworded entry is joined with the lines of the note that it was made of', () => {
  const memory = passageOf(
    'MEMORY.md',
    '- Mira owns billing.\n!- Every night at 02:30, backups run.',
  );
  const note = passageOf(
    'memory/2026-05-03.md',
    '# Servers\n\n!We run the nightly backup at 02:30.',
  );
  const other = passageOf('memory/2026-05-04.md', '!Backups fail on Mondays.');
  const from = (path: string, line: number): PromotedLines => {
    const place = { path, startLine: line, endLine: line };
    return new Map([['memory::MEMORY.md', [{ line: 2, from: place }]]]);
  };
  const origin = from('memory/2026-05-03.md', 3);
  assert.equal(joinedBy(origin, memory, other, note), [other.path, `${note.path} + MEMORY.md`]);
  // Another part of that note, or another note.
  const elsewhere = from('memory/2026-05-03.md', 9);
  assert.equal(joinedBy(elsewhere, memory, note), ['MEMORY.md', note.path]);
  assert.equal(joinedBy(from('memory/2026-05-05.md', 3), memory, note), ['MEMORY.md', note.path]);
});

test.run();
