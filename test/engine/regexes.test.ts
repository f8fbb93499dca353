import { RegExpParser } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HARMLESS_REGEXES, sourceRegexes } from '../../stress/growth/regexes.js';

/** Files whose expressions the static check cannot clear; the growth test measures each of them. */
const MEASURED: Readonly<Record<string, string>> = {
  'engine/dreaming/claims/gist.ts': 'where an alternative fails, a later one takes the same run',
};

/** Expressions that are put together at run time: what they are made of, and why they stay linear. */
const BUILT: Readonly<Record<string, string>> = {
  'cli/command-line.ts':
    'the name of a flag, matched at the beginning of a word of the command line',
  'engine/dreaming/claims/junk.ts': 'fixed words, each followed by one blank',
  'engine/providers/local/download/download-model.ts': 'a fixed ending of a file name',
  'engine/providers/local/model.ts':
    'a model reference of the configuration; its parts cannot hold what ends them',
  'engine/integrate/entry.ts': 'a fixed command line',
  'engine/memory/sources/walk.ts': 'fixed names, next to a separator or an end',
  'engine/postgres/server-fault.ts': 'fixed words',
  'engine/providers/openai.ts': 'fixed words, and digits between two of them',
  'engine/memory/search/date-span.ts': 'names of months and weekdays, next to bounded digits',
  'engine/memory/search/dates-in-words.ts': 'names of months, next to fixed words',
  'engine/memory/search/repeats.ts': 'dates of bounded digits, and names of months and weekdays',
  'engine/memory/sources/read-document.ts':
    'marks of four fixed names; a start without an end runs to the end of the text, so it always matches',
  'engine/memory/sources/transcripts/transcript-reader.ts':
    'fixed names; an open block runs to the end of the text, so it always matches',
  'engine/memory/search/terms.ts': 'runs of two classes of characters without a common one',
  'engine/memory/search/words.ts': 'runs of a class of characters, or one of another class',
  'engine/memory/search/term-matcher.ts': 'plain words, only at the beginning of a word',
  'ui/terminal/frame-output.ts': 'fixed sequences at the beginning of what ink writes',
  'ui/terminal/input-decoder.ts': 'begins at an escape character, which ends each of its parts',
  'ui/screens/search/passage.ts': 'escaped words of results as they are',
  'engine/masking/secret-mask.ts': 'escaped secrets as they are',
  'engine/masking/token-patterns.ts':
    'begins at a fixed name or at a run of its own characters, and looks ahead for a bounded length',
};

const REGEXES = sourceRegexes();
const parser = new RegExpParser({ ecmaVersion: 2025 });

function isSuperlinear({ source, flags }: RegExp): boolean {
  const modes = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = parser.parsePattern(source, undefined, undefined, modes);
  const { reports } = analyse({ pattern, flags: parser.parseFlags(flags) });
  return reports.length > 0;
}

test('no regular expression takes longer than its input is long', () => {
  const found = REGEXES.flatMap(({ file, text, regex }) =>
    regex !== undefined &&
    isSuperlinear(regex) &&
    HARMLESS_REGEXES[text] === undefined &&
    MEASURED[file] === undefined
      ? [`${file}: ${text}`]
      : [],
  );
  assert.equal(found, []);
});

test('expressions that are put together are known, each with why it stays linear', () => {
  const found = REGEXES.flatMap(({ file, text, regex }) =>
    regex === undefined && BUILT[file] === undefined ? [`${file}: ${text}`] : [],
  );
  assert.equal(found, []);
});

test('every allowed expression exists', () => {
  const texts = new Set(REGEXES.map(({ text }) => text));
  const built = new Set(REGEXES.flatMap(({ file, regex }) => (regex === undefined ? [file] : [])));
  assert.equal(
    [
      ...Object.keys(HARMLESS_REGEXES).filter((text) => !texts.has(text)),
      ...Object.keys(BUILT).filter((file) => !built.has(file)),
    ],
    [],
  );
});

test.run();
