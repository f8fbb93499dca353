import { checkConfigText } from '../../src/engine/config/check.js';
import { isBlankJson } from '../../src/engine/config/document.js';
import { maskConfigText } from '../../src/engine/config/masked-text.js';
import { SvcError } from '../../src/engine/errors/index.js';
import { tomlStatements } from '../../src/engine/integrate/edit/toml-editor.js';
import { clientNetworkOf, requestIdOf } from '../../src/engine/listener/listen.js';
import { redactSecrets } from '../../src/engine/masking/index.js';
import { splitClaims } from '../../src/engine/memory/chunking/split-claims.js';
import { createPathFilter } from '../../src/engine/memory/search/path-glob.js';
import {
  matchExpression,
  parseQuery,
  withOptionalPhrases,
} from '../../src/engine/memory/search/query.js';
import {
  TRANSCRIPT_READERS,
  textLines,
  withoutOwnWriting,
} from '../../src/engine/memory/sources/index.js';
import { parseCron } from '../../src/engine/support/cron.js';
import { createGlob } from '../../src/engine/support/glob.js';
import { parseBody, parseForm, typeFault } from '../../src/engine/webhooks/body.js';
import { routeFinder } from '../../src/engine/webhooks/routes.js';
import { createVerifier } from '../../src/engine/webhooks/verify/verifier.js';
import { wrapSpans } from '../../src/ui/fit.js';
import { chunkMarkdown } from '../../test/support/markdown.js';
import { routeOf } from '../../test/support/webhooks.js';
import type { GrowingText } from './growth.js';
import { HARMLESS_REGEXES, sourceRegexes } from './regexes.js';

/** A function that reads untrusted text of any length. */
export interface GrowthSubject {
  readonly name: string;
  readonly work: (text: string) => void;
  /** Parts that may be slow when repeated. */
  readonly parts: readonly string[];
}

const findRoute = routeFinder([routeOf('ci', '/hooks/ci')]);
const VERIFIERS = (['basic', 'bearer', 'standard-webhooks', 'stripe'] as const).map((scheme) =>
  createVerifier({ scheme, secrets: [], toleranceSeconds: 300 }, [
    scheme === 'basic' ? 'user:secret' : 'c2VjcmV0',
  ]),
);
const stars = createGlob('*a'.repeat(60), { dot: true });
const folders = createPathFilter('**/{a,b}*/**/*a*a*a*a*a*a*a*b');

const MARKS = ['#', '# ', '- ', '> ', '|', '| - ', '```\n', '[', '[](', '<', '<!--', '---\n', '*'];
const BRACKETS = ['{', '[', '"', '\\', '\\"', '{"a":', '/* ', '//\n', '/* */', ',', "'", '"""'];
const WORDS = ['a', 'a ', 'A. ', '-a ', '"a" ', '記', '🦊', '0', '-', 'last May ', '\\u0041'];

