import { foldWord, STOP_WORDS, stemOf } from '../../memory/search/index.js';
import { isQuestion } from './claim-words.js';
import {
  ADDS,
  ATTRIBUTES,
  CHANGE,
  DENIES,
  DURATIONS,
  FREQUENCIES,
  GENERIC,
  isPassing,
  MOVED,
  NUMBER_WORDS,
  PAST,
  PAST_VERB,
  PERSON_ATTRIBUTES,
  PHRASES,
  SWITCHED,
  SYNONYMS,
  TENTATIVE,
  THINGS,
  UNIT,
  VALUE_ATTRIBUTES,
  WEEKDAYS,
} from './gist-words.js';

/**
 * Subject, attributes and values of a claim: "The billing service listens on port 7443" has the subject
 * "billing", the attribute "listen" and the value 7443. Extracted from words without grammar, so use it only
 * where a mistake is cheap.
 */
export interface Gist {
  /** Stems that identify the subject. */
  readonly subject: ReadonlySet<string>;
  /** The previous and next topical word of each stem. */
  readonly neighbours: ReadonlyMap<string, readonly (string | undefined)[]>;
  /** Such as `own` or `listen`. */
  readonly attributes: ReadonlySet<string>;
  /** Values by kind: numbers by unit, names, weekdays, words. */
  readonly values: ReadonlyMap<string, ReadonlySet<string>>;
  /** The values that are names or words, which another claim may be about, and their stems. */
  readonly named: readonly { readonly value: string; readonly stem: string }[];
  /** Values that are no longer true. */
  readonly former: ReadonlySet<string>;
  /** Whether the claim announces a change. */
  readonly changes: boolean;
  /** Whether it may be true in addition to another value: "also", "not". */
  readonly adds: boolean;
  /** Whether it denies what it says: "does not listen", "no longer listens". */
  readonly denies: boolean;
  /** Whether it is about the present, not the past or a possibility. */
  readonly isPresent: boolean;
}

interface Token {
  readonly raw: string;
  /** Lower case, without diacritics. */
  readonly word: string;
  readonly stem: string;
  readonly form: 'number' | 'id' | 'mark' | 'word';
  /** Whether something belongs to it: "Ana's phone". */
  readonly isOwner?: boolean;
}

const LABEL =
  /^\W*(?:decision|decided|updated?|note|fyi|correction|change|news|heads[- ]up|learned|reminder)\s*[:–—]\s*/iu;
const DATE_FRAME =
  /\b(?:as of|since|starting|effective|beginning|from|on)\s+(?:today|yesterday|now on|(?:last |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:this|last) (?:week|month)|\d{4}-\d{2}-\d{2}|(?:\d{1,2}(?:st|nd|rd|th)? )?(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{1,2})?)\b,?/giu;
