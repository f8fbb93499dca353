import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Passage, passagesOfFile } from '../../src/engine/eval/draft-questions.js';
import { seededRandom, shuffled } from '../../src/engine/eval/random.js';
import { formatCitation } from '../../src/engine/memory/search/citation.js';
import { STOP_WORDS } from '../../src/engine/memory/search/words.js';

const packageSchema = z.object({
  description: z.optional(z.string()),
  keywords: z.optional(z.array(z.string())),
  types: z.optional(z.string()),
  typings: z.optional(z.string()),
});

interface Line {
  readonly question: string;
  readonly expect: readonly string[];
  readonly tags: readonly string[];
}

/** Shorter READMEs are only a title and a license. */
const FEWEST_CHARACTERS = 1500;
const SEED = 7;
const HEADINGS_EACH = 3;
const SENTENCES_EACH = 3;
const COMMENTS_EACH = 3;

/**
 * Creates a corpus of technical documentation: the READMEs of installed packages as one workspace, and questions
 * of five kinds. Three come from other descriptions of the packages, worded differently from the README: their
 * descriptions, keywords and the comments in their types. The others are headings with their parents, and a few
 * rare words of a sentence.
 *
 * @param dir where to write the notes
 * @returns the questions, as lines for `svc memory eval`
 */
export function docsCorpus(dir: string, packagesDir: string): string {
  const notes = join(dir, 'memory');
  mkdirSync(notes, { recursive: true });
  const random = seededRandom(SEED);
  const lines: Line[] = [];
  for (const name of packageNames(packagesDir)) {
    const folder = join(packagesDir, name);
    const readme = readdirSync(folder).find((file) => /^readme\.md$/iu.test(file));
    if (readme === undefined || !existsSync(join(folder, 'package.json'))) continue;
    const text = readFileSync(join(folder, readme), 'utf8');
    if (text.length < FEWEST_CHARACTERS) continue;
    const path = `memory/${name.replace('/', '-').replace('@', '')}.md`;
    writeFileSync(join(dir, path), text);
    const numbered = new Map(text.split('\n').map((line, at) => [at + 1, line] as const));
    const passages = shuffled(passagesOfFile(path, numbered), random);
    lines.push(
      ...headingQuestions(passages).slice(0, HEADINGS_EACH),
      ...sentenceQuestions(passages, random).slice(0, SENTENCES_EACH),
      ...outsideQuestions(folder, path, text, random),
    );
  }
  const known = new Set<string>();
  return lines
    .filter(({ question }) => !known.has(question) && known.add(question))
    .map((line) => `${JSON.stringify({ ...line, workspace: dir })}\n`)
    .join('');
}

function packageNames(packagesDir: string): readonly string[] {
  return readdirSync(packagesDir)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => {
      if (!name.startsWith('@')) return [name];
      return readdirSync(join(packagesDir, name)).map((inner) => `${name}/${inner}`);
    })
    .sort();
}

function headingQuestions(passages: readonly Passage[]): readonly Line[] {
  return passages.flatMap((passage) => {
    const titles = passage.heading.slice(-2);
    if (passage.heading.length < 2 || words(titles.join(' ')).length < 2) return [];
    return [{ question: titles.join(' '), expect: [formatCitation(passage)], tags: ['heading'] }];
  });
}

function sentenceQuestions(passages: readonly Passage[], random: () => number): readonly Line[] {
  return passages.flatMap(({ path, sentences }) => {
    const candidates = sentences
      .map((sentence) => ({
        sentence,
        distinctive: [...new Set(words(sentence.text.replaceAll(/https?:\S+/gu, '')))],
      }))
      .filter(({ distinctive }) => distinctive.length >= 8 && distinctive.length <= 25);
    const [chosen] = shuffled(candidates, random);
    if (chosen === undefined) return [];
    const questionWords = shuffled(chosen.distinctive, random).slice(0, 4);
    const { line } = chosen.sentence;
    return [
      {
        question: questionWords.join(' '),
        expect: [formatCitation({ path, startLine: line, endLine: line })],
        tags: ['sentence'],
      },
    ];
  });
}

/** Descriptions of the package outside its README that the README does not repeat. */
function outsideQuestions(
  folder: string,
  path: string,
  readme: string,
  random: () => number,
): readonly Line[] {
  const { description, keywords, types, typings } = packageSchema.parse(
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const isNew = (text: string): boolean => !plain(readme).includes(plain(text));
  const lines: Line[] = [];
  const add = (question: string, tag: string): void => {
    lines.push({ question, expect: [path], tags: [tag] });
  };
  if (description !== undefined && words(description).length >= 4 && isNew(description)) {
    add(description, 'description');
  }
  const longKeywords = (keywords ?? []).filter((word) => word.length > 2);
  if (longKeywords.length >= 3) add(longKeywords.slice(0, 6).join(' '), 'keywords');
  const comments = shuffled(typeComments(join(folder, types ?? typings ?? 'index.d.ts')), random);
  for (const comment of comments.filter(isNew).slice(0, COMMENTS_EACH)) add(comment, 'comment');
  return lines;
}

/** The first sentences of comments in a file of types. */
function typeComments(file: string): readonly string[] {
  if (!existsSync(file) || !file.endsWith('.ts')) return [];
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/\/\*\*(?<comment>[\s\S]*?)\*\//gu)].flatMap(({ groups }) => {
    const comment = (groups?.['comment'] ?? '').replaceAll(/^\s*\*\s?/gmu, '').trim();
    const [first = ''] = comment.split(/(?<=[.!?])\s|\n\s*\n|\n@/u);
    const sentence = first
      .replaceAll(/[`*{}]|@\w+/gu, '')
      .replaceAll(/\s+/gu, ' ')
      .trim();
    const count = words(sentence).length;
    return count >= 5 && count <= 25 ? [sentence] : [];
  });
}

function words(text: string): readonly string[] {
  const all = text.match(/\p{L}[\p{L}\p{N}]{2,}/gu) ?? [];
  return all.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
}

function plain(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
