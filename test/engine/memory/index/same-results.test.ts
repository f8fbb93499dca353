/**
 * An index in PostgreSQL finds what one in SQLite finds, in the same order with the same scores, whatever was changed
 * before.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../../../src/engine/eval/random.js';
import type { LexicalCandidate } from '../../../../src/engine/memory/index/candidates.js';
import type { Change, IndexedDocument } from '../../../../src/engine/memory/index/documents.js';
import type { Tokenizer } from '../../../../src/engine/memory/index/identity.js';
import type { MemoryIndex } from '../../../../src/engine/memory/index/memory-index.js';
import { matchExpression, parseQuery } from '../../../../src/engine/memory/search/query.js';
import { sharedKinds, sqliteKind } from '../../../support/indexes.js';

const WORDS =
  `backup backups deploy deployment deployed billing service owner retry retries timeout the a of with
  getUserName parseHTTPHeader dry-run node_modules/pg v2.10.1 東京都 京都 データベース Ünïcödé naïve 4711 e-mail
  don't rotate rotating secret organization organize cache cached caching index indices`
    .split(/\s+/u)
    .filter((word) => word !== '');
const GERMAN =
  'Der Strom und die Rechnung für das Haus sind nicht mit der Versicherung bezahlt worden';
const GERMAN_WORDS = 'Stromrechnung Hausratversicherung Häuser bezahlen Versicherungen'.split(' ');
const QUERIES = [
  'backup',
  'who owns the billing service',
  'deploy*',
  'organiz* timeout',
  '"retry timeout"',
  '"billing service" owner -cache',
  'backup -"deployed billing"',
  'getUserName',
  'parseHTTPHeader dry-run',
  'v2.10.1',
  '京都 データ',
  'Versicherung bezahlt',
  '4711 naive unicode',
  'nothing-of-this-kind',
  'the',
  '-deploy rotate secret',
  'road map',
];

interface Randomness {
  pick<T>(items: readonly T[]): T;
  upTo(most: number): number;
}

function randomness(seed: number): Randomness {
  const random = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  return {
    upTo,
    pick: (items) => {
      const item = items[upTo(items.length - 1)];
      if (item === undefined) throw new Error('nothing to choose from');
      return item;
    },
  };
}

function randomText(random: Randomness, isGerman: boolean): string {
  const words = Array.from({ length: 3 + random.upTo(30) }, () => random.pick(WORDS));
  const german = [GERMAN, ...Array.from({ length: 4 }, () => random.pick(GERMAN_WORDS))];
  return (isGerman ? [...german, ...words.slice(0, 5)] : words).join(random.pick([' ', ' ', '\n']));
}

function randomDocument(random: Randomness, path: string): IndexedDocument {
  const isGerman = path.includes('haus');
  const chunks = Array.from({ length: 1 + random.upTo(4) }, (_, at) => ({
    startLine: at * 10 + 1,
    endLine: at * 10 + 9,
    headingPath: random.pick([[], ['Backup plan'], ['Road map', '2026-02-03']]),
    text: randomText(random, isGerman),
  }));
  const fingerprint = { size: 1, mtimeMs: random.upTo(9), ctimeMs: 1 };
  const source = path.endsWith('.jsonl') ? 'sessions' : 'memory';
  return { source, kind: 'markdown', path, fingerprint, hash: path, chunks };
}

const PATHS = [
  ...Array.from({ length: 12 }, (_, at) => `memory/2026-02-${String(at + 10)}.md`),
  ...['MEMORY.md', 'road-map_2026.md', 'haus/strom.md', 'haus/versicherung.md'],
  ...['chat.jsonl', 'talk.jsonl', 'docs/e-mail.md', 'docs/cache.md'],
];

/** Changes of one set; a document may be in it more than once. */
function randomChanges(random: Randomness, known: Set<string>): Change[] {
  return Array.from({ length: 1 + random.upTo(7) }, (): Change => {
    const path = random.pick(PATHS);
    const document = randomDocument(random, path);
    const { source } = document;
    const kind = known.has(path) ? random.upTo(4) : 4;
    if (kind === 0) {
      known.delete(path);
      return { type: 'remove', key: { source, path } };
    }
    if (kind === 1) return { type: 'touch', key: document, fingerprint: document.fingerprint };
    if (kind === 2) return { type: 'extend', document, replacesLast: random.upTo(2) };
    known.add(path);
    return { type: 'put', document };
  });
}