const CLOCK = /\b(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?m\b\.?/giu;
const TOKEN =
  /(?<number>[€$£]?\d+(?:[:.,/]\d+)*(?:%|(?![\p{L}\p{N}_@-])))|(?<id>`[^`]+`|[\p{L}\p{N}_]+(?:[-./:@_]+[\p{L}\p{N}_]+)+|\p{L}*\d[\p{L}\p{N}_]*)|(?<word>[\p{L}\p{M}]+(?:['’]\p{L}+)?)|(?<mark>->|=>|[^\s\p{L}\p{N}])/gu;

export function gistOf(text: string): Gist {
  const tokens = tokensOf(text);
  const attributes = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const attribute = attributeOf(token, tokens[at + 1]);
    if (attribute !== undefined) attributes.add(attribute);
    // "Kept" introduces a duration or a place.
    if (attribute === 'keep') attributes.add('place');
  }
  const changes = CHANGE.test(text);
  const isPast = PAST.test(text) || (PAST_VERB.test(text) && !changes);
  const reader = new PartReader(tokens, attributes, changes);
  for (const [at, token] of tokens.entries()) reader.read(token, at);
  const { parts } = reader;
  const hasOnlyNames = [...parts.values.keys()].every((kind) => kind === 'name' || kind === 'word');
  if (attributes.size === 0 && parts.subject.size > 0 && hasOnlyNames) {
    if (MOVED.test(text)) attributes.add('place');
    else if (SWITCHED.test(text)) attributes.add('use');
  }
  const named = ['name', 'word'].flatMap((kind) => [...(parts.values.get(kind) ?? [])]);
  return {
    ...parts,
    named: named.map((value) => ({ value, stem: stemOf(value) })),
    neighbours: neighboursIn(tokens),
    attributes,
    changes,
    adds: ADDS.test(text),
    // Otherwise it denies only what was true before.
    denies: parts.former.size === 0 && DENIES.test(text),
    isPresent:
      !isQuestion(text) &&
      !isPast &&
      !isPassing(text) &&
      !TENTATIVE.test(text.replaceAll(/\bMay\b/gu, ' ')),
  };
}

function tokensOf(text: string): Token[] {
  let plain = text.normalize('NFC').replace(LABEL, '').replaceAll(DATE_FRAME, ' ');
  plain = plain.replaceAll(/\p{L}+/gu, (word) => NUMBER_WORDS.get(word.toLowerCase()) ?? word);
  for (const [form, by] of PHRASES) plain = plain.replaceAll(form, by);
  plain = plain.replaceAll(CLOCK, (_, hour: string, minute: string | undefined, half: string) => {
    const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
    return `${hours}:${minute ?? '00'}`;
  });
  // "30-day retention" means 30 days.
  plain = plain.replaceAll(/(\d)-(?=\p{L}{2})/gu, '$1 ');
  return [...plain.matchAll(TOKEN)].flatMap((match) => tokensIn(match));
}

function tokensIn(match: RegExpMatchArray): Token[] {
  const { number, id, word, mark } = match.groups ?? {};
  if (number !== undefined)
    return [{ raw: number, word: number, stem: numberOf(number), form: 'number' }];
  if (id !== undefined) {
    const raw = id.replaceAll('`', '');
    // Hyphens also join plain words; digits and other punctuation make a name.
    if (id.startsWith('`') || /[\d._/@]/u.test(raw)) {
      return [{ raw, word: foldWord(raw), stem: foldWord(raw), form: 'id' }];
    }
    return raw.split(/[-:]+/u).map((part) => wordToken(part));
  }
  if (word !== undefined) {
    const raw = word.replace(/['’]s?$/iu, '');
    return [raw === word ? wordToken(raw) : { ...wordToken(raw), isOwner: true }];
  }
  return mark === undefined ? [] : [{ raw: mark, word: mark, stem: mark, form: 'mark' }];
}

function wordToken(raw: string): Token {
  const word = foldWord(raw);
  return { raw, word, stem: SYNONYMS.get(word) ?? stemOf(raw), form: 'word' };
}

function numberOf(raw: string): string {
  const clock = /^(\d{1,2}):(\d{2})$/u.exec(raw);
  if (clock !== null) return `${clock[1]?.padStart(2, '0')}:${clock[2]}`;
  return raw.replaceAll(/(?<=\d),(?=\d{3}\b)/gu, '').replace(/^0+(?=\d)/u, '');
}

function neighboursIn(tokens: readonly Token[]): Gist['neighbours'] {
  const topical = tokens.filter(
    ({ form, raw }) => form !== 'mark' && !STOP_WORDS.has(raw.toLowerCase()),
  );
  return new Map(
    topical.map(({ stem }, at) => [stem, [topical[at - 1]?.stem, topical[at + 1]?.stem]] as const),
  );
}

const SCOPES = new Set(['of', 'for', 'about', 'from']);
/** Before a weekday or time these mark a value anywhere in the claim. */
const ON_DAYS = new Set(['on', 'at', 'every', 'each']);
const COPULAS = new Set('is are has have to at be been : = → -> =>'.split(' '));
const ARTICLES = new Set(['the', 'a', 'an']);
const ARROWS = new Set(['→', '->', '=>']);
/** What follows these is no longer true, up to the next break. */
const NO_MORE =
  /^(?:no longer|instead of|rather than|not|replaces|replacing|replaced (?!by).*|formerly|previously|was)$/u;
const BREAKS = new Set(', ; . ( ) ! – — but with and to by now it as for'.split(' '));

/** Reads the words of a claim from left to right. */
class PartReader {
  private readonly tokens: readonly Token[];
  private readonly changes: boolean;
  /** Whether the claim is about a person. */
  private readonly isPersonal: boolean;
  private readonly subject = new Set<string>();
  private readonly former = new Set<string>();
  private readonly values = new Map<string, Set<string>>();
  /** Whether the verb, or its equivalent, has been read. */
  private hasVerb = false;
  /** Inside a part that is no longer true; `words` if plain words belong to it. */
  private ended: 'values' | 'words' | undefined;
  private awaitsValue = false;
  /** The previous word, skipping articles. */
  private before = '';

  constructor(tokens: readonly Token[], attributes: ReadonlySet<string>, changes: boolean) {
    this.tokens = tokens;
    this.changes = changes;
    this.isPersonal = [...attributes].some((attribute) => PERSON_ATTRIBUTES.has(attribute));
  }

  get parts(): Pick<Gist, 'former' | 'subject' | 'values'> {
    return { subject: this.subject, former: this.former, values: this.values };
  }

  read(token: Token, at: number): void {
    const low = token.raw.toLowerCase();
    this.followEnd(low, this.tokens[at + 1]);
    if (COPULAS.has(low)) this.hasVerb = true;
    if (isFunctionWord(token, low)) {
      if (low === 'to' && this.changes) this.awaitsValue = true;
      if (!ARTICLES.has(low)) this.before = low;
      return;
    }
    const attribute = attributeOf(token, this.tokens[at + 1]);
    if (attribute !== undefined) {
      this.hasVerb = true;
      this.awaitsValue = VALUE_ATTRIBUTES.has(attribute);
    } else if (!isGeneric(token)) {
      this.place(token, at);
      this.awaitsValue = false;
    }
    this.before = low;
  }

  private followEnd(low: string, following: Token | undefined): void {
    if (BREAKS.has(low)) this.ended = undefined;
    if (!this.changes) return;
    const pair = `${low} ${following?.raw.toLowerCase() ?? ''}`;
    if (low === 'from') this.ended = 'words';
    else if (NO_MORE.test(low) || NO_MORE.test(pair)) {
      this.ended = low === 'no' || low === 'not' ? 'values' : 'words';
    }
  }

  private place(token: Token, at: number): void {
    const { before, tokens, values } = this;
    const { stem, form } = token;
    const isUnit = form === 'word' && (DURATIONS.has(token.word) || UNIT.test(token.raw));
    if (isUnit && tokens[at - 1]?.form === 'number') return;
    const awaitsWord = this.awaitsValue && form === 'word' && !SCOPES.has(before);
    const kind = this.kindOf(token, at) ?? (awaitsWord ? 'word' : undefined);
    const isBeforeArrow = ARROWS.has(tokens[at + 1]?.raw ?? '');
    const isFormer = isBeforeArrow || this.ended === 'words' || (this.ended && kind !== undefined);
    if (isFormer) this.former.add(stem);
    else if (kind !== undefined) values.set(kind, (values.get(kind) ?? new Set()).add(stem));
    else this.subject.add(stem);
  }

  /** The kind of value of a token; undefined if it belongs to the subject. */
  private kindOf(token: Token, at: number): string | undefined {
    const { form, stem } = token;
    const { hasVerb, before, isPersonal, tokens } = this;
    // Not "Mira's the owner", where a function word follows.
    if (token.isOwner === true && !hasVerb && !isFunctionWordAt(tokens, at + 1)) return undefined;
    if (form === 'number') {
      // In "release 1.4" or "room 12" the number is part of the subject.
      if (!hasVerb && !ATTRIBUTES.has(before) && !ON_DAYS.has(before)) return undefined;
      return numberKind(stem, tokens[at + 1]);
    }
    if (!hasVerb && !this.isActor(at) && !ON_DAYS.has(before)) return undefined;
    if (SCOPES.has(before) && (!hasVerb || isPersonal)) return undefined;
    if (WEEKDAYS.has(token.word)) return 'weekday';
    if (FREQUENCIES.has(token.word)) return 'frequency';
    if (form === 'id') return 'name';
    return /^\p{Lu}/u.test(token.raw) ? 'name' : undefined;
  }

  /** Whether a person is followed by what they do: "Mira owns", "Jo is now the contact". */
  private isActor(at: number): boolean {
    const { isPersonal, tokens } = this;
    if (!isPersonal) return false;
    for (const [offset, { word, form }] of tokens.slice(at + 1, at + 6).entries()) {
      if (form !== 'word') return false;
      const attribute = ATTRIBUTES.get(word);
      if (attribute === undefined) {
        if (STOP_WORDS.has(word) || GENERIC.has(word)) continue;
        return false;
      }
      const isBy = tokens[at + offset + 2]?.raw.toLowerCase() === 'by';
      return PERSON_ATTRIBUTES.has(attribute) && !isBy;
    }
    return false;
  }
}

function attributeOf({ form, word }: Token, following: Token | undefined): string | undefined {
  if (form !== 'word' || THINGS.has(following?.word ?? '')) return undefined;
  return ATTRIBUTES.get(word);
}

function isFunctionWord({ form }: Token, low: string): boolean {
  return form === 'mark' || (form === 'word' && STOP_WORDS.has(low));
}

function isGeneric({ form, word }: Token): boolean {
  return form === 'word' && GENERIC.has(word);
}

function isFunctionWordAt(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return token === undefined || isFunctionWord(token, token.raw.toLowerCase()) || isGeneric(token);
}

function numberKind(number: string, unit: Token | undefined): string {
  if (/^\d\d:\d\d$/u.test(number)) return 'clock';
  if (/^[€$£]/u.test(number)) return 'money';
  if (number.endsWith('%') || unit?.raw === '%') return 'percent';
  if (unit?.form !== 'word' || STOP_WORDS.has(unit.raw.toLowerCase())) return 'number';
  if (UNIT.test(unit.raw)) return 'size';
  return DURATIONS.has(unit.word) ? 'duration' : 'number';
}
