import { readFileSync } from 'node:fs';
import { resolveConfig } from '../../../../src/engine/config/index.js';
import { dreamWorkspace } from '../../../../src/engine/dreaming/dream-workspace.js';
import { promotedEntries } from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { appendRecall } from '../../../../src/engine/dreaming/recall-log/recall-log.js';
import { recallOf } from '../../../../src/engine/dreaming/recall-log/recalled-claims.js';
import { runSweep } from '../../../../src/engine/dreaming/sweep/run-sweep.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import { NOTES_ONLY } from '../../../support/dreams.js';
import { backendOn, targetOf } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';
import type { LivingFact, LivingNotes } from './living-notes.js';

const MS_PER_DAY = 86_400_000;
/** Noon of the first day. */
const START_MS = Date.UTC(2026, 6, 1, 12);
const { dreaming } = resolveConfig({}).plugins.entries['memory-core'].config;

/** What long-term memory came to. */
export interface LifeScore {
  readonly entries: readonly string[];
  /** Entries that say a fact as it is now, each fact once, of all entries. */
  readonly precision: number;
  /** Facts whose present value is there, of those that enough searches were answered by. */
  readonly recall: number;
  /** Entries that say again what another says, of all entries. */
  readonly duplicates: number;
  /** Old statements that were promoted after they had changed, and those that are there at the end. */
  readonly stalePromotions: readonly string[];
  readonly staleAtEnd: readonly string[];
  /** Entries that say no fact. */
  readonly strays: readonly string[];
  readonly missed: readonly LivingFact[];
  readonly needed: number;
}

/** Writes, asks and sleeps day by day. */
export async function liveThrough({ facts, days }: LivingNotes): Promise<LifeScore> {
  const home = tempFolder();
  const workspace = dreamWorkspace(home.at('notes'), { stateDir: home.at('state') });
  home.write('notes/memory/2026-06-30.md', '# Begin\n');
  const target = targetOf(workspace.dir, { layout: 'agent', indexFile: home.at('index.sqlite') });
  const backend = backendOn(target);
  const stalePromotions: string[] = [];
  const answers: (readonly string[])[] = [];
  for (const [day, { lines, questions }] of days.entries()) {
    const noon = START_MS + day * MS_PER_DAY;
    const name = new Date(noon).toISOString().slice(0, 10);
    home.write(`notes/memory/${name}.md`, `# ${name}\n\n${lines.join('\n')}\n`);
    for (const query of questions) {
      const recall = recallOf(await backend.search({ query }), noon);
      if (recall === undefined) continue;
      appendRecall(workspace.files.recallLog, recall);
      answers.push(recall.claims.map(({ text }) => text));
    }
    const { decisions } = await runSweep({
      workspace,
      settings: dreaming,
      agentSources: NOTES_ONLY,
      timeZone: 'UTC',
      // Three in the next night.
      clock: { now: () => noon + 15 * 3_600_000 },
      trigger: 'schedule',
      signal: NEVER,
    });
    for (const { decision, entry } of decisions) {
      if (decision !== 'promote' && decision !== 'renew') continue;
      if (facts.some((fact) => isStale(fact, entry.text, day))) stalePromotions.push(entry.text);
    }
  }
  await backend.close();
  const needed = facts.filter((fact) => {
    const asked = answers.filter((texts) => texts.some((text) => isOf(fact, text)));
    return asked.length >= LEAST_ANSWERS;
  });
  return scoreOf(needed, textsIn(`${workspace.dir}/MEMORY.md`), {
    facts,
    stalePromotions,
    days: days.length,
  });
}

/** A fact that fewer searches were answered by is not known to be needed. */
const LEAST_ANSWERS = 5;

function isOf({ sayings }: LivingFact, text: string): boolean {
  return sayings.some((said) => said.has(text));
}

function isStale({ sayings, changedOn }: LivingFact, text: string, day: number): boolean {
  return changedOn !== undefined && changedOn <= day && sayings[0].has(text);
}

interface Lived {
  readonly facts: readonly LivingFact[];
  readonly stalePromotions: readonly string[];
  readonly days: number;
}

function scoreOf(
  needed: readonly LivingFact[],
  entries: readonly string[],
  { facts, stalePromotions, days }: Lived,
): LifeScore {
  const nowOf = ({ sayings, changedOn }: LivingFact) => sayings[changedOn === undefined ? 0 : 1];
  const isThere = (fact: LivingFact): boolean => entries.some((text) => nowOf(fact).has(text));
  const isStray = (text: string): boolean => facts.every((fact) => !isOf(fact, text));
  const counts = facts.map((fact) => entries.filter((text) => nowOf(fact).has(text)).length);
  const found = counts.filter((count) => count > 0).length;
  const again = counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
  return {
    entries,
    precision: found / Math.max(1, entries.length),
    recall: needed.filter(isThere).length / needed.length,
    duplicates: again / Math.max(1, entries.length),
    stalePromotions,
    staleAtEnd: entries.filter((text) => facts.some((fact) => isStale(fact, text, days))),
    strays: entries.filter(isStray),
    missed: needed.filter((fact) => !isThere(fact)),
    needed: needed.length,
  };
}

function textsIn(file: string): readonly string[] {
  return promotedEntries(readFileSync(file, 'utf8')).map(({ text }) => text);
}