function shown({
  source,
  path,
  startLine,
  endLine,
  text,
  headingPath,
  bm25,
  language,
  kind,
  mimeType,
  modifiedMs,
}: LexicalCandidate) {
  return [
    ...[source, path, startLine, endLine, text, headingPath, bm25.toFixed(9), language ?? null],
    ...[kind, mimeType, modifiedMs],
  ];
}

async function answersOf(index: MemoryIndex, tokenizer: Tokenizer) {
  const languages = await index.languages();
  const filters = [
    undefined,
    { sources: ['memory'] } as const,
    { path: (p: string) => /0/u.test(p) },
  ];
  const days = { first: 20_495, last: 20_500 };
  const answers: unknown[] = [
    languages.map(({ code }) => code),
    (await index.termStatistics([])).chunks,
  ];
  for (const query of QUERIES) {
    const parsed = parseQuery(query, tokenizer, { languages });
    const match = matchExpression(parsed);
    if (match === undefined) continue;
    const terms = [...parsed.terms, ...parsed.required].map((term) => term.match);
    answers.push(query, await index.termStatistics(terms));
    for (const filter of filters) {
      const found = await index.lexicalCandidates(match, 7, filter);
      answers.push(found.map(shown), await index.countMatches(match, filter));
    }
    const dated = { days, match, mustMatch: query.includes('"'), except: '"deploy"', limit: 5 };
    answers.push((await index.datedCandidates({ ...dated, filter: {} })).map(shown));
    answers.push((await index.someTexts([match], 3)).map((texts) => texts.length));
  }
  for (const text of ['(', 'Backup', '%', '_']) {
    answers.push((await index.literalCandidates(text, 5)).map(shown));
  }
  answers.push(await index.countDated(days), await index.termsBetween('c', 'e'));
  answers.push(
    (await index.documents())
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ path, fingerprint, hash }) => [path, fingerprint, hash]),
  );
  const { bytes: _, ...statistics } = await index.statistics();
  return [...answers, statistics];
}

for (const kind of await sharedKinds()) {
  const test = suite(`the results of an index on ${kind.name}`);

  test.after(() => kind.stop());

  for (const tokenizer of ['unicode61', 'trigram'] as const) {
    test(`are those of SQLite with ${tokenizer}`, async () => {
      // PGlite takes three times as long for the same.
      const { seeds, rounds } =
        kind.name === 'PGlite' ? { seeds: [1], rounds: 3 } : { seeds: [1, 2], rounds: 5 };
      for (const seed of seeds) {
        const random = randomness(seed);
        const [ours, theirs] = [
          await sqliteKind.newIndex(tokenizer),
          await kind.newIndex(tokenizer),
        ];
        const known = new Set<string>();
        for (let round = 0; round < rounds; round++) {
          const set = { atMs: round, vectorsFollow: false, changes: randomChanges(random, known) };
          await ours.apply(set);
          await theirs.apply(set);
          const expected = await answersOf(ours, tokenizer);
          assert.equal(
            await answersOf(theirs, tokenizer),
            expected,
            `seed ${seed}, round ${round}`,
          );
        }
        // Nothing is left of deleted passages afterwards.
        await theirs.compact();
        assert.equal(
          await answersOf(theirs, tokenizer),
          await answersOf(ours, tokenizer),
          `seed ${seed}, compacted`,
        );
        ours.close();
        theirs.close();
      }
    });
  }

  test.run();
}