/** Every parser, filter and matcher of untrusted text; rejecting it must be fast too. */
export const PARSERS: readonly GrowthSubject[] = [
  { name: 'glob', work: stars, parts: ['a', 'b', '/', 'a/'] },
  { name: 'path filter', work: folders, parts: ['a', 'a/', '/', 'ab'] },
  {
    name: 'query',
    work: (text) => {
      for (const tokenizer of ['unicode61', 'trigram'] as const) {
        const query = parseQuery(text, tokenizer);
        matchExpression(query);
        matchExpression(withOptionalPhrases(query, { tokenizer, languages: [] }));
      }
    },
    parts: WORDS,
  },
  {
    name: 'markdown',
    work: (text) => {
      chunkMarkdown(textLines(text), { tokens: 200, overlap: 40 });
      withoutOwnWriting(text);
    },
    parts: [...MARKS, ...WORDS],
  },
  { name: 'claims', work: (text) => void splitClaims(text), parts: [...MARKS, ...WORDS] },
  {
    name: 'front matter',
    work: (text) => void splitClaims(`---\n${text}`),
    parts: ['a: b\n', '-'],
  },
  {
    name: 'secrets',
    work: (text) => void redactSecrets(text),
    parts: ['sk-', 'eyJ', 'key ', '://'],
  },
  { name: 'cron', work: (text) => void parseCron(text), parts: ['* ', '*/', '1,', '1-', '0'] },
  {
    name: 'configuration',
    work: (text) => {
      checkConfigText('svc.json', text);
      maskConfigText(text);
      isBlankJson(text);
    },
    parts: BRACKETS,
  },
  {
    name: 'toml',
    work: (text) => void tomlStatements(text),
    parts: [...BRACKETS, 'a=1\n', '[a]\n'],
  },
  {
    name: 'request path',
    work: (text) => void findRoute(text),
    parts: ['/', '%', '%20', 'a', '?'],
  },
  { name: 'request body', work: (text) => void parseBody(Buffer.from(text)), parts: BRACKETS },
  {
    name: 'form body',
    work: (text) => void parseForm(Buffer.from(text)),
    parts: ['a=', '&', '%7b', '=', 'payload={', '"', '%ff', '&a=1'],
  },
  {
    name: 'request headers',
    work: (text) => {
      typeFault({ 'content-type': text, 'content-encoding': text }, true);
      for (const verifier of VERIFIERS) {
        const names = ['authorization', 'stripe-signature', 'webhook-signature', 'webhook-id'];
        const headersDistinct = Object.fromEntries(names.map((name) => [name, [text]]));
        verifier.checkHead({ headers: { authorization: text }, headersDistinct }, 0);
      }
      requestIdOf({ headers: { 'x-request-id': text } });
    },
    parts: ['a', ' ', ';', 'application/json;', 'charset=', 'bearer ', '"'],
  },
  { name: 'lines that fit', work: (text) => void wrapSpans(text, 80), parts: [...WORDS, '\u0301'] },
  { name: 'forwarded address', work: clientNetworkOf, parts: [':', '0:', '1.', '::', '%', 'f'] },
  ...Object.entries(TRANSCRIPT_READERS).map(([id, reader]) => ({
    name: `${id} transcript`,
    work: (text: string) => {
      const message = { role: 'user', content: [{ type: 'input_text', text }] };
      const claude = { role: 'user', content: text };
      for (const record of [
        { type: 'response_item', payload: { type: 'message', ...message } },
        { type: 'user', message: claude },
        { type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } },
        { type: 'user', content: [{ text }] },
        { role: 'user', message: { content: [{ type: 'text', text }] } },
      ]) {
        reader.read(record);
      }
    },
    parts: [
      '<',
      '<system-reminder',
      '<svc-memory>',
      '(untrusted',
      '```\n',
      'a',
      ' ',
      '\n',
      'untrusted ',
    ],
  })),
];

/** Every regular expression in the source, with texts made of its own characters. */
export function regexSubjects(): readonly GrowthSubject[] {
  return sourceRegexes().flatMap(({ text, file, regex }) =>
    regex === undefined || HARMLESS_REGEXES[text] !== undefined
      ? []
      : [
          {
            name: `${file}: ${text}`,
            work: (input: string) =>
              void (regex.global ? input.replaceAll(regex, '') : regex.exec(input)),
            parts: partsOf(regex.source),
          },
        ],
  );
}

/** Its literal characters, and likely members of its character classes. */
function partsOf(source: string): readonly string[] {
  const plain = source.replaceAll(/\\[pP]\{[^}]*\}|\(\?<?[a-zA-Z!=:>]*|\\./gu, '\n');
  const words = plain.match(/[\w ./:@<>#"'=~`-]{1,24}/gu) ?? [];
  const all = words.join('').slice(0, 64);
  const some = words.flatMap((word) => [word, `${word} `]).slice(0, 12);
  return [...new Set(['a', ' ', '0', '\n', '/', '-', '.', ...some, all])].filter(
    (part) => part !== '',
  );
}

/** Starts and ends of growing texts: a prefix that matches and a suffix that does not. */
export const FRAMES: readonly Omit<GrowingText, 'part'>[] = [
  { head: '', tail: '' },
  { head: '', tail: '\0' },
  { head: 'a', tail: '\n!' },
];

/** Runs a function; a SvcError is a valid result. */
export function allowingSvcErrors(work: (text: string) => void): (text: string) => void {
  return (text) => {
    try {
      work(text);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
    }
  };
}
