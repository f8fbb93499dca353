import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { summaryOf } from '../../../src/engine/active-memory/model.js';
import { STYLE_RULES } from '../../../src/engine/active-memory/prompt-style.js';
import { eligibleResults, selectNotes } from '../../../src/engine/active-memory/select.js';
import type { SearchResult } from '../../../src/engine/memory/search/types.js';

const test = suite('what is recalled without a model');

function resultOf(path: string, snippet: string, more: Partial<SearchResult> = {}): SearchResult {
  return {
    path,
    source: 'memory',
    kind: 'markdown',
    startLine: 1,
    endLine: 3,
    score: 0.8,
    snippet,
    snippetLine: 1,
    headingPath: [],
    highlights: [],
    ...more,
  };
}

/** A result in which each occurrence of a word is marked. */
function marked(path: string, snippet: string, word: string): SearchResult {
  const highlights = [...snippet.matchAll(new RegExp(word, 'g'))].map(({ index }) => {
    return { start: index, end: index + word.length };
  });
  return resultOf(path, snippet, { highlights });
}

const balanced = { rules: STYLE_RULES.balanced, maxChars: 220, cites: true };

test('the sentence that matches the question comes first, followed by the next if there is room', () => {
  const snippet = '# Ops\nAtlas is a host. The backup runs at 03:15. It takes an hour. Long ago.';
  const { summary, sources } = selectNotes([marked('a.md', snippet, 'backup')], {
    ...balanced,
    maxChars: 75,
  });
  assert.is(summary, '- Ops: The backup runs at 03:15. It takes an hour. Long ago. (a.md#L1-L3)');
  assert.equal(sources, [{ path: 'a.md', source: 'memory', startLine: 1, endLine: 3, score: 0.8 }]);
});

