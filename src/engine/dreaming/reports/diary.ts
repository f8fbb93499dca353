import { readGuarded, writeGuarded } from '../promotion/guarded-file.js';
import { blockContent, withBlock } from './marked-block.js';

/** What a night's entry is written from (facts §7.6: at most 12 snippets, 6 themes, 5 promotions). */
export interface DiaryMaterial {
  readonly snippets: readonly string[];
  readonly themes: readonly string[];
  readonly promotions: readonly string[];
}

/** A diary that grows for ever is read by nobody: the oldest entries go, from this number on. */
const MOST_ENTRIES = 366;
const RULE = '---';
const NAMES = ['DREAMS.md', 'dreams.md'] as const;

/** The entry of a night in plain words, for when no model writes it. */
export function plainDiaryText({ snippets, themes, promotions }: DiaryMaterial): string {
  const sentences = [
    promotions.length === 0
      ? 'Nothing went into long-term memory tonight.'
      : `Into long-term memory: ${promotions.map(sentenceOf).join(' ')}`,
    themes.length === 0 ? '' : `On my mind lately: ${themes.join(', ')}.`,
    snippets.length === 0 ? '' : `Also around: ${snippets.slice(0, 3).map(sentenceOf).join(' ')}`,
  ];
  return sentences.filter((sentence) => sentence !== '').join('\n\n');
}

/**
 * Puts a night's entry into the diary: `DREAMS.md`, or `dreams.md` where that is there. A second entry of
 * a day takes the place of the first.
 *
 * @throws SvcError DREAM_FILE_REFUSED
 */
export function writeDiary(dir: string, day: string, text: string): void {
  const files = NAMES.map((name) => readGuarded(dir, name));
  const file = files.find(({ exists }) => exists) ?? files[0];
  if (file === undefined) return;
  const content = withEntry(blockContent(file.text, 'diary') ?? '', day, text);
  const start = file.exists ? file.text : '# Dreams\n';
  writeGuarded(file, withBlock(start, 'diary', content));
}

/** Entries are a rule, the day in italics, and the text; the newest last. */
function withEntry(content: string, day: string, text: string): string {
  const heading = `*${day}*`;
  const entries = content
    .split(new RegExp(`^${RULE}$`, 'mu'))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith(heading));
  return [...entries, `${heading}\n\n${safe(text)}`]
    .slice(-MOST_ENTRIES)
    .map((entry) => `${RULE}\n\n${entry}`)
    .join('\n\n');
}

/** Nothing in an entry ends the entry or the block. */
function safe(text: string): string {
  return text
    .replaceAll('<!--', '&lt;!--')
    .replaceAll('-->', '--&gt;')
    .replaceAll(/^(?:-{3,}|\*.*\*)$/gmu, '')
    .trim();
}

function sentenceOf(text: string): string {
  return /[.!?。！？…]$/u.test(text) ? text : `${text}.`;
}
