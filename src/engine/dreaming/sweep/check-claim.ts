import { type Claim, splitClaims } from '../../memory/chunking/split-claims.js';
import { letOthersRun } from '../../support/async.js';
import { groupByEach } from '../../support/lists.js';
import { MS_PER_DAY } from '../../support/time.js';
import { type ClaimKey, claimKeyOf, jaccard, stemsOf } from '../claims/claim-words.js';
import { type Gist, gistOf } from '../claims/gist.js';
import { isStruck, junkReason } from '../claims/junk.js';
import { relate } from '../claims/relate.js';
import {
  type ClaimPlace,
  type ClaimSignal,
  type RecallEntry,
  signalDay,
} from '../scoring/recall-entry.js';
import type { SourceText } from './conversations.js';
import type { DailyNote, DreamSources } from './dream-sources.js';

/** A statement in a daily note. */
export interface Statement extends ClaimPlace, Pick<Claim, 'headingPath' | 'text'> {
  readonly key: ClaimKey;
  /** `YYYY-MM-DD`, of the note. */
  readonly day: string;
}

/** The statements of a note that are worth keeping, in order. */
export function statementsOf({ path, day, text: note }: DailyNote): Statement[] {
  return splitClaims(note)
    .filter(({ text }) => junkReason(text) === undefined)
    .map((claim) => ({ ...claim, key: claimKeyOf(claim.text), source: 'memory', path, day }));
}

/** A signal from the note of a statement, which counts from the end of its day. */
export function noteSignal(
  { headingPath: _, ...statement }: Statement,
  kind: 'daily' | 'grounded',
  score: number,
  nowMs: number,
): ClaimSignal {
  const atMs = Math.min(nowMs, Date.parse(statement.day) + MS_PER_DAY);
  return { ...statement, kind, score, atMs };
}

/** The statements of a range of notes, to check whether a claim is still true. */
export interface Statements {
  /**
   * The latest statement since `day` that contradicts a claim; undefined if there is none, or if the claim
   * was repeated since. Asked again, it does not search again.
   */
  contradictionOf(text: string, day: string): Statement | undefined;
}

/** Only this many notes are read, the newest. */
const MOST_NOTES = 512;

/** Reads the statements in the daily notes of these days, inclusive. @throws the signal's reason */
export async function readStatements(
  sources: Pick<DreamSources, 'dailyNotes'>,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<Statements> {
  const latestFirst: (Statement & { readonly gist: Gist })[] = [];
  let notes = 0;
  for (const note of sources.dailyNotes(from, to, () => ++notes <= MOST_NOTES)) {
    await letOthersRun(signal);
    for (const statement of statementsOf(note).toReversed()) {
      latestFirst.push({ ...statement, gist: gistOf(statement.text) });
    }
  }
  const byWord = groupByEach(latestFirst.entries(), ([, { gist }]) => topicsOf(gist));
  const search = (text: string, day: string): Statement | undefined => {
    const gist = gistOf(text);
    const key = claimKeyOf(text);
    const related = new Set([...topicsOf(gist)].flatMap((word) => byWord.get(word) ?? []));
    for (const [, statement] of [...related].sort(([a], [b]) => a - b)) {
      if (statement.day < day || statement.key === key) return undefined;
      const relation = relate(statement.gist, gist);
      if (relation === 'same') return undefined;
      if (relation === 'updates') return statement;
    }
    return undefined;
  };
  const found = new Map<string, Statement | undefined>();
  return {
    contradictionOf: (text, day) => {
      const question = `${day} ${text}`;
      if (!found.has(question)) found.set(question, search(text, day));
      return found.get(question);
    },
  };
}

/** Index keys to find claims about the same subject; attributes if a claim has no subject. */
function topicsOf({ subject, named, former, attributes }: Gist): ReadonlySet<string> {
  const words = [...subject, ...named.map(({ value }) => value), ...former];
  return new Set(subject.size > 0 ? words : [...words, ...[...attributes].map((one) => `@${one}`)]);
}

/** Where a claim is in its document now. */
export type Relocation =
  | { readonly state: 'found'; readonly claim: Claim }
  /** The document contains a similar statement instead. */
  | { readonly state: 'changed'; readonly closest: Claim }
  | { readonly state: 'missing' };

/** Claims at least this similar are the same claim, edited. */
const SAME = 0.6;

/** Finds a claim in the current text of its document, wherever its lines moved. */
export function relocateClaim(
  { claims, findQuote }: Pick<SourceText, 'claims' | 'findQuote'>,
  claim: { readonly key: ClaimKey; readonly text: string },
): Relocation {
  const found =
    // What is crossed out has the same words.
    claims.find(({ text }) => claimKeyOf(text) === claim.key && !isStruck(text)) ??
    findQuote(claim.text);
  if (found !== undefined) return { state: 'found', claim: found };
  const stems = stemsOf(claim.text);
  let closest: Claim | undefined;
  let best = SAME;
  for (const candidate of claims) {
    const similarity = jaccard(stems, stemsOf(candidate.text));
    if (similarity >= best) [closest, best] = [candidate, similarity];
  }
  return closest === undefined ? { state: 'missing' } : { state: 'changed', closest };
}

/** Whether a claim is still in its note, and whether later notes contradict it. */
export type ClaimCheck = Relocation | { readonly state: 'superseded'; readonly by: Statement };

/** Checks a claim. @param statements those since its day */
export function checkClaim(
  entry: RecallEntry,
  sources: Pick<DreamSources, 'read'>,
  statements: Statements,
): ClaimCheck {
  const note = sources.read(entry);
  if (note === undefined) return { state: 'missing' };
  const relocation = relocateClaim(note, entry);
  if (relocation.state !== 'found') return relocation;
  const by = statements.contradictionOf(entry.text, signalDay(entry));
  return by === undefined ? relocation : { state: 'superseded', by };
}