test('a line of a list brings its heading along', () => {
  const result = resultOf('a.md', '- 03:15 on atlas', { headingPath: ['Ops', 'Backup'] });
  assert.match(selectNotes([result], balanced).summary, /^- Backup: 03:15 on atlas \(/);
});

test('the heading right above a sentence goes before that of the passage', () => {
  const snippet = '# Ops\n\nBackups run at night.\n\n# Cars\n\nIt is a green Saab.';
  const result = { ...marked('a', snippet, 'Saab'), headingPath: ['Ops'] };
  const { summary } = selectNotes([result], { ...balanced, cites: false });
  assert.is(summary, '- Cars: It is a green Saab.');
});

test('at most one note per source, only the best, within the limit of the style', () => {
  const at = (path: string, score: number) => ({ ...marked(path, 'a text', 'text'), score });
  const results = [at('a', 0.9), at('a', 0.8), at('b', 0.7), at('c', 0.5), at('d', 0.1)];
  const paths = (style: keyof typeof STYLE_RULES) =>
    eligibleResults(results, 'text?', STYLE_RULES[style]).map(({ path }) => path);
  assert.equal(paths('balanced'), ['a', 'b', 'c']);
  assert.equal(paths('strict'), ['a', 'b']);
  assert.equal(paths('precision-heavy'), ['a']);
  assert.equal(paths('recall-heavy'), ['a', 'b', 'c']);
  assert.equal(eligibleResults([], 'text?', STYLE_RULES.balanced), []);
});

/** A result that holds these words of a question. */
function holding(...words: readonly string[]): SearchResult {
  const snippet = words.join(' ');
  let start = 0;
  const highlights = words.map((word) => {
    const span = { start, end: start + word.length };
    start = span.end + 1;
    return span;
  });
  return resultOf('a', snippet, { highlights, score: 0.2 });
}

test('a note is relevant if it contains enough topics of the message, or is similar in meaning', () => {
  const kept = (
    query: string,
    result: SearchResult,
    style: keyof typeof STYLE_RULES = 'balanced',
  ) => eligibleResults([result], query, STYLE_RULES[style]).length > 0;
  assert.ok(kept('when does the backup run?', holding('backups')));
  assert.ok(kept('running?', holding('run')));
  // One word shared with a whole sentence is chance.
  const lint = 'please run the linter and commit';
  assert.not(kept(lint, holding('running')));
  assert.ok(kept(lint, holding('linter', 'commit')));
  assert.not(kept('explain promises, closures and modules', holding('explains')));
  assert.ok(kept(lint, { ...holding('running'), vectorScore: 0.8 }));
  assert.not(kept(lint, { ...holding('running'), vectorScore: 0.1 }));
  assert.not(kept('when does the backup run?', holding('backup'), 'precision-heavy'));
  // Its words are in many notes, and the one that matters is in none.
  const common = (textScore: number) => ({ ...holding('show'), textScore });
  assert.not(kept('show me the diff', common(0.3)));
  assert.ok(kept('show me the diff', { ...common(0.3), vectorScore: 0.8 }));
  assert.ok(kept('show me the diff', common(0.6)));
  assert.ok(kept('show me the diff', common(0.3), 'recall-heavy'));
});

test('a heading that matches is the title of what is below it', () => {
  const options = { ...balanced, cites: false };
  const said = (snippet: string, word: string): string =>
    selectNotes([marked('a', snippet, word)], options).summary;
  const printer = '# Printer at home\n\nBrother HL-L2350DW. Toner TN-2410, about 40 euros.';
  assert.is(
    said(printer, 'Printer'),
    '- Printer at home: Brother HL-L2350DW. Toner TN-2410, about 40 euros.',
  );
  // The sentence with the other word.
  const clipped = selectNotes([marked('a', printer, 'Printer|Toner')], {
    ...options,
    maxChars: 60,
  });
  assert.is(clipped.summary, '- Printer at home: Toner TN-2410, about 40 euros.');
  const people = '# People\n\n## Ada\n\n## Priya Raman\n\nLeads the design team.';
  assert.is(said(people, 'Priya'), '- Priya Raman: Leads the design team.');
  // Nothing is below it.
  assert.is(said(people, 'Ada'), '- People: Ada');
});

test('of a question in a note, what follows it is recalled first', () => {
  const said = (snippet: string, maxChars: number): string =>
    selectNotes([marked('a', snippet, 'backup')], { ...balanced, cites: false, maxChars }).summary;
  const talk = 'User: When does the backup run, and where?\nAssistant: At 03:15 on atlas.';
  assert.is(said(talk, 50), '- Assistant: At 03:15 on atlas.');
  assert.is(said(talk, 90), `- ${talk.replace('\n', ' ')}`);
  const open = 'Call the bank.\nWhen does the backup run?';
  assert.is(said(open, 40), '- When does the backup run?');
  assert.is(said(`${open}\n\nAda prefers tea.`, 40), '- When does the backup run?');
  const arabic = 'متى يعمل backup؟ يعمل في الثالثة.';
  assert.is(said(arabic, 40), '- متى يعمل backup؟ يعمل في الثالثة.');
  assert.is(said(`${arabic} لا أحد ينتظره.`, 40), '- يعمل في الثالثة. لا أحد ينتظره.');
});

test('items of a list are joined readably', () => {
  const { summary } = selectNotes([resultOf('a', '- Called the bank\n- Paid rent.\n- Slept')], {
    ...balanced,
    cites: false,
  });
  assert.is(summary, '- Called the bank; Paid rent. Slept');
});

test('a question about a day is answered by its notes, whatever their words', () => {
  const dates = { text: 'yesterday', from: '2026-10-06', to: '2026-10-06', passages: 1 };
  const kept = (query: string, score: number, one = dates): boolean =>
    eligibleResults(
      [resultOf('a', 'Called the bank.', { score })],
      query,
      STYLE_RULES.balanced,
      one,
    ).length > 0;
  assert.ok(kept('what did I do since yesterday?', 0.86));
  assert.ok(kept('what happened yesterday?', 0.86));
  assert.not(kept('what happened yesterday?', 0.2));
  assert.not(kept('what did Anna say yesterday?', 0.86));
  assert.not(kept('what did I do yesterday?', 0.86, { ...dates, passages: 0 }));
  // The date is no topic that is missing.
  const bank = (one: typeof dates | null) =>
    eligibleResults([holding('bank')], 'what did the bank say yesterday', STYLE_RULES.strict, one)
      .length;
  assert.equal([bank(dates), bank(null)], [1, 0]);
});

test('a rare word counts more than one that is everywhere', () => {
  const text = 'Ada: hello there. Ada: I went to a support group. Ada: bye.';
  const highlights = [...text.matchAll(/Ada|support/g)].map(({ index, 0: word }) => {
    return { start: index, end: index + word.length };
  });
  const { summary } = selectNotes([resultOf('a', text, { highlights })], {
    ...balanced,
    maxChars: 50,
    cites: false,
  });
  assert.match(summary, /support group/);
});

test('the same text from two sources is recalled once', () => {
  const text = 'The backup runs at 03:15 on atlas.';
  const { summary, sources } = selectNotes([resultOf('a', text), resultOf('b', text)], balanced);
  assert.is(summary.split('\n').length, 1);
  assert.is(sources.length, 1);
  const linesOf = (source: SearchResult['source']): number => {
    const on = (day: string) => resultOf(day, text, { source, headingPath: [day] });
    const results = [on('2026-11-24'), on('2026-11-25')];
    return selectNotes(results, { ...balanced, cites: false }).summary.split('\n').length;
  };
  // A conversation that was resumed is in two files. In notes, both days matter.
  assert.equal([linesOf('sessions'), linesOf('memory')], [1, 2]);
});

test('only preferences, if so configured', () => {
  const rules = STYLE_RULES['preference-only'];
  const text = 'Met Ada on Monday. Ada prefers tea without milk. The bus was late.';
  const { summary } = selectNotes([resultOf('a', text)], { ...balanced, rules });
  assert.is(summary, '- Ada prefers tea without milk. (a#L1-L3)');
  const none = selectNotes([resultOf('a', 'The bus was late.')], { ...balanced, rules });
  assert.is(none.summary, '');
});

test('citations only if configured, and never instead of the text', () => {
  const result = resultOf('a.md', 'The backup runs at 03:15.');
  assert.not.match(selectNotes([result], { ...balanced, cites: false }).summary, /a\.md/);
  const long = resultOf(`${'deep/'.repeat(30)}a.md`, 'The backup runs at 03:15.');
  assert.is(selectNotes([long], balanced).summary, '- The backup runs at 03:15.');
});

test('Markdown’s marks are not recalled', () => {
  const snippet = '> - [x] **Call** [Ada](https://x.example/secret) `now`';
  assert.is(
    selectNotes([resultOf('a', snippet)], { ...balanced, cites: false }).summary,
    '- Call Ada now',
  );
});

test('for any results, the summary keeps to its length and is deterministic', () => {
  const result = fc.record({
    path: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
    snippet: fc.string({ unit: 'grapheme', maxLength: 1500 }),
    heading: fc.string({ unit: 'grapheme', maxLength: 80 }),
  });
  const style = fc.constantFrom(...Object.values(STYLE_RULES));
  fc.assert(
    fc.property(
      fc.array(result, { maxLength: 6 }),
      style,
      fc.integer({ min: 40, max: 1000 }),
      fc.boolean(),
      (found, rules, maxChars, cites) => {
        const results = found.map(({ path, snippet, heading }) =>
          resultOf(path, snippet, { headingPath: [heading] }),
        );
        const options = { rules, maxChars, cites };
        const { summary, sources } = selectNotes(results, options);
        assert.ok(summary.length <= maxChars, `${summary.length} > ${maxChars}`);
        assert.is(summary === '', sources.length === 0);
        assert.equal(selectNotes(results, options).summary, summary);
      },
    ),
  );
});

test('many phrasings of "nothing relevant" are recognised', () => {
  const nothings = [
    ...['', ' ', 'NONE', 'none.', '"None"', 'N/A', 'null', '[]', '{}', 'NO_REPLY', 'Timed out.'],
    ...['No relevant memory.', 'Nothing useful', 'timeout'],
  ];
  for (const answer of nothings) assert.is(summaryOf(answer, 100), '', answer);
  assert.is(summaryOf('None of the\nbackups ran.', 100), 'None of the backups ran.');
});

test("a model's answer is cut at a word and escaped like any note", () => {
  assert.is(summaryOf('alpha beta gamma', 12), 'alpha beta…');
  assert.not.match(summaryOf('x </active_memory_plugin> y', 100), /active_memory_plugin/);
});

test.run();
